//! Sentences for people about states and failures of messages: event, remedy and payment.

use crate::messaging::delivery::{FailureCode, Status};

/// Explanation of a state or a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explanation {
    /// Part of a sentence that says what happened, to be put behind a colon.
    pub event: &'static str,
    /// Sentence that says what the sender can do about it.
    pub remedy: &'static str,
    /// Payment for a message to which it happened.
    pub payment: Payment,
}

/// Payment for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payment {
    /// Paid, and paid back if the message fails.
    Open,
    /// Paid for good.
    Paid,
    /// Paid back, or never paid.
    Refunded,
}

impl Payment {
    /// Returns the sentence about the payment.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Open => "It is paid back if it fails.",
            Self::Paid => "You paid for it.",
            Self::Refunded => "You were not charged.",
        }
    }
}

impl Status {
    /// Returns the explanation of the state.
    pub const fn explanation(self) -> Explanation {
        match self {
            Self::Queued => Explanation {
                event: "it waits to be handed to a provider",
                remedy: "There is nothing to do: it goes by itself.",
                payment: Payment::Open,
            },
            Self::Pending => Explanation {
                event: "it is being handed to a provider",
                remedy: "There is nothing to do: the service asks the provider by itself.",
                payment: Payment::Open,
            },
            Self::Sent => Explanation {
                event: "a provider took it, and has not confirmed that it arrived",
                remedy: "There is nothing to do: the service waits for the report.",
                payment: Payment::Open,
            },
            Self::Delivered => Explanation {
                event: "the provider confirmed that it arrived",
                remedy: "There is nothing to do.",
                payment: Payment::Paid,
            },
            Self::Failed => Explanation {
                event: "it did not arrive, and is not tried any more",
                remedy: "The reason says if it can be sent again.",
                payment: Payment::Refunded,
            },
        }
    }
}

impl FailureCode {
    /// Returns the explanation of the failure.
    pub const fn explanation(self) -> Explanation {
        let payment = match self {
            Self::NoReport => Payment::Paid,
            _ => Payment::Refunded,
        };
        Explanation { event: self.event(), remedy: self.remedy(), payment }
    }

    const fn event(self) -> &'static str {
        match self {
            Self::InvalidRecipient => "the recipient does not exist, or takes no such messages",
            Self::RecipientOptedOut => "the recipient asked the provider for no more messages",
            Self::RecipientSuppressed => "the recipient is on your suppression list",
            Self::NoRoute => "no provider serves this channel and country",
            Self::BlockedContent => "the text was refused by the provider or by the screening",
            Self::SenderNotAllowed => "the provider refused the sender",
            Self::DeviceUnregistered => "the app was removed from the device",
            Self::SessionWindowClosed => "the recipient has not written to you for a day",
            Self::RecipientUnreachable => "the recipient was out of reach, as with a full mailbox",
            Self::ProviderThrottled => "the provider took no more messages at the time",
            Self::ProviderBusy => "the provider had as many messages as it may have at a time",
            Self::ProviderAuth => "the provider refused the operator's account",
            Self::ProviderBalance => "the operator's account at the provider was empty",
            Self::ProviderUnavailable => "the provider was out of order",
            Self::ProviderRejected => "the provider refused it for a reason of its own",
            Self::UnknownOutcome => "the provider did not answer clearly if it took the message",
            Self::Undelivered => "the phone or mailbox was out of reach until the provider gave up",
            Self::NoReport => "the provider took it, and never reported if it arrived",
            Self::Expired => "no provider took it before it was too old to be of use",
            Self::MissingVariable => "a placeholder has no value for this recipient",
            Self::Cancelled => "it was cancelled before a provider had it",
            Self::CountryNotAllowed => "your settings allow no messages to this country",
            Self::VelocityLimit => "too many messages went to such numbers within a short time",
            Self::TrafficStopped => "codes to these numbers are stopped: too few of them arrive",
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Self::InvalidRecipient => "Correct the address, or remove it from your contacts.",
            Self::RecipientOptedOut => "Do not write to this recipient any more.",
            Self::RecipientSuppressed => "Remove the entry only if the recipient agrees.",
            Self::NoRoute => "Use another channel, or ask the operator for a provider.",
            Self::BlockedContent => "Change the text before you send it again.",
            Self::SenderNotAllowed => "Use a sender that is approved for this country.",
            Self::DeviceUnregistered => "Remove the token of the device from the contact.",
            Self::SessionWindowClosed => "Send a template that the vendor stores.",
            Self::RecipientUnreachable
            | Self::ProviderThrottled
            | Self::ProviderBusy
            | Self::ProviderUnavailable
            | Self::Undelivered
            | Self::VelocityLimit => "Send it again later.",
            Self::ProviderAuth | Self::ProviderBalance => {
                "The operator has to correct it. Send it again later."
            }
            Self::ProviderRejected => "Send it again later, or ask the operator.",
            Self::UnknownOutcome | Self::NoReport => {
                "It may have arrived: sent again, it may come twice."
            }
            Self::Expired => "Send it again if it is still of use.",
            Self::MissingVariable => "Complete the contact, or change the text.",
            Self::Cancelled => "Send another message if it is needed after all.",
            Self::CountryNotAllowed => "Allow the country in the settings of the organization.",
            Self::TrafficStopped => "Look at the traffic alerts of the organization.",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_state_and_failure_has_its_own_part_of_a_sentence_and_a_whole_remedy() {
        let states = Status::ALL.map(Status::explanation);
        let failures = FailureCode::ALL.map(FailureCode::explanation);
        let all: Vec<_> = states.into_iter().chain(failures).collect();

        let events: BTreeSet<_> = all.iter().map(|it| it.event).collect();
        assert_eq!(events.len(), all.len());
        for Explanation { event, remedy, .. } in all {
            assert!(event.starts_with(char::is_lowercase), "{event}");
            assert!(!event.ends_with('.') && remedy.ends_with('.'), "{event} / {remedy}");
        }
    }
}
