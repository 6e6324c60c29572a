//! Twilio's calls, which read a text out. An answered call counts as delivered, even by voicemail.

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackRefused, Received},
        delivery::{DeliveryEvent, Failure, FailureCode},
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};

use super::{Twilio, USUAL_URL, about, check_result, codes, lookup_result, time, with_answer};
use crate::{
    callbacks::{Fields, one_report},
    http_vendor::{
        Access, Account, Answer, BaseUrl, Batch, Callbacks, Declaration, DeclarationError,
        HttpVendor, Lookup, Request, Vendor,
    },
    twiml,
};

pub(in crate::vendors) const VOICE: Vendor = Vendor {
    name: "twilio-voice",
    channels: &[Channel::Voice],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["account_sid", "auth_token"],
    callbacks: Callbacks::Signed,
    ..Vendor::DEFAULTS
};

/// Maximum length of `Twiml`, in characters.
const MAX_TWIML: usize = 4_000;

pub(in crate::vendors) struct Calls(Twilio);

impl HttpVendor for Calls {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let (twilio, access) = Twilio::read(declaration)?;
        Ok((Self(twilio), access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let message = batch.first();
        let twiml = twiml::say(&message.draft.body);
        if twiml.chars().count() > MAX_TWIML {
            let problem = "the text is too long to be read out by the provider";
            let failure = Failure::new(FailureCode::ProviderRejected, problem);
            return Err(Outcome::NotAccepted { failure, retry_after: None });
        }
        let mut form = vec![("To", message.draft.recipient.as_str())];
        form.extend(account.sender(message).map(|sender| ("From", sender)));
        form.push(("Twiml", &twiml));
        Ok(self.0.create_request(account, "Calls.json", message, &form))
    }

    fn send_result(&self, answer: &Answer, _: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        Ok(vec![codes::outcome(answer)])
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        self.0.lookup_request(account, "Calls", lookup)
    }

    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        lookup_result(answer, lookup, |status, _, at| event(status, at))
    }

    fn check_request(&self, account: &Account) -> Request {
        self.0.check_request(account)
    }

    fn check_result(&self, answer: &Answer) -> Check {
        check_result(answer)
    }

    fn verify(&self, _: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        self.0.verify(callback)
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        let fields = Fields::of_form(callback);
        let sid = fields.required(&["CallSid"])?;
        let status = fields.required(&["CallStatus"])?;
        let event = event(status, time(fields.get("Timestamp"), now));
        Ok(with_answer(one_report(about(callback, sid), event)))
    }
}

/// Returns the event of a status; `None` if it says nothing about the delivery.
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
