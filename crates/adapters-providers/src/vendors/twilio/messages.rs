//! Twilio's messages: SMS and `WhatsApp`, which differ in their addresses only.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    content::template::FilledTemplate,
    messaging::{
        callback::{Callback, CallbackRefused, Inbound, Received},
        delivery::DeliveryEvent,
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
    shared::{address::Address, channel::Channel, country::Country},
};
use serde_json::{Map, Value};

use super::{Twilio, USUAL_URL, about, check_result, codes, lookup_result, with_answer};
use crate::{
    callbacks::{Fields, one_inbound, one_report},
    http_vendor::{
        Access, Account, Answer, BaseUrl, Batch, Callbacks, Declaration, DeclarationError,
        HttpVendor, Lookup, Request, Vendor,
    },
};

pub(in crate::vendors) const SMS: Vendor = Vendor {
    name: "twilio",
    channels: &[Channel::Sms],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["account_sid", "auth_token"],
    callbacks: Callbacks::Signed,
    can_be_answered: true,
    ..Vendor::DEFAULTS
};

pub(in crate::vendors) const WHATSAPP: Vendor = Vendor {
    name: "twilio-whatsapp",
    channels: &[Channel::WhatsApp],
    session_window: Some(SESSION_WINDOW),
    ..SMS
};

/// Time after a recipient's last message in which `WhatsApp` accepts free texts
/// (<https://www.twilio.com/docs/whatsapp/key-concepts>).
const SESSION_WINDOW: TimeDelta = TimeDelta::hours(24);
/// Maximum number of seconds for which delivery may be tried.
const MAX_VALIDITY: i64 = 36_000;
/// Prefix of a number on `WhatsApp`.
const WHATSAPP_PREFIX: &str = "whatsapp:";

pub(in crate::vendors) struct Messages {
    twilio: Twilio,
    channel: Channel,
}

impl HttpVendor for Messages {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let (twilio, access) = Twilio::read(declaration)?;
        Ok((Self { twilio, channel: declaration.channel }, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let message = batch.first();
        let to = address(self.channel, message.draft.recipient.as_str());
        let mut form = vec![("To", to.as_str())];
        let sender = account.sender(message);
        let from = sender.map(|sender| address(self.channel, sender));
        match (sender, &from) {
            (Some(sender), _) if is_service(sender) => form.push(("MessagingServiceSid", sender)),
            (_, Some(from)) => form.push(("From", from)),
            // The vendor's error explains best what is missing.
            (_, None) => {}
        }
        let template = self.template(message);
        let variables = template.and_then(variables);
        match template {
            Some(template) => form.push(("ContentSid", &template.name)),
            None => form.push(("Body", &message.draft.body)),
        }
        form.extend(variables.as_deref().map(|variables| ("ContentVariables", variables)));
        let validity = batch.seconds_left().min(MAX_VALIDITY).to_string();
        form.push(("ValidityPeriod", &validity));
        Ok(self.twilio.create_request(account, "Messages.json", message, &form))
    }

    fn send_result(&self, answer: &Answer, _: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        Ok(vec![codes::outcome(answer)])
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        self.twilio.lookup_request(account, "Messages", lookup)
    }

    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        lookup_result(answer, lookup, event)
    }

    fn check_request(&self, account: &Account) -> Request {
        self.twilio.check_request(account)
    }

    fn check_result(&self, answer: &Answer) -> Check {
        check_result(answer)
    }

    fn verify(&self, _: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        self.twilio.verify(callback)
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        let fields = Fields::of_form(callback);
        let sid = fields.required(&["MessageSid"])?;
        if let Some(status) = fields.get("MessageStatus") {
            let error = fields.get("ErrorCode").and_then(|code| code.parse().ok());
            let event = event(status, error, now);
            return Ok(with_answer(one_report(about(callback, sid), event)));
        }
        match fields.text("Body") {
            Some(text) => Ok(with_answer(one_inbound(inbound(self.channel, &fields, text, now)))),
            None => Err(CallbackRefused::Malformed),
        }
    }
}

impl Messages {
    /// Returns the template that replaces a message's text.
    fn template<'a>(&self, message: &'a Message) -> Option<&'a FilledTemplate> {
        message.draft.vendor_template.as_ref().filter(|_| self.channel == Channel::WhatsApp)
    }
}

/// Returns the values of a template as a JSON object of `1`, `2`, …; `None` if it has none
/// (<https://www.twilio.com/docs/content/send-templates-created-with-the-content-template-builder>).
fn variables(template: &FilledTemplate) -> Option<String> {
    let values = template.values.iter().map(|value| Value::from(value.as_str()));
    let named: Map<_, _> = (1..).map(|number: usize| number.to_string()).zip(values).collect();
    (!named.is_empty()).then(|| Value::from(named).to_string())
}

/// Returns a number in the vendor's format for a channel.
fn address(channel: Channel, number: &str) -> String {
    let is_plain = channel != Channel::WhatsApp || number.starts_with(WHATSAPP_PREFIX);
    if is_plain { number.to_owned() } else { format!("{WHATSAPP_PREFIX}{number}") }
}

/// True if a sender is a messaging service: `MG` and 32 hexadecimal digits. A sender name may have
/// the same prefix.
fn is_service(sender: &str) -> bool {
    sender.strip_prefix("MG").is_some_and(|digits| {
        digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Returns the event of a status; `None` if it says nothing about the delivery.
fn event(status: &str, error: Option<u32>, at: DateTime<Utc>) -> Option<DeliveryEvent> {
    match status {
        "accepted" | "scheduled" | "queued" | "sending" | "sent" => {
            Some(DeliveryEvent::Accepted { at })
        }
        "delivered" | "read" => Some(DeliveryEvent::Confirmed { at }),
        "undelivered" | "failed" | "canceled" => {
            Some(DeliveryEvent::Rejected { at, failure: codes::failure(error) })
        }
        _ => None,
    }
}

/// Returns an inbound message; `None` if its sender cannot receive messages, such as a short code,
/// or if it is from another channel that shares the messaging service.
fn inbound(channel: Channel, fields: &Fields, text: &str, at: DateTime<Utc>) -> Option<Inbound> {
    let from = fields.get("From")?;
    let number = match channel {
        Channel::WhatsApp => from.strip_prefix(WHATSAPP_PREFIX)?,
        _ => from,
    };
    let from = Address::parse(channel, Country::GH, number).ok()?;
    Some(Inbound { channel, from, text: text.to_owned(), at })
}

#[cfg(test)]
mod tests;
