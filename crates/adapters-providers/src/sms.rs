//! What vendors of SMS have in common: words for what became of a message, and lenient readers of
//! answers and callbacks, for what is a number to one vendor is a text to the other.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use domain::{
    address::Address,
    callback::{About, Callback, Inbound, Received, VendorReport},
    channel::Channel,
    country::Country,
    delivery::{DeliveryEvent, Failure, FailureCode},
    id::Id,
    message::Message,
    provider::{Check, CheckStatus, FollowUp, LookUp, Outcome},
};
use reqwest::{Url, header::HeaderValue};
use serde_json::{Map, Value};

use crate::{
    declaration::{Declaration, DeclarationError},
    verdict::{Verdict, failure},
};

/// The verdict of the first of `phrases`, all in lower case, that a vendor's prose contains.
pub(crate) fn judge(prose: &str, phrases: &[(&str, Verdict)]) -> Option<Verdict> {
    let prose = prose.to_lowercase();
    phrases.iter().find(|(phrase, _)| prose.contains(phrase)).map(|(_, verdict)| *verdict)
}

/// A message that was taken, and of which a report may come.
pub(crate) fn accepted(reference: Option<String>) -> Outcome {
    Outcome::Accepted { reference, follow_up: FollowUp::Report }
}

/// How far a vendor says that a message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// On its way.
    Sent,
    /// Arrived.
    Delivered,
    /// Given up.
    Failed(FailureCode),
}

impl Progress {
    /// What happened, with the vendor's own word for it.
    pub(crate) fn event(self, at: DateTime<Utc>, vendor_code: &str) -> DeliveryEvent {
        match self {
            Self::Sent => DeliveryEvent::Accepted { at },
            Self::Delivered => DeliveryEvent::Confirmed { at },
            Self::Failed(code) => {
                DeliveryEvent::Rejected { at, failure: failure(code, vendor_code) }
            }
        }
    }

    /// The answer to a question about the message.
    pub(crate) fn look_up(self, at: DateTime<Utc>, vendor_code: &str) -> LookUp {
        match self {
            Self::Sent => LookUp::Waiting,
            _ => LookUp::Found(self.event(at, vendor_code)),
        }
    }
}

/// The progress that a vendor's word stands for. `words` are in lower case, joined by underscores;
/// vendors write them as they like.
pub(crate) fn progress(word: &str, words: &[(&str, Progress)]) -> Option<Progress> {
    let word = word.trim().to_lowercase().replace([' ', '-'], "_");
    words.iter().find(|(known, _)| *known == word).map(|(_, progress)| *progress)
}

/// A vendor that takes one text for many recipients in one call.
#[async_trait]
pub(crate) trait Bulk: Sync {
    /// Hands messages of the same text and sender over in one call: an outcome for each, or the
    /// one of the call as a whole.
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome>;

    /// Hands one message over.
    async fn send_one(&self, message: &Message) -> Outcome {
        match self.hand_over(std::slice::from_ref(message)).await {
            Ok(outcomes) => outcomes.into_iter().next().unwrap_or_else(unmentioned),
            Err(outcome) => outcome,
        }
    }

    /// Hands messages over together. A call that is refused for good may be so for the sake of one
    /// recipient, so each is tried on its own then.
    async fn send_many(&self, messages: &[Message]) -> Vec<Outcome> {
        if messages.is_empty() {
            return Vec::new();
        }
        match self.hand_over(messages).await {
            Ok(outcomes) => outcomes,
            Err(Outcome::Rejected(_)) if messages.len() > 1 => {
                let mut outcomes = Vec::with_capacity(messages.len());
                for message in messages {
                    outcomes.push(self.send_one(message).await);
                }
                outcomes
            }
            Err(outcome) => vec![outcome; messages.len()],
        }
    }
}

/// What it means that the vendor's answer leaves a message out.
pub(crate) fn unmentioned() -> Outcome {
    let message = "the provider's answer does not mention the message";
    Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, message))
}

/// The vendor's identifier of a message, of the last time it took the message.
pub(crate) fn reference<'a>(message: &'a Message, provider: &str) -> Option<&'a str> {
    let mut attempts = message.attempts.iter().rev().filter(|it| it.provider == provider);
    attempts.find_map(|attempt| attempt.reference.as_deref())
}

/// A recipient's number in international form, without its `+`.
pub(crate) fn digits(message: &Message) -> &str {
    message.draft.recipient.as_str().trim_start_matches('+')
}

