//! Meaning of a mail server's refusal, by the phase of the conversation.

use domain::messaging::{
    delivery::{Failure, FailureCode as Code},
    outcome::Outcome,
};
use lettre::transport::smtp::Error;

use crate::verdict::{
    Verdict::{self, NotAccepted, Rejected},
    unknown,
};

/// Phase of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waiting for a free connection.
    Waiting,
    /// Connecting, greeting, encrypting.
    Connecting,
    /// Authenticating with the credentials.
    Authenticating,
    /// Naming the sender.
    Sender,
    /// Naming the recipient.
    Recipient,
    /// Requesting to send the text.
    Data,
    /// Sending the text: from now on, acceptance is uncertain.
    Text,
}

/// Reason why a conversation was aborted.
pub(super) enum Broken {
    /// Refusal by the server, or failure of the connection.
    Smtp(Error),
    /// Replies that do not match the commands.
    OutOfStep,
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Self::Smtp(error)
    }
}

/// Reply that refuses a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reply {
    /// Code of RFC 5321, section 4.2.
    code: u16,
    /// Enhanced code of RFC 3463: class, subject, detail.
    enhanced: Option<(u8, u16, u16)>,
}

impl Broken {
    /// Returns the outcome of a conversation that was aborted in a phase.
    pub(super) fn outcome(&self, phase: Phase) -> Outcome {
        match self {
            Self::Smtp(error) => broken_off(phase, error),
            // The text was not sent.
            Self::OutOfStep => {
                let message = "the mail server's replies are not those to our commands";
                not_accepted(Failure::new(Code::ProviderUnavailable, message))
            }
        }
    }

    /// True if the server refused, and the connection is still usable.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Smtp(error) if error.status().is_some())
    }
}

fn broken_off(phase: Phase, error: &Error) -> Outcome {
    let text = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    match (error.status(), phase) {
        (Some(code), _) => Reply::new(code.into(), &text).outcome(phase),
        (None, Phase::Text) => unknown("the mail server did not confirm the message"),
        (None, Phase::Authenticating) if error.is_client() => {
            let message = "the mail server offers no way to log in that we know";
            not_accepted(Failure::new(Code::ProviderAuth, message))
        }
        (None, Phase::Connecting) if error.is_client() => {
            let message = "the mail server does not offer encryption";
            not_accepted(Failure::new(Code::ProviderUnavailable, message))
        }
        (None, _) => {
            tracing::debug!(?phase, cause = text, "a connection to a mail server failed");
            let message = match phase {
                Phase::Connecting => "the mail server could not be connected to",
                _ => "the connection to the mail server broke",
            };
            not_accepted(Failure::new(Code::ProviderUnavailable, message))
        }
    }
}

