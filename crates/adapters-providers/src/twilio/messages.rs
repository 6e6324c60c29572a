//! Twilio's messages: SMS and `WhatsApp`, which differ in their addresses only.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    address::Address,
    callback::{Callback, CallbackRefused, Inbound, Received, VendorReport},
    channel::Channel,
    country::Country,
    delivery::DeliveryEvent,
    message::Message,
    provider::{Check, LookUp, Outcome},
    template::FilledTemplate,
};
use ports::providers::MessagingProvider;
use serde_json::{Map, Value};

use super::{Account, about, access, answered, codes};
use crate::{
    declaration::{Declaration, DeclarationError, Deps},
    form::Form,
    kind::{Callbacks, USUAL_PATIENCE, Vendor},
    wire::seconds_left,
};

pub(crate) const SMS: Vendor = Vendor {
    name: "twilio",
    channels: &[Channel::Sms],
    required: &["account_sid", "auth_token"],
    optional: &[],
    options: &[],
    patience: USUAL_PATIENCE,
    callbacks: Callbacks::Signed,
    check: |declaration| access(declaration).map(drop),
    build,
};

pub(crate) const WHATSAPP: Vendor =
    Vendor { name: "twilio-whatsapp", channels: &[Channel::WhatsApp], ..SMS };

/// How long after a recipient's last text `WhatsApp` takes texts that are no templates
/// (<https://www.twilio.com/docs/whatsapp/key-concepts>).
const SESSION_WINDOW: TimeDelta = TimeDelta::hours(24);
/// The most seconds that a message may be tried for.
const LONGEST: i64 = 36_000;
/// What a number on `WhatsApp` begins with.
const WHATSAPP_PREFIX: &str = "whatsapp:";

struct Messages {
    account: Account,
    channel: Channel,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let account = Account::of(declaration, deps)?;
    Ok(Arc::new(Messages { account, channel: declaration.channel }))
}

#[async_trait]
impl MessagingProvider for Messages {
    async fn send(&self, message: &Message) -> Outcome {
        let to = address(self.channel, message.draft.recipient.as_str());
        let mut form = vec![("To", to.as_str())];
        let sender = self.account.vendor.sender(message);
        let from = sender.map(|sender| address(self.channel, sender));
        match (sender, &from) {
            (Some(sender), _) if is_service(sender) => form.push(("MessagingServiceSid", sender)),
            (_, Some(from)) => form.push(("From", from)),
            // The vendor says better than we could what is missing.
            (_, None) => {}
        }
        let template = self.template(message);
        let variables = template.and_then(variables);
        match template {
            Some(template) => form.push(("ContentSid", &template.name)),
            None => form.push(("Body", &message.draft.body)),
        }
        form.extend(variables.as_deref().map(|variables| ("ContentVariables", variables)));
        let left = seconds_left(std::slice::from_ref(message), self.account.vendor.now());
        let left = left.min(LONGEST).to_string();
        form.push(("ValidityPeriod", &left));
        self.account.create("Messages.json", message, &form).await
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        self.account.look_up("Messages", message, event).await
    }

    async fn check(&self) -> Check {
        self.account.check().await
    }

    fn can_be_answered(&self) -> bool {
        true
    }

    fn session_window(&self) -> Option<TimeDelta> {
        (self.channel == Channel::WhatsApp).then_some(SESSION_WINDOW)
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let form = self.account.verified(callback)?;
        let sid = form.get("MessageSid").ok_or(CallbackRefused::Malformed)?;
        let now = self.account.vendor.now();
        let mut received = Received::default();
        if let Some(status) = form.get("MessageStatus") {
            let error = form.get("ErrorCode").and_then(|code| code.parse().ok());
            let report = |event| VendorReport { about: about(callback, sid), event };
            received.reports.extend(event(status, error, now).map(report));
        } else if form.text("Body").is_some() {
            received.inbound.extend(inbound(self.channel, &form, now));
        } else {
            return Err(CallbackRefused::Malformed);
        }
        Ok(answered(received))
    }
}

impl Messages {
    /// The template that stands for a message's text.
    fn template<'a>(&self, message: &'a Message) -> Option<&'a FilledTemplate> {
        message.draft.vendor_template.as_ref().filter(|_| self.channel == Channel::WhatsApp)
    }
}

/// The values of a template, if it has any: an object of `1`, `2`, … as JSON
/// (<https://www.twilio.com/docs/content/send-templates-created-with-the-content-template-builder>).
fn variables(template: &FilledTemplate) -> Option<String> {
    let values = template.values.iter().map(|value| Value::from(value.as_str()));
    let named: Map<_, _> = (1..).map(|number: usize| number.to_string()).zip(values).collect();
    (!named.is_empty()).then(|| Value::from(named).to_string())
}

/// A number as the vendor knows it on a channel.
fn address(channel: Channel, number: &str) -> String {
    let is_plain = channel != Channel::WhatsApp || number.starts_with(WHATSAPP_PREFIX);
    if is_plain { number.to_owned() } else { format!("{WHATSAPP_PREFIX}{number}") }
}

/// Whether a sender is a messaging service: `MG` and 32 hexadecimal digits. A name may begin so.
fn is_service(sender: &str) -> bool {
    sender.strip_prefix("MG").is_some_and(|digits| {
        digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// What a status says, if it says anything about the way to the recipient.
fn event(status: &str, error: Option<u32>, at: DateTime<Utc>) -> Option<DeliveryEvent> {
    match status {
        "accepted" | "scheduled" | "queued" | "sending" | "sent" => {
            Some(DeliveryEvent::Accepted { at })
        }
        "delivered" | "read" => Some(DeliveryEvent::Confirmed { at }),
        "undelivered" | "failed" | "canceled" => {
            Some(DeliveryEvent::Rejected { at, failure: codes::given_up(error) })
        }
        _ => None,
    }
}

/// What a recipient wrote, unless it came from where nothing can be sent to, such as a short code,
/// or on another channel that shares the messaging service.
fn inbound(channel: Channel, form: &Form, at: DateTime<Utc>) -> Option<Inbound> {
    let from = form.get("From")?;
    let number = match channel {
        Channel::WhatsApp => from.strip_prefix(WHATSAPP_PREFIX)?,
        _ => from,
    };
    let from = Address::parse(channel, Country::GH, number).ok()?;
    Some(Inbound { channel, from, text: form.text("Body")?.to_owned(), at })
}

#[cfg(test)]
mod tests;
