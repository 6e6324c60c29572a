//! Twilio's calls, which read a text out. Whoever answers has got it, a voicemail as well.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    callback::{Callback, CallbackRefused, Received, VendorReport},
    channel::Channel,
    delivery::{DeliveryEvent, Failure, FailureCode},
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;

use super::{Account, SMS, about, answered};
use crate::{
    declaration::{Declaration, DeclarationError, Deps},
    kind::Vendor,
    speech,
};

pub(crate) const VOICE: Vendor =
    Vendor { name: "twilio-voice", channels: &[Channel::Voice], build, ..SMS };

/// The longest `Twiml`, in characters.
const MAX_TWIML: usize = 4_000;

struct Calls {
    account: Account,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    Ok(Arc::new(Calls { account: Account::of(declaration, deps)? }))
}

#[async_trait]
impl MessagingProvider for Calls {
    async fn send(&self, message: &Message) -> Outcome {
        let twiml = speech::say(&message.draft.body);
        if twiml.chars().count() > MAX_TWIML {
            let problem = "the text is too long to be read out by the provider";
            let failure = Failure::new(FailureCode::ProviderRejected, problem);
            return Outcome::NotAccepted { failure, retry_after: None };
        }
        let mut form = vec![("To", message.draft.recipient.as_str())];
        form.extend(self.account.vendor.sender(message).map(|sender| ("From", sender)));
        form.push(("Twiml", &twiml));
        self.account.create("Calls.json", message, &form).await
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        self.account.look_up("Calls", message, |status, _, at| event(status, at)).await
    }

    async fn check(&self) -> Check {
        self.account.check().await
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let form = self.account.verified(callback)?;
        let (Some(sid), Some(status)) = (form.get("CallSid"), form.get("CallStatus")) else {
            return Err(CallbackRefused::Malformed);
        };
        let at = self.account.time(form.get("Timestamp"));
        let report = |event| VendorReport { about: about(callback, sid), event };
        let reports = event(status, at).map(report).into_iter().collect();
        Ok(answered(Received { reports, ..Received::default() }))
    }
}

/// What a status says, if it says anything about the way to the recipient.
fn event(status: &str, at: DateTime<Utc>) -> Option<DeliveryEvent> {
    let failed = |message| {
        let failure = Failure::new(FailureCode::Undelivered, message).with_vendor_code(status);
        Some(DeliveryEvent::Rejected { at, failure })
    };
    match status {
        "queued" | "initiated" | "ringing" | "in-progress" => Some(DeliveryEvent::Accepted { at }),
        "completed" => Some(DeliveryEvent::Confirmed { at }),
        "busy" => failed("the recipient was busy"),
        "no-answer" => failed("the recipient did not answer"),
        "failed" | "canceled" => failed("the call could not be made"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