/// Returns the outcome of a time-out.
pub(super) fn timed_out(phase: Phase) -> Outcome {
    let (code, message) = match phase {
        Phase::Text => return unknown("the mail server did not confirm the message in time"),
        Phase::Waiting => (Code::ProviderBusy, "all connections are busy"),
        _ => (Code::ProviderUnavailable, "the mail server did not answer in time"),
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

    /// Returns the outcome of a refusal. It never contains the server's own text, which quotes
    /// addresses.
    fn outcome(self, phase: Phase) -> Outcome {
        let (verdict, message) =
            if self.code < 500 { self.for_now(phase) } else { self.for_good(phase) };
        let failure = |code| Failure::new(code, message).with_vendor_code(self.vendor_code());
        match verdict {
            Verdict::Rejected(code) => Outcome::Rejected(failure(code)),
            Verdict::NotAccepted(code) => not_accepted(failure(code)),
            Verdict::Unknown => Outcome::Unknown(failure(Code::UnknownOutcome)),
        }
    }

    /// Returns the meaning of a temporary refusal.
    fn for_now(self, phase: Phase) -> (Verdict, &'static str) {
        if self.is_for_recipient(phase) {
            (
                NotAccepted(Code::RecipientUnreachable),
                "the mail server does not reach the recipient",
            )
        } else if self.is_of_sender() {
            (NotAccepted(Code::SenderNotAllowed), "the mail server refused the sender")
        } else if self.is_throttling() {
            (NotAccepted(Code::ProviderThrottled), "the mail server takes no more for now")
        } else {
            (NotAccepted(Code::ProviderUnavailable), "the mail server is out of order")
        }
    }

    /// Returns the meaning of a permanent refusal. The enhanced code is more precise than the basic
    /// one.
    fn for_good(self, phase: Phase) -> (Verdict, &'static str) {
        match (phase, self.code, self.subject()) {
            // Mostly "relay access denied": another server may accept it.
            (Phase::Recipient, 530 | 534 | 535 | 538, _) | (Phase::Recipient, _, Some(7)) => (
                NotAccepted(Code::ProviderRejected),
                "the mail server does not serve the recipient",
            ),
            (Phase::Authenticating, ..) | (_, 530 | 534 | 535 | 538, _) => {
                (NotAccepted(Code::ProviderAuth), "the mail server refused our credentials")
            }
            (Phase::Waiting | Phase::Connecting, ..) => {
                (NotAccepted(Code::ProviderUnavailable), "the mail server refused the connection")
            }
            _ if self.is_of_sender() => {
                (NotAccepted(Code::SenderNotAllowed), "the mail server refused the sender")
            }
            (Phase::Recipient | Phase::Data | Phase::Text, _, Some(1)) => {
                (Rejected(Code::InvalidRecipient), "the mail server refused the recipient")
            }
            (_, 500..=504, _) => {
                (NotAccepted(Code::ProviderRejected), "the mail server refused a command")
            }
            (_, 552, _) => (Rejected(Code::ProviderRejected), "there is no room for the message"),
            (Phase::Sender, ..) => {
                (NotAccepted(Code::SenderNotAllowed), "the mail server refused the sender")
            }
            (Phase::Recipient, 550 | 551 | 553, _) => {
                (Rejected(Code::InvalidRecipient), "the mail server refused the recipient")
            }
            (Phase::Data | Phase::Text, 550 | 554, _) | (_, _, Some(6 | 7)) => {
                (Rejected(Code::BlockedContent), "the mail server refused the text")
            }
            _ => (Rejected(Code::ProviderRejected), "the mail server refused the message"),
        }
    }

    /// True if a delay concerns this recipient: the mailbox, the domain, or its list of known
    /// senders. A delay that concerns the server itself (421, x.3.x) or the number of recipients
    /// (x.5.3) does not.
    fn is_for_recipient(self, phase: Phase) -> bool {
        match (phase, self.enhanced) {
            _ if self.code == 421 || self.is_of_sender() => false,
            (Phase::Recipient, Some((_, 3, _) | (_, 5, 3))) => false,
            (Phase::Recipient, _) => true,
            (Phase::Data | Phase::Text, Some((_, 1 | 2, _) | (_, 7, 1))) => true,
            _ => false,
        }
    }

    /// True if the sender's address is refused. Some servers say so only at the recipient's
    /// address.
    fn is_of_sender(self) -> bool {
        matches!(self.enhanced, Some((_, 1, 7 | 8)))
    }

    fn subject(self) -> Option<u16> {
        self.enhanced.map(|(_, subject, _)| subject)
    }

    /// True for policies that delay (4.7.x), and limits on messages, connections and recipients.
    fn is_throttling(self) -> bool {
        self.code == 452 || matches!(self.enhanced, Some((4, 7, _) | (4, 5, 3) | (4, 3, 2)))
    }

    /// Returns the codes, such as `550 5.1.1`.
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

    fn kind(outcome: Outcome) -> (char, Code) {
        match outcome {
            Outcome::Rejected(failure) => ('R', failure.code),
            Outcome::NotAccepted { failure, .. } => ('N', failure.code),
            Outcome::Unknown(failure) => ('U', failure.code),
            Outcome::Accepted { .. } => panic!("accepted"),
        }
    }

    #[test]
    fn a_refusal_is_understood_by_phase_and_code() {
        for (phase, code, text, expected) in [
            (Phase::Recipient, 550, "5.1.1 <a@b.co>: unknown", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 550, "no such user", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 551, "", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 553, "", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 556, "5.1.10 null MX", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 554, "5.7.1 Relay access denied", ('N', Code::ProviderRejected)),
            (Phase::Recipient, 552, "5.2.2 full", ('R', Code::ProviderRejected)),
            (Phase::Recipient, 554, "", ('R', Code::ProviderRejected)),
            (Phase::Recipient, 501, "5.1.3 Bad recipient syntax", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 553, "5.1.3 Bad recipient syntax", ('R', Code::InvalidRecipient)),
            (Phase::Recipient, 554, "5.1.8 unknown", ('N', Code::SenderNotAllowed)),
            (Phase::Recipient, 530, "5.7.0 log in", ('N', Code::ProviderRejected)),
            (Phase::Recipient, 501, "", ('N', Code::ProviderRejected)),
            (Phase::Recipient, 450, "4.1.2 no such domain", ('N', Code::RecipientUnreachable)),
            (Phase::Recipient, 450, "4.2.0 busy", ('N', Code::RecipientUnreachable)),
            (Phase::Recipient, 450, "", ('N', Code::RecipientUnreachable)),
            (Phase::Recipient, 451, "4.7.1 greylisted", ('N', Code::RecipientUnreachable)),
            (Phase::Recipient, 452, "4.2.2 full", ('N', Code::RecipientUnreachable)),
            (Phase::Recipient, 450, "4.1.8 no such domain", ('N', Code::SenderNotAllowed)),
            (Phase::Recipient, 452, "4.5.3 too many", ('N', Code::ProviderThrottled)),
            (Phase::Recipient, 452, "4.3.1 no room", ('N', Code::ProviderThrottled)),
            (Phase::Recipient, 451, "4.3.0 later", ('N', Code::ProviderUnavailable)),
            (Phase::Recipient, 421, "4.2.1 bye", ('N', Code::ProviderUnavailable)),
            (Phase::Connecting, 421, "4.3.0 bye", ('N', Code::ProviderUnavailable)),
            (Phase::Connecting, 554, "no service", ('N', Code::ProviderUnavailable)),
            (Phase::Authenticating, 535, "5.7.8 bad", ('N', Code::ProviderAuth)),
            (Phase::Authenticating, 454, "4.7.0 later", ('N', Code::ProviderThrottled)),
            (Phase::Sender, 530, "5.7.0 log in", ('N', Code::ProviderAuth)),
            (Phase::Sender, 550, "5.7.1 not yours", ('N', Code::SenderNotAllowed)),
            (Phase::Sender, 552, "5.3.4 too big", ('R', Code::ProviderRejected)),
            (Phase::Sender, 501, "5.1.7 syntax", ('N', Code::SenderNotAllowed)),
            (Phase::Sender, 503, "5.5.1 order", ('N', Code::ProviderRejected)),
            (Phase::Text, 554, "5.7.1 spam", ('R', Code::BlockedContent)),
            (Phase::Text, 550, "blocked", ('R', Code::BlockedContent)),
            (Phase::Text, 550, "5.1.1 unknown", ('R', Code::InvalidRecipient)),
            (Phase::Text, 552, "too big", ('R', Code::ProviderRejected)),
            (Phase::Text, 571, "", ('R', Code::ProviderRejected)),
            (Phase::Text, 451, "4.7.1 greylisted", ('N', Code::RecipientUnreachable)),
            (Phase::Text, 452, "4.2.2 full", ('N', Code::RecipientUnreachable)),
            (Phase::Text, 450, "4.7.0 too many", ('N', Code::ProviderThrottled)),
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
    fn a_timeout_is_an_unknown_outcome_only_during_the_text() {
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
