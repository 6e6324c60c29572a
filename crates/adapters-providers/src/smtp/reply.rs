//! What a mail server's refusal means, by how far the conversation had come.

use domain::{
    delivery::{Failure, FailureCode},
    provider::Outcome,
};
use lettre::transport::smtp::Error;

use crate::verdict::unknown;

/// How far a conversation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waiting for a connection to be free.
    Waiting,
    /// Connecting, greeting, encrypting.
    Connecting,
    /// Giving our credentials.
    Authenticating,
    /// Naming the sender.
    Sender,
    /// Naming the recipient.
    Recipient,
    /// Asking to hand over the text.
    Data,
    /// Handing over the text: from now on only the server knows.
    Text,
}

/// A refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reply {
    /// The code of RFC 5321, section 4.2.
    code: u16,
    /// The enhanced code of RFC 3463: class, subject, detail.
    enhanced: Option<(u8, u16, u16)>,
}

/// What it means that the conversation broke off with `error`.
pub(super) fn broken_off(phase: Phase, error: &Error) -> Outcome {
    let text = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    match (error.status(), phase) {
        (Some(code), _) => Reply::new(code.into(), &text).outcome(phase),
        (None, Phase::Text) => unknown("the mail server did not confirm the message"),
        (None, Phase::Authenticating) if error.is_client() => {
            let message = "the mail server offers no way to log in that we know";
            not_accepted(Failure::new(FailureCode::ProviderAuth, message))
        }
        (None, Phase::Connecting) if error.is_client() => {
            let message = "the mail server does not offer encryption";
            not_accepted(Failure::new(FailureCode::ProviderUnavailable, message))
        }
        (None, _) => {
            tracing::debug!(?phase, cause = text, "a conversation with a mail server broke off");
            let message = match phase {
                Phase::Connecting => "the mail server could not be connected to",
                _ => "the connection to the mail server broke",
            };
            not_accepted(Failure::new(FailureCode::ProviderUnavailable, message))
        }
    }
}

/// What it means that time ran out.
pub(super) fn timed_out(phase: Phase) -> Outcome {
    let (code, message) = match phase {
        Phase::Text => return unknown("the mail server did not confirm the message in time"),
        Phase::Waiting => (FailureCode::ProviderBusy, "all connections are busy"),
        _ => (FailureCode::ProviderUnavailable, "the mail server did not answer in time"),
    };
    not_accepted(Failure::new(code, message))
}

fn not_accepted(failure: Failure) -> Outcome {
    Outcome::NotAccepted { failure, retry_after: None }
}

impl Reply {
    fn new(code: u16, text: &str) -> Self {
        Self { code, enhanced: text.split_whitespace().next().and_then(enhanced) }
    }

    /// Never shows the server's own text, which quotes addresses.
    fn outcome(self, phase: Phase) -> Outcome {
        use FailureCode as Code;

        let failure =
            |code, message| Failure::new(code, message).with_vendor_code(self.vendor_code());
        let rejected = |code, message| Outcome::Rejected(failure(code, message));
        let not_accepted = |code, message| not_accepted(failure(code, message));

        if self.code < 500 {
            return if self.is_throttling() {
                not_accepted(Code::ProviderThrottled, "the mail server takes no more for now")
            } else {
                not_accepted(Code::ProviderUnavailable, "the mail server is out of order")
            };
        }
        match (phase, self.code, self.subject()) {
            (Phase::Authenticating, ..) | (_, 530 | 534 | 535 | 538, _) => {
                not_accepted(Code::ProviderAuth, "the mail server refused our credentials")
            }
            (Phase::Waiting | Phase::Connecting, ..) => {
                not_accepted(Code::ProviderUnavailable, "the mail server refused the connection")
            }
            (_, 500..=504, _) => {
                not_accepted(Code::ProviderRejected, "the mail server refused a command")
            }
            (_, 552, _) => rejected(Code::ProviderRejected, "there is no room for the message"),
            (Phase::Sender, ..) => {
                not_accepted(Code::SenderNotAllowed, "the mail server refused the sender")
            }
            // Mostly "relay access denied": another server may take it.
            (Phase::Recipient, _, Some(7)) => {
                not_accepted(Code::ProviderRejected, "the mail server does not serve the recipient")
            }
            (_, _, Some(1)) | (Phase::Recipient, 550 | 551 | 553, _) => {
                rejected(Code::InvalidRecipient, "the mail server refused the recipient")
            }
            (Phase::Data | Phase::Text, 550 | 554, _) | (_, _, Some(6 | 7)) => {
                rejected(Code::BlockedContent, "the mail server refused the text")
            }
            _ => rejected(Code::ProviderRejected, "the mail server refused the message"),
        }
    }

