//! Failures of messages: each reason, in the words of a provider or of the service.

use domain::{
    messaging::delivery::{Failure, FailureCode},
    shared::{category::Category, channel::Channel},
};

use super::chance::Chance;

/// Reasons that are met every day.
const COMMON: [FailureCode; 4] = [
    FailureCode::InvalidRecipient,
    FailureCode::Undelivered,
    FailureCode::RecipientUnreachable,
    FailureCode::Expired,
];

/// Sequence of failures that has every reason, most of them rarely.
#[derive(Debug, Default)]
pub(super) struct Failures {
    /// Place of the rare reason that comes next.
    next: usize,
}

impl Failures {
    /// Returns the reason for which the next message fails.
    pub(super) fn next(
        &mut self,
        channel: Channel,
        category: Category,
        chance: &mut Chance,
    ) -> FailureCode {
        let code = FailureCode::ALL[self.next % FailureCode::ALL.len()];
        if is_left_out(code) {
            self.next += 1;
        } else if chance.is_in(300) && fits(code, channel, category) {
            self.next += 1;
            return code;
        }
        *chance.one_of(&COMMON)
    }
}

/// True for reasons that only campaigns have, or that a message has that is not given up.
const fn is_left_out(code: FailureCode) -> bool {
    matches!(code, FailureCode::MissingVariable | FailureCode::NoReport)
}

fn fits(code: FailureCode, channel: Channel, category: Category) -> bool {
    match code {
        FailureCode::DeviceUnregistered => channel == Channel::Push,
        FailureCode::SessionWindowClosed => channel == Channel::WhatsApp,
        FailureCode::TrafficStopped => category == Category::Otp,
        FailureCode::RecipientSuppressed | FailureCode::SenderNotAllowed => channel == Channel::Sms,
        _ => true,
    }
}

/// Returns a failure with its reason for people, and the provider's code if a provider gave one.
pub(super) fn failure(code: FailureCode) -> Failure {
    use FailureCode as C;

    let (message, vendor_code) = match code {
        C::InvalidRecipient => ("the number does not exist", Some("1106")),
        C::RecipientOptedOut => ("the recipient has opted out at the provider", Some("1111")),
        C::RecipientSuppressed => ("the recipient is on the suppression list", None),
        C::NoRoute => ("no provider serves this country", None),
        C::BlockedContent => ("the provider blocks the text", Some("1240")),
        C::SenderNotAllowed => ("the sender is not registered at the network", Some("1231")),
        C::DeviceUnregistered => ("the application is no longer on the device", Some("410")),
        C::SessionWindowClosed => ("the recipient has not written for a day", Some("131047")),
        C::RecipientUnreachable => ("the phone cannot be reached", Some("1107")),
        C::ProviderThrottled => ("the provider takes no more for now", Some("429")),
        C::ProviderBusy => ("the limits of the provider are used up", None),
        C::ProviderAuth => ("the provider does not accept our credentials", Some("401")),
        C::ProviderBalance => ("our account at the provider is empty", Some("1010")),
        C::ProviderUnavailable => ("the provider is out of order", Some("503")),
        C::ProviderRejected => ("the provider refused the message", Some("1299")),
        C::UnknownOutcome => ("the provider did not answer in time", None),
        C::Undelivered => ("the network gave the message up", Some("1150")),
        C::NoReport => ("the provider has not reported the outcome", None),
        C::Expired => ("it was not handed over in time: the provider is out of order", None),
        C::MissingVariable => ("a placeholder has no value", None),
        C::Cancelled => ("its sender cancelled it", None),
        C::CountryNotAllowed => ("the organization does not send to this country", None),
        C::VelocityLimit => ("too many messages went to these numbers within an hour", None),
        C::TrafficStopped => ("codes to these numbers are stopped: too few arrive", None),
    };
    let failure = Failure::new(code, message);
    match vendor_code {
        Some(vendor_code) => failure.with_vendor_code(vendor_code),
        None => failure,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_thousand_failures_have_every_reason_of_single_messages() {
        let (mut failures, mut chance) = (Failures::default(), Chance::seeded(1));
        let mut met = BTreeSet::new();
        for number in 0..1_000 {
            let channel = Channel::ALL[number % Channel::ALL.len()];
            let category = if number % 3 == 0 { Category::Otp } else { Category::Alert };
            met.insert(failures.next(channel, category, &mut chance).as_str());
        }

        let expected = FailureCode::ALL.into_iter().filter(|code| !is_left_out(*code));
        let expected: BTreeSet<_> = expected.map(FailureCode::as_str).collect();
        assert_eq!(met, expected);
    }
}