/// Whether a vendor's way to write a number, such as `0241234567`, means the recipient.
pub(crate) fn is_recipient(message: &Message, theirs: &str) -> bool {
    let theirs: String = theirs.chars().filter(char::is_ascii_digit).collect();
    let theirs = theirs.strip_prefix("00").unwrap_or(&theirs);
    match theirs.strip_prefix('0') {
        Some(national) => national.len() > 5 && digits(message).ends_with(national),
        None => digits(message) == theirs,
    }
}

/// Takes the first entry out of `entries` that is for the recipient of a message.
pub(crate) fn take<T>(entries: &mut Vec<T>, is_for: impl Fn(&T) -> bool) -> Option<T> {
    let at = entries.iter().position(is_for)?;
    Some(entries.remove(at))
}

/// A header with a credential in it, after `scheme`.
pub(crate) fn secret_header(
    declaration: &Declaration,
    key: &str,
    scheme: &str,
) -> Result<HeaderValue, DeclarationError> {
    let text = format!("{scheme}{}", declaration.credential(key)?.expose());
    let problem = "must be printable ASCII";
    let unprintable = |_| declaration.invalid(&format!("credentials.{key}"), problem);
    let mut value = HeaderValue::from_str(&text).map_err(unprintable)?;
    value.set_sensitive(true);
    Ok(value)
}

/// The address one segment below `url`.
pub(crate) fn below(url: &Url, segment: &str) -> Url {
    let mut url = url.clone();
    // Fails only for addresses without a path, which no declaration may have.
    if let Ok(mut path) = url.path_segments_mut() {
        path.push(segment);
    }
    url
}

/// What a balance shows. Below `low` it is as good as empty.
pub(crate) fn balance(amount: Option<f64>, unit: &str, low: f64) -> Check {
    let check = |status, message: String| Check { status, message };
    match amount {
        Some(amount) if amount < low => {
            check(CheckStatus::Degraded, format!("the balance is nearly used up: {amount} {unit}"))
        }
        Some(amount) => check(CheckStatus::Up, format!("the balance is {amount} {unit}")),
        None => check(CheckStatus::Degraded, "the provider's answer tells no balance".to_owned()),
    }
}

/// A number, or the one in a text such as "GHS 1,402.50".
pub(crate) fn amount(value: &Value) -> Option<f64> {
    let is_part = |c: &char| c.is_ascii_digit() || matches!(c, '.' | '-');
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.chars().filter(is_part).collect::<String>().parse().ok(),
        _ => None,
    }
}

/// A text that is not empty, or a whole number as text.
pub(crate) fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

/// A time in any form that the vendors use. Without a zone it is taken as UTC, which Ghana has.
pub(crate) fn time(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let zoned = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"));
    let local = || {
        let mut forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"].into_iter();
        forms.find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
    };
    zoned.map(|time| time.to_utc()).ok().or_else(|| local().map(|time| time.and_utc()))
}

/// Our own identifier of a message, if that is what `text` is.
pub(crate) fn ours(text: &str) -> Option<About> {
    Id::<Message>::parse_either(text).ok().map(About::Ours)
}

/// A text that came in. None if its sender is no number that could be written to.
pub(crate) fn inbound(from: &str, text: &str, at: DateTime<Utc>) -> Option<Inbound> {
    let from = from.trim();
    let is_complete = from.starts_with('+') || from.starts_with('0');
    let from = if is_complete { from.to_owned() } else { format!("+{from}") };
    let from = Address::parse(Channel::Sms, Country::GH, &from).ok()?;
    Some(Inbound { channel: Channel::Sms, from, text: text.to_owned(), at })
}

/// A callback with one report, or none if the vendor's word for it is not known.
pub(crate) fn reported(about: About, event: Option<DeliveryEvent>) -> Received {
    let reports = event.map(|event| VendorReport { about, event }).into_iter().collect();
    Received { reports, ..Received::default() }
}

/// The fields of a callback, their names in lower case.
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads the query and the body, be that a form or a JSON object. None if it is neither.
    pub(crate) fn of(callback: &Callback) -> Option<Self> {
        let mut fields = callback.query.clone();
        let body = std::str::from_utf8(&callback.body).ok()?.trim();
        if body.starts_with(['{', '[']) {
            let object: Map<String, Value> = serde_json::from_str(body).ok()?;
            fields.extend(object.into_iter().filter_map(|(key, it)| Some((key, word(&it)?))));
        } else if !body.is_empty() {
            fields.extend(form_urlencoded::parse(body.as_bytes()).into_owned());
        }
        Some(Self(fields.into_iter().map(|(key, text)| (key.to_lowercase(), text)).collect()))
    }

    /// The first of the fields of these names that is not empty.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| {
            let mut found = self.0.iter().filter(|(known, text)| known == name && !text.is_empty());
            found.next().map(|(_, text)| text.as_str())
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
