//! Meaning of vendors' codes, and the tables of codes that the vendors' modules use.

use chrono::TimeDelta;
use domain::messaging::{
    delivery::{Failure, FailureCode},
    outcome::{FollowUp, Outcome},
};

/// Meaning of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Rejected by every provider.
    Rejected(FailureCode),
    /// Not accepted by this vendor; another provider may accept it.
    NotAccepted(FailureCode),
    /// Possibly accepted.
    Unknown,
}

impl Verdict {
    /// Returns the outcome of a call with this verdict. `retry_after` is the time that the vendor
    /// asks to wait.
    pub(crate) fn outcome(self, vendor_code: &str, retry_after: Option<TimeDelta>) -> Outcome {
        match self {
            Self::Rejected(code) => Outcome::Rejected(failure(code, vendor_code)),
            Self::NotAccepted(code) => {
                Outcome::NotAccepted { failure: failure(code, vendor_code), retry_after }
            }
            Self::Unknown => Outcome::Unknown(failure(FailureCode::UnknownOutcome, vendor_code)),
        }
    }

    /// Returns the failure of a message that the vendor had accepted.
    pub(crate) fn failure_after_acceptance(self, vendor_code: &str) -> Failure {
        match self {
            Self::Rejected(code) | Self::NotAccepted(code) => failure(code, vendor_code),
            Self::Unknown => failure(FailureCode::Undelivered, vendor_code),
        }
    }
}

/// Codes of a vendor, each with the vendor's name for it or a short description, and its meaning.
pub(crate) struct CodeTable<C: 'static>(pub(crate) &'static [(C, &'static str, Verdict)]);

impl<C> CodeTable<C> {
    /// Returns the meaning of a code; `None` if it is not in the table.
    pub(crate) fn get<K: Copy>(&self, code: K) -> Option<Verdict>
    where
        C: PartialEq<K>,
    {
        self.0.iter().find(|(known, ..)| *known == code).map(|(.., verdict)| *verdict)
    }
}

/// Phrases in a vendor's texts, in lower case, and their meanings. The first match counts.
pub(crate) struct PhraseTable(pub(crate) &'static [(&'static str, Verdict)]);

impl PhraseTable {
    /// Returns the meaning of a text; `None` if it contains no phrase of the table.
    pub(crate) fn find(&self, prose: &str) -> Option<Verdict> {
        let prose = prose.to_lowercase();
        self.0.iter().find(|(phrase, _)| prose.contains(phrase)).map(|(_, verdict)| *verdict)
    }
}

/// Returns the outcome of an accepted message that a report may follow.
pub(crate) fn accepted(reference: Option<String>) -> Outcome {
    Outcome::Accepted { reference, follow_up: FollowUp::Report }
}

/// Returns the outcome of a message accepted by a vendor whose reports contain only its own
/// `reference`: without one, no report can be matched.
pub(crate) fn accepted_by_reference(reference: Option<String>) -> Outcome {
    let follow_up = if reference.is_some() { FollowUp::Report } else { FollowUp::Nothing };
    Outcome::Accepted { reference, follow_up }
}

/// Returns the outcome of a message that may have been accepted.
pub(crate) fn unknown(message: &str) -> Outcome {
    Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, message))
}

/// Returns a failure with the description shown to people.
pub(crate) fn failure(code: FailureCode, vendor_code: &str) -> Failure {
    use FailureCode as Code;

    let message = match code {
        Code::InvalidRecipient => "the recipient does not exist or cannot receive such messages",
        Code::RecipientOptedOut => "the recipient does not want such messages",
        Code::BlockedContent => "the provider refuses the text",
        Code::SenderNotAllowed => "the provider does not let this sender send",
        Code::DeviceUnregistered => "the application was removed from the device",
        Code::SessionWindowClosed => "the recipient has not written within the last 24 hours",
        Code::RecipientUnreachable => "the provider cannot reach this recipient now",
        Code::ProviderThrottled => "the provider takes no more for now",
        Code::ProviderBusy => "the provider is used as much as it may be",
        Code::ProviderAuth => "the provider refused our credentials",
        Code::ProviderBalance => "the account at the provider is not paid",
        Code::ProviderUnavailable => "the provider is out of order",
        Code::UnknownOutcome => "the provider's answer does not say what became of the message",
        Code::Undelivered => "the provider could not deliver the message",
        _ => "the provider refused the message",
    };
    Failure::new(code, message).with_vendor_code(vendor_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERDICT: Verdict = Verdict::Rejected(FailureCode::InvalidRecipient);
    const NUMBERS: CodeTable<u32> = CodeTable(&[(7, "no such number", VERDICT)]);
    const NAMES: CodeTable<&str> = CodeTable(&[("E7", "no such number", VERDICT)]);
    const PHRASES: PhraseTable = PhraseTable(&[("such number", VERDICT)]);

    #[test]
    fn a_code_is_looked_up_whole_and_a_phrase_within_a_text() {
        assert_eq!((NUMBERS.get(7), NUMBERS.get(77)), (Some(VERDICT), None));
        let code = "E7".to_owned();
        assert_eq!((NAMES.get(code.as_str()), NAMES.get("E")), (Some(VERDICT), None));
        assert_eq!(PHRASES.find("No Such Number: 1"), Some(VERDICT));
        assert_eq!(PHRASES.find("no number"), None);
    }
}