    fn subject(self) -> Option<u16> {
        self.enhanced.map(|(_, subject, _)| subject)
    }

    /// Policies that delay (4.7.x), and limits on messages, connections and recipients.
    fn is_throttling(self) -> bool {
        self.code == 452 || matches!(self.enhanced, Some((4, 7, _) | (4, 5, 3) | (4, 3, 2)))
    }

    /// `550 5.1.1`.
    fn vendor_code(self) -> String {
        match self.enhanced {
            Some((class, subject, detail)) => format!("{} {class}.{subject}.{detail}", self.code),
            None => self.code.to_string(),
        }
    }
}

fn enhanced(word: &str) -> Option<(u8, u16, u16)> {
    let mut numbers = word.split('.');
    let mut next = || numbers.next();
    let code = (next()?.parse().ok()?, next()?.parse().ok()?, next()?.parse().ok()?);
    (next().is_none() && matches!(code.0, 2 | 4 | 5)).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(outcome: Outcome) -> (char, FailureCode) {
        match outcome {
            Outcome::Rejected(failure) => ('R', failure.code),
            Outcome::NotAccepted { failure, .. } => ('N', failure.code),
            Outcome::Unknown(failure) => ('U', failure.code),
            Outcome::Accepted { .. } => panic!("accepted"),
        }
    }

    #[test]
    fn a_refusal_is_understood_by_phase_and_code() {
        use FailureCode as Code;
        for (phase, code, text, expected) in [
            (Phase::Recipient, 550, "5.1.1 <a@b.co>: unknown", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 550, "no such user", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 551, "", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 553, "", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 556, "5.1.10 null MX", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 554, "5.7.1 Relay access denied", ('N', Code::ProviderRejected)),
            (Phase::Recipient, 552, "5.2.2 full", ('R', Code::ProviderRejected)),
            (Phase::Recipient, 554, "", ('R', Code::ProviderRejected)),
            (Phase::Recipient, 450, "4.2.0 busy", ('N', Code::ProviderUnavailable)),
            (Phase::Recipient, 451, "4.7.1 greylisted", ('N', Code::ProviderThrottled)),
            (Phase::Recipient, 452, "", ('N', Code::ProviderThrottled)),
            (Phase::Connecting, 421, "4.3.0 bye", ('N', Code::ProviderUnavailable)),
            (Phase::Connecting, 554, "no service", ('N', Code::ProviderUnavailable)),
            (Phase::Authenticating, 535, "5.7.8 bad", ('N', Code::ProviderAuth)),
            (Phase::Authenticating, 454, "4.7.0 later", ('N', Code::ProviderThrottled)),
            (Phase::Sender, 530, "5.7.0 log in", ('N', Code::ProviderAuth)),
            (Phase::Sender, 550, "5.7.1 not yours", ('N', Code::SenderNotAllowed)),
            (Phase::Sender, 552, "5.3.4 too big", ('R', Code::ProviderRejected)),
            (Phase::Sender, 503, "5.5.1 order", ('N', Code::ProviderRejected)),
            (Phase::Text, 554, "5.7.1 spam", ('R', Code::BlockedContent)),
            (Phase::Text, 550, "blocked", ('R', Code::BlockedContent)),
            (Phase::Text, 550, "5.1.1 unknown", ('R', Code::InvalidRecipient)),
            (Phase::Text, 552, "too big", ('R', Code::ProviderRejected)),
            (Phase::Text, 571, "", ('R', Code::ProviderRejected)),
            (Phase::Text, 451, "4.3.0 later", ('N', Code::ProviderUnavailable)),
        ] {
            assert_eq!(
                kind(Reply::new(code, text).outcome(phase)),
                expected,
                "{phase:?} {code} {text}"
            );
        }
    }

    #[test]
    fn time_leaves_it_open_only_once_the_text_is_on_its_way() {
        use FailureCode as Code;
        assert_eq!(kind(timed_out(Phase::Text)), ('U', Code::UnknownOutcome));
        assert_eq!(kind(timed_out(Phase::Waiting)), ('N', Code::ProviderBusy));
        for phase in [Phase::Connecting, Phase::Authenticating, Phase::Recipient, Phase::Data] {
            assert_eq!(kind(timed_out(phase)), ('N', Code::ProviderUnavailable));
        }
    }

    #[test]
    fn a_failure_shows_codes_but_not_the_text_of_the_server() {
        let reply = Reply::new(550, "5.1.1 <ama@example.com>: unknown");
        let Outcome::Rejected(failure) = reply.outcome(Phase::Recipient) else { panic!() };

        assert_eq!(failure.vendor_code.as_deref(), Some("550 5.1.1"));
        assert!(!failure.message.contains("ama"));
        assert_eq!(Reply::new(550, "1.2.3.4 is listed").vendor_code(), "550");
    }
}
