//! Form that is sent to Mailgun, for one message or for a batch.

use std::collections::HashSet;

use domain::messaging::{delivery::FailureCode, message::Message, outcome::Outcome};
use lettre::message::Mailbox;
use ports::audience::unsubscribes::UnsubscribeLinks;
use serde_json::{Map, Value, json};

use crate::{
    batch::Batch,
    mail::{self, Envelope, NO_SUBJECT, ONE_CLICK, Text},
    verdict::Verdict,
};

/// Syntax by which a text refers to the variables of its recipient. Mailgun replaces them in a
/// batch only.
const VARIABLE: &str = "%recipient";

/// Shortest and longest delivery time that Mailgun accepts, in minutes.
const MIN_MINUTES: i64 = 5;
const MAX_MINUTES: i64 = 24 * 60;

pub(super) type Form = Vec<(&'static str, String)>;

/// Builds the form for messages with the same text and sender. The error is their outcome if a
/// recipient is not a valid email address, or if they cannot be a batch.
pub(super) fn form(
    batch: Batch<'_>,
    sender: &Mailbox,
    links: &dyn UnsubscribeLinks,
) -> Result<Form, Outcome> {
    let envelopes = Envelope::of_each(batch.messages, sender)?;
    let message = batch.first();
    let Some(envelope) = envelopes.first() else { return Err(Envelope::missing()) };
    let letter = letter(message, envelope);
    let mut form: Form = Vec::new();
    for envelope in &envelopes {
        form.push(("to", envelope.to.to_string()));
    }
    // In a batch, either all messages are advertising or none.
    let mut link = mail::unsubscribe_link(message, links);
    form.extend(if batch.len() == 1 {
        let message_id = format!("<{}>", envelope.message_id);
        [("h:Message-Id", message_id), ("v:message", message.id.internal())]
    } else if is_batch(&letter, &envelopes) {
        let variables = variables(batch.messages, &envelopes, links);
        link = link.map(|_| format!("{VARIABLE}.unsubscribe%"));
        let variables = Value::Object(variables).to_string();
        [("recipient-variables", variables), ("v:message", format!("{VARIABLE}.id%"))]
    } else {
        let verdict = Verdict::NotAccepted(FailureCode::ProviderRejected);
        return Err(verdict.outcome("not fit for a batch", None));
    });
    form.extend(letter);
    if let Some(link) = link {
        form.push(("h:List-Unsubscribe", format!("<{link}>")));
        form.push(("h:List-Unsubscribe-Post", ONE_CLICK.to_owned()));
    }
    form.extend(within(batch.seconds_left()).map(|within| ("o:deliver-within", within)));
    Ok(form)
}

/// Returns the delivery time, if it is less than the longest time that Mailgun accepts.
fn within(seconds: i64) -> Option<String> {
    (seconds < MAX_MINUTES * 60).then(|| format!("{}m", (seconds / 60).max(MIN_MINUTES)))
}

/// Returns the fields that all recipients share.
fn letter(message: &Message, envelope: &Envelope) -> Form {
    let text = Text::of(&message.draft.body, message.draft.format);
    let mut letter = vec![("from", envelope.from.to_string()), ("text", text.plain)];
    let subject = message.draft.subject.as_deref().unwrap_or(NO_SUBJECT);
    letter.push(("subject", subject.to_owned()));
    letter.extend(text.html.map(|html| ("html", html.to_owned())));
    let reply_to = envelope.reply_to.as_ref();
    letter.extend(reply_to.map(|address| ("h:Reply-To", address.to_string())));
    letter
}

/// True if the form reads the same in a batch as alone, and goes to each recipient once.
fn is_batch(letter: &Form, envelopes: &[Envelope]) -> bool {
    let mut seen = HashSet::with_capacity(envelopes.len());
    let is_new = |envelope: &Envelope| seen.insert(envelope.to.to_string().to_lowercase());
    !letter.iter().any(|(_, text)| text.contains(VARIABLE)) && envelopes.iter().all(is_new)
}

/// Returns the identifier of each message and its unsubscribe link, by recipient.
fn variables(
    messages: &[&Message],
    envelopes: &[Envelope],
    links: &dyn UnsubscribeLinks,
) -> Map<String, Value> {
    let mut variables = Map::new();
    for (message, envelope) in messages.iter().zip(envelopes) {
        let mut own = json!({"id": message.id.internal()});
        if let Some(link) = mail::unsubscribe_link(message, links) {
            own["unsubscribe"] = json!(link);
        }
        variables.insert(envelope.to.to_string(), own);
    }
    variables
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::shared::{address::Address, category::Category};

    use super::*;
    use crate::fixture::{Links, batch, message};

    fn shop() -> Mailbox {
        "Shop <no-reply@shop.example>".parse().unwrap()
    }

    fn to(address: &str, body: &str) -> Message {
        let mut message = message();
        Arc::make_mut(&mut message.draft).recipient = Address::stored(address.into());
        crate::fixture::write(&mut message, body);
        message
    }

    fn filled<const N: usize>(fields: [(&'static str, &str); N]) -> Form {
        fields.map(|(key, text)| (key, text.to_owned())).into()
    }

    #[test]
    fn the_request_for_one_message_is_what_the_vendor_documents() {
        let mut message = to("ama@example.com", "<p>Hello</p>");
        Arc::make_mut(&mut message.draft).sender = Some("Ama <ama@shop.example>".into());
        let id = message.id.internal();

        let expected = filled([
            ("to", "ama@example.com"),
            ("h:Message-Id", &format!("<{id}@shop.example>")),
            ("v:message", &id),
            ("from", "Ama <no-reply@shop.example>"),
            ("text", "Hello\n"),
            ("subject", "Your code"),
            ("html", "<p>Hello</p>"),
            ("h:Reply-To", "ama@shop.example"),
            ("o:deliver-within", "10m"),
        ]);
        assert_eq!(form(batch(&[&message]), &shop(), &Links), Ok(expected));
    }

    #[test]
    fn delivery_times_stay_within_the_limits_of_the_vendor() {
        for (seconds, expected) in
            [(1, Some("5m")), (659, Some("10m")), (86_399, Some("1439m")), (86_400, None)]
        {
            assert_eq!(within(seconds).as_deref(), expected, "{seconds}");
        }
    }

    #[test]
    fn mail_without_a_subject_says_so() {
        let mut message = to("ama@example.com", "Hello");
        Arc::make_mut(&mut message.draft).subject = None;

        let form = form(batch(&[&message]), &shop(), &Links).unwrap();

        assert!(form.contains(&("subject", "(no subject)".to_owned())), "{form:?}");
    }

    #[test]
    fn advertising_shows_each_link_to_its_recipient_only() {
        let messages = ["ama@example.com", "kofi@example.com"].map(|address| {
            let mut message = to(address, "Hello");
            Arc::make_mut(&mut message.draft).category = Category::Marketing;
            message
        });
        let field = |form: &Form, name: &str| {
            form.iter().find(|(key, _)| *key == name).map(|(_, text)| text.clone()).unwrap()
        };
        let link = |address: &str| format!("https://notify.example.com/unsubscribe/{address}");

        let one = form(batch(&[&messages[0]]), &shop(), &Links).unwrap();
        let both = form(batch(&messages.each_ref()), &shop(), &Links).unwrap();

        let own = format!("<{}>", link("ama@example.com"));
        assert_eq!(field(&one, "h:List-Unsubscribe"), own);
        assert_eq!(field(&both, "h:List-Unsubscribe"), "<%recipient.unsubscribe%>");
        for form in [one, both.clone()] {
            assert_eq!(field(&form, "h:List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
        }
        let variables: Value = serde_json::from_str(&field(&both, "recipient-variables")).unwrap();
        for address in ["ama@example.com", "kofi@example.com"] {
            assert_eq!(variables[address]["unsubscribe"], link(address));
        }
    }

    #[test]
    fn variables_in_a_text_or_repeated_recipients_are_no_batch() {
        let verdict = Verdict::NotAccepted(FailureCode::ProviderRejected);
        let refused = Err(verdict.outcome("not fit for a batch", None));
        for (other, body) in [
            ("kofi@example.com", "Write %recipient.id% here"),
            ("kofi@example.com", "<p>Write &#37;recipient%</p>"),
            ("Ama@example.com", "Hello"),
        ] {
            let messages = [to("ama@example.com", body), to(other, body)];
            assert_eq!(
                form(batch(&messages.each_ref()), &shop(), &Links),
                refused,
                "{other} {body}"
            );
            assert!(form(batch(&[&messages[0]]), &shop(), &Links).is_ok(), "{other} {body}");
        }
    }

    #[test]
    fn a_batch_needs_an_address_for_each_message() {
        let messages = [to("ama@example.com", "Hello"), to("nobody", "Hello")];
        assert_eq!(form(batch(&messages.each_ref()), &shop(), &Links), Err(Envelope::missing()));
    }
}
