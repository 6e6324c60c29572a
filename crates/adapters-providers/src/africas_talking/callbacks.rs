//! What Africa's Talking tells of SMS: reports, texts of recipients, and opt-outs, all to the same
//! address: <https://developers.africastalking.com/docs/sms/notifications>.

use chrono::{DateTime, NaiveDateTime, Utc};
use domain::{
    address::Address,
    callback::{About, CallbackRefused, Inbound, Received, VendorReport},
    channel::Channel,
    country::Country,
    delivery::{DeliveryEvent, Failure, FailureCode},
};

use crate::form::Form;

/// Reads a form, which tells by its fields what it is. `now` is when what has no time happened.
pub(super) fn received(form: &Form, now: DateTime<Utc>) -> Result<Received, CallbackRefused> {
    let mut received = Received::default();
    if let (Some(id), Some(status)) = (form.get("id"), form.get("status")) {
        let event = event(status, form.get("failureReason"), now);
        let report = |event| VendorReport { about: About::Vendors(id.to_owned()), event };
        received.reports.extend(event.map(report));
    } else if let (Some(from), Some(text)) = (form.get("from"), form.text("text")) {
        let at = form.get("date").and_then(time).unwrap_or(now);
        received.inbound.extend(inbound(from, text, at));
    } else if let (Some(_), Some(number)) = (form.get("senderId"), form.get("phoneNumber")) {
        // Who leaves a sender through the vendor's own menu means what others write.
        received.inbound.extend(inbound(number, "STOP", now));
    } else {
        return Err(CallbackRefused::Malformed);
    }
    Ok(received)
}

/// What a status says, if it says anything about the way to the recipient.
fn event(status: &str, reason: Option<&str>, at: DateTime<Utc>) -> Option<DeliveryEvent> {
    match status {
        "Sent" | "Submitted" | "Buffered" => Some(DeliveryEvent::Accepted { at }),
        "Success" => Some(DeliveryEvent::Confirmed { at }),
        "Rejected" | "Failed" | "Expired" | "AbsentSubscriber" => {
            let failure = failure(reason.unwrap_or(status));
            Some(DeliveryEvent::Rejected { at, failure })
        }
        _ => None,
    }
}

/// Why a message was not delivered: by its `failureReason`, or by its status if it has none.
fn failure(reason: &str) -> Failure {
    let (code, message) = match reason {
        "UserInBlackList" | "UserInBlacklist" | "DoNotDisturbRejection" => {
            (FailureCode::RecipientOptedOut, "the recipient does not want such messages")
        }
        "UserDoesNotExist" | "UserIsInactive" | "NotNetworkSubscriber" => {
            (FailureCode::InvalidRecipient, "the number cannot receive SMS")
        }
        "AbsentSubscriber" | "Expired" => {
            (FailureCode::Undelivered, "the handset could not be reached")
        }
        _ => (FailureCode::Undelivered, "the provider could not deliver the message"),
    };
    Failure::new(code, message).with_vendor_code(reason)
}

/// What a recipient wrote, unless it came from where nothing can be sent to, such as a name.
fn inbound(from: &str, text: &str, at: DateTime<Utc>) -> Option<Inbound> {
    let from = Address::parse(Channel::Sms, Country::GH, from).ok()?;
    Some(Inbound { channel: Channel::Sms, from, text: text.to_owned(), at })
}

/// A time in UTC, in either of the forms that the vendor has used.
fn time(text: &str) -> Option<DateTime<Utc>> {
    let plain = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").map(|it| it.and_utc());
    plain.or_else(|_| DateTime::parse_from_rfc3339(text).map(|it| it.to_utc())).ok()
}

#[cfg(test)]
mod tests;
