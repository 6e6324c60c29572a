//! Reasons for failures of messages, for readers of the document.

/// The meaning of each code, and the remedy.
pub(super) const ABOUT: &str = "\
The reason for the failure or delay of a message. The service retries by itself until `expiresAt`; a message \
that is `FAILED` is final, and costs nothing (`refunded`).

Sending it again has the same result, unless something else changes first:
- `INVALID_RECIPIENT`: the recipient does not exist, or cannot receive this kind of message.
- `RECIPIENT_OPTED_OUT`: the recipient opted out at the provider.
- `RECIPIENT_SUPPRESSED`: the recipient is on the organization's suppression list.
- `DEVICE_UNREGISTERED`: the application was removed from the device; its token is invalid.
- `SESSION_WINDOW_CLOSED`: the recipient has not written within a day; send a template that the vendor \
stores.
- `NO_ROUTE`: no provider serves this channel and country.
- `COUNTRY_NOT_ALLOWED`: the organization's settings allow no messages to this country.
- `BLOCKED_CONTENT`: the provider or the screening refuses the text; change it.
- `SENDER_NOT_ALLOWED`: the provider refuses the sender name.
- `MISSING_VARIABLE`: a placeholder has no value for this recipient.
- `TRAFFIC_STOPPED`: the organization's codes to these numbers are stopped, because too few of them \
arrive.
- `CANCELLED`: it, or its campaign, was cancelled before a provider had it.

It may be sent again later:
- `VELOCITY_LIMIT`: the organization recently sent too many messages to these numbers, or to such \
countries.
- `RECIPIENT_UNREACHABLE`: the provider cannot reach this recipient now, for example because a mailbox is \
full.
- `PROVIDER_THROTTLED`, `PROVIDER_BUSY`: the provider accepts no more for now, or is given no more.
- `PROVIDER_UNAVAILABLE`: the provider cannot be reached, or is out of order.
- `PROVIDER_AUTH`, `PROVIDER_BALANCE`: the operator's account at the provider is refused, or is empty.
- `PROVIDER_REJECTED`: the provider refused it for a reason of its own.
- `UNDELIVERED`: the provider accepted it and later failed to deliver it.
- `EXPIRED`: its validity ended before a provider accepted it.

It may have arrived, so a repetition may be a duplicate:
- `UNKNOWN_OUTCOME`: the provider did not answer clearly, and has not reported since.
- `NO_REPORT`: the provider accepted it and never reported an outcome; the message stays `SENT`, and is \
paid.";

#[cfg(test)]
mod tests {
    use domain::messaging::delivery::FailureCode;

    use super::*;

    #[test]
    fn every_reason_is_explained_once() {
        for code in FailureCode::ALL.map(FailureCode::as_str) {
            let named = ABOUT.matches(&format!("`{code}`")).count();
            assert_eq!(named, 1, "{code}");
        }
    }
}
