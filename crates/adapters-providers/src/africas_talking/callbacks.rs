//! What Africa's Talking tells of SMS: reports, texts of recipients, and opt-outs, all to the same
//! address: <https://developers.africastalking.com/docs/sms/notifications>.

use chrono::{DateTime, Utc};
use domain::{
    callback::{About, CallbackRefused, Received},
    delivery::{DeliveryEvent, Failure, FailureCode as Code},
};

use crate::{
    callbacks::reported,
    form::Form,
    numbers::inbound,
    verdict::{
        Codes,
        Verdict::{NotAccepted, Rejected},
    },
    wire::time,
};

/// Reads a form, which tells by its fields what it is. `now` is when what has no time happened.
pub(super) fn received(form: &Form, now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    if let (Some(id), Some(status)) = (form.get("id"), form.get("status")) {
        let event = event(status, form.get("failureReason"), now);
        return Ok(reported(About::Vendors(id.to_owned()), event));
    }
    let inbound = if let (Some(from), Some(text)) = (form.get("from"), form.text("text")) {
        inbound(from, text, form.get("date").and_then(time).unwrap_or(now))
    } else if let (Some(_), Some(number)) = (form.get("senderId"), form.get("phoneNumber")) {
        // Who leaves a sender through the vendor's own menu means what others write.
        inbound(number, "STOP", now)
    } else {
        return Err(CallbackRefused::Malformed);
    };
    Ok(Received { inbound: inbound.into_iter().collect(), ..Received::default() })
}

/// What a status says, if it says anything about the way to the recipient.
fn event(status: &str, reason: Option<&str>, at: DateTime<Utc>) -> Option<DeliveryEvent> {
    match status {
        "Sent" | "Submitted" | "Buffered" => Some(DeliveryEvent::Accepted { at }),
        "Success" => Some(DeliveryEvent::Confirmed { at }),
        "Rejected" | "Failed" | "Expired" | "AbsentSubscriber" => {
            Some(DeliveryEvent::Rejected { at, failure: given_up(reason.unwrap_or(status)) })
        }
        _ => None,
    }
}

/// The values of `failureReason`, spelled as documented and as they should be.
#[rustfmt::skip]
const REASONS: Codes<&str> = Codes(&[
    ("InsufficientCredit", "no airtime for a premium message", Rejected(Code::Undelivered)),
    ("InvalidLinkId", "not the link of a request", Rejected(Code::Undelivered)),
    ("UserIsInactive", "the number is not in use", Rejected(Code::InvalidRecipient)),
    ("UserInBlackList", "left this sender", Rejected(Code::RecipientOptedOut)),
    ("UserInBlacklist", "left this sender", Rejected(Code::RecipientOptedOut)),
    ("UserAccountSuspended", "the network suspended the number", Rejected(Code::Undelivered)),
    ("NotNetworkSubcriber", "not a number of that network", Rejected(Code::InvalidRecipient)),
    ("NotNetworkSubscriber", "not a number of that network", Rejected(Code::InvalidRecipient)),
    ("UserNotSubscribedToProduct", "not subscribed", Rejected(Code::Undelivered)),
    ("UserDoesNotExist", "no such number", Rejected(Code::InvalidRecipient)),
    ("DeliveryFailure", "any other reason", Rejected(Code::Undelivered)),
    ("DoNotDisturbRejection", "promotion at night", NotAccepted(Code::SenderNotAllowed)),
]);

/// Why a message was not delivered: by its `failureReason`, or by its status if it has none.
fn given_up(reason: &str) -> Failure {
    let verdict = REASONS.get(reason).unwrap_or(Rejected(Code::Undelivered));
    verdict.of_taken(reason)
}

#[cfg(test)]
mod tests;
