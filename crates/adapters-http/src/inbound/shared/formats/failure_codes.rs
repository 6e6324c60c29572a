//! The reasons for which messages fail, for whoever reads the document.

/// The meaning of each code, and the remedy.
pub(super) const ABOUT: &str = "\
Why a message failed, or is held up. The service tries again by itself until `expiresAt`; what is `FAILED` \
is over, and costs nothing (`refunded`).

Sending it again leads to the same, unless something else changes first:
- `INVALID_RECIPIENT`: the recipient does not exist, or cannot receive this kind of message.
- `RECIPIENT_OPTED_OUT`: the provider knows that the recipient wants no messages.
- `RECIPIENT_SUPPRESSED`: the recipient is on the organization's suppression list.
- `DEVICE_UNREGISTERED`: the application was removed from the device; its token is dead.
- `SESSION_WINDOW_CLOSED`: the recipient has not written within a day; send a template that the vendor keeps.
- `NO_ROUTE`: no provider serves this channel and country.
- `COUNTRY_NOT_ALLOWED`: the organization's settings allow no messages to this country.
- `BLOCKED_CONTENT`: the provider or the screening refuses the text; change it.
- `SENDER_NOT_ALLOWED`: the provider refuses the sender name.
- `MISSING_VARIABLE`: a placeholder has no value for this recipient.
- `TRAFFIC_STOPPED`: the organization's codes to these numbers are stopped, for too few of them arrive.
- `CANCELLED`: what it belongs to was cancelled before a provider had it.

It may be sent again later:
- `VELOCITY_LIMIT`: the organization wrote too much to these numbers, or to such countries, of late.
- `RECIPIENT_UNREACHABLE`: the provider cannot reach this recipient now, as when a mailbox is full.
- `PROVIDER_THROTTLED`, `PROVIDER_BUSY`: the provider takes no more for now, or is given no more.
- `PROVIDER_UNAVAILABLE`: the provider cannot be reached, or is out of order.
- `PROVIDER_AUTH`, `PROVIDER_BALANCE`: the operator's account at the provider is refused, or is empty.
- `PROVIDER_REJECTED`: the provider refused it for a reason of its own.
- `UNDELIVERED`: the provider took it and gave it up later.
- `EXPIRED`: its validity ended before a provider took it.

It may have arrived, so sending it again may be once too often:
- `UNKNOWN_OUTCOME`: the provider did not answer clearly, and said nothing since.
- `NO_REPORT`: the provider took it and never said what became of it; the message stays `SENT`, and is paid.";

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
