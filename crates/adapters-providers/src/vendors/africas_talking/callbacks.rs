//! Africa's Talking's callbacks on SMS: reports, inbound messages and opt-outs, all at the same
//! address: <https://developers.africastalking.com/docs/sms/notifications>.

use chrono::{DateTime, Utc};
use domain::messaging::{
    callback::{CallbackRefused, MessageRef, Received},
    delivery::{DeliveryEvent, Failure, FailureCode as Code},
};

use crate::{
    callbacks::{Fields, one_inbound, one_report},
    loose_json::time,
    phone_numbers::inbound_sms,
    verdict::{
        CodeTable,
        Verdict::{NotAccepted, Rejected},
    },
};

/// Reads a form, whose fields determine its kind. `now` is the time of events without one.
pub(super) fn read(fields: &Fields, now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    if let (Some(id), Some(status)) = (fields.get("id"), fields.get("status")) {
        let event = event(status, fields.get("failureReason"), now);
        return Ok(one_report(MessageRef::Vendors(id.to_owned()), event));
    }
    if let (Some(from), Some(text)) = (fields.get("from"), fields.text("text")) {
        let at = fields.get("date").and_then(time).unwrap_or(now);
        return Ok(one_inbound(inbound_sms(from, text, at)));
    }
    if let (Some(_), Some(number)) = (fields.get("senderId"), fields.get("phoneNumber")) {
        // The recipient opted out of a sender through the vendor's own menu, which means STOP.
        return Ok(one_inbound(inbound_sms(number, "STOP", now)));
    }
    Err(CallbackRefused::Malformed)
}

/// Returns the event of a status; `None` if it says nothing about the delivery.
fn event(status: &str, reason: Option<&str>, at: DateTime<Utc>) -> Option<DeliveryEvent> {
    match status {
        "Sent" | "Submitted" | "Buffered" => Some(DeliveryEvent::Accepted { at }),
        "Success" => Some(DeliveryEvent::Confirmed { at }),
        "Rejected" | "Failed" | "Expired" | "AbsentSubscriber" => {
            Some(DeliveryEvent::Rejected { at, failure: failure(reason.unwrap_or(status)) })
        }
        _ => None,
    }
}

/// Values of `failureReason`, in the documented and in the correct spelling.
#[rustfmt::skip]
const REASONS: CodeTable<&str> = CodeTable(&[
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

/// Returns the reason for a failed delivery: the `failureReason`, or the status if there is none.
fn failure(reason: &str) -> Failure {
    let verdict = REASONS.get(reason).unwrap_or(Rejected(Code::Undelivered));
    verdict.failure_after_acceptance(reason)
}

#[cfg(test)]
mod tests;
