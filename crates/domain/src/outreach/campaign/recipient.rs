//! Recipients of a campaign, and what became of them.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};

use crate::{
    messaging::{
        delivery::{FailureCode, Status},
        message::{CampaignId, ContactId, Message},
    },
    shared::id::Id,
};

/// Contact of a campaign's audience that has an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignRecipient {
    /// Contact; `None` once it is erased.
    pub contact: Option<ContactId>,
    /// Address to which the message goes; `None` if the contact has none.
    pub recipient: Option<String>,
    /// Outcome for the contact.
    pub outcome: RecipientOutcome,
    /// Reason for which it was not reached; `None` if it was sent a message.
    pub reason: Option<RecipientReason>,
    /// Its message; `None` if it has no address.
    pub message: Option<Id<Message>>,
}

crate::closed_list! {
    /// Outcome of a campaign for a contact of its audience.
    pub enum RecipientOutcome {
        /// A provider has accepted its message, which did not fail since.
        Sent = "SENT",
        /// Nothing was to be sent to it.
        Skipped = "SKIPPED",
        /// Its message failed.
        Failed = "FAILED",
    }
    impl FromStr else "is not known";
}

/// Reason for which a contact was not reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecipientReason {
    /// The contact has no address for the channel.
    NoAddress,
    /// The message failed.
    Failure(FailureCode),
}

/// Filter for the recipients of a campaign. All conditions must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecipientFilter {
    /// Outcome for them; `None` for any.
    pub outcome: Option<RecipientOutcome>,
    /// Reason for which they were not reached; `None` for any or none.
    pub reason: Option<RecipientReason>,
}

/// Messages of a campaign that a [`RecipientFilter`] selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectedMessages {
    /// All that have an outcome.
    Any,
    /// Those that a provider has accepted and that did not fail.
    Accepted,
    /// Those that failed for one of these reasons.
    FailedFor(Vec<FailureCode>),
}

/// Place in the list of a campaign's recipients. Those with a message come first, newest first, then
/// those without an address, newest contact first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecipientPlace {
    /// After a message.
    AfterMessage(Id<Message>),
    /// After a contact without an address.
    AfterContact(ContactId),
}

/// Campaign whose recipients are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecipientsOf {
    /// The campaign.
    pub campaign: CampaignId,
    /// Time from which on it may have messages.
    pub since: DateTime<Utc>,
}

/// The text is no outcome, reason or place of a recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not known")]
pub struct UnknownRecipientName;

impl RecipientOutcome {
    /// Returns the outcome of a message; `None` if it has none yet. `code` is the reason for which it
    /// failed, if it did.
    pub fn of(status: Status, code: Option<FailureCode>) -> Option<Self> {
        match status {
            Status::Queued | Status::Pending => None,
            Status::Sent | Status::Delivered => Some(Self::Sent),
            Status::Failed if code.is_some_and(FailureCode::is_skip) => Some(Self::Skipped),
            Status::Failed => Some(Self::Failed),
        }
    }
}

impl RecipientReason {
    /// The name of [`NoAddress`](Self::NoAddress).
    const NO_ADDRESS: &'static str = "NO_ADDRESS";

    /// Returns every reason.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::NoAddress];
        all.extend(FailureCode::ALL.map(Self::Failure));
        all
    }

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoAddress => Self::NO_ADDRESS,
            Self::Failure(code) => code.as_str(),
        }
    }
}

impl RecipientFilter {
    /// Returns the messages that it selects; `None` if it selects none.
    pub fn messages(self) -> Option<SelectedMessages> {
        let is_skip = match self.outcome {
            None => None,
            Some(RecipientOutcome::Sent) if self.reason.is_some() => return None,
            Some(RecipientOutcome::Sent) => return Some(SelectedMessages::Accepted),
            Some(RecipientOutcome::Skipped) => Some(true),
            Some(RecipientOutcome::Failed) => Some(false),
        };
        let mut codes = match (self.reason, is_skip) {
            (Some(RecipientReason::NoAddress), _) => return None,
            (Some(RecipientReason::Failure(code)), _) => vec![code],
            (None, None) => return Some(SelectedMessages::Any),
            (None, Some(_)) => FailureCode::ALL.to_vec(),
        };
        codes.retain(|code| is_skip.is_none_or(|wanted| code.is_skip() == wanted));
        if codes.is_empty() { None } else { Some(SelectedMessages::FailedFor(codes)) }
    }

    /// True if it selects contacts without an address.
    pub fn has_unaddressed(self) -> bool {
        self.outcome.is_none_or(|outcome| outcome == RecipientOutcome::Skipped)
            && self.reason.is_none_or(|reason| reason == RecipientReason::NoAddress)
    }
}

impl RecipientPlace {
    /// Beginnings of texts of places, before an identifier.
    const MESSAGE: &'static str = "m-";
    const CONTACT: &'static str = "c-";
}

impl fmt::Display for RecipientPlace {
    /// Writes the place as a text for addresses of parts of a list.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AfterMessage(id) => write!(f, "{}{id}", Self::MESSAGE),
            Self::AfterContact(id) => write!(f, "{}{id}", Self::CONTACT),
        }
    }
}

impl FromStr for RecipientPlace {
    type Err = UnknownRecipientName;

    fn from_str(text: &str) -> Result<Self, UnknownRecipientName> {
        let message = text.strip_prefix(Self::MESSAGE).and_then(|id| id.parse().ok());
        let contact = text.strip_prefix(Self::CONTACT).and_then(|id| id.parse().ok());
        match (message, contact) {
            (Some(message), _) => Ok(Self::AfterMessage(message)),
            (None, Some(contact)) => Ok(Self::AfterContact(contact)),
            (None, None) => Err(UnknownRecipientName),
        }
    }
}

impl FromStr for RecipientReason {
    type Err = UnknownRecipientName;

    fn from_str(text: &str) -> Result<Self, UnknownRecipientName> {
        if text == Self::NO_ADDRESS {
            return Ok(Self::NoAddress);
        }
        text.parse().map(Self::Failure).map_err(|_| UnknownRecipientName)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn filter(outcome: &str, reason: &str) -> RecipientFilter {
        RecipientFilter { outcome: outcome.parse().ok(), reason: reason.parse().ok() }
    }

    #[test]
    fn each_failure_is_either_skipped_or_failed() {
        let selected = |outcome| match filter(outcome, "").messages() {
            Some(SelectedMessages::FailedFor(codes)) => codes,
            other => panic!("{other:?}"),
        };
        let skipped = selected("SKIPPED");
        assert_eq!(skipped, [FailureCode::RecipientSuppressed, FailureCode::MissingVariable]);
        assert_eq!(skipped.len() + selected("FAILED").len(), FailureCode::ALL.len());
        for code in FailureCode::ALL {
            let outcome = RecipientOutcome::of(Status::Failed, Some(code));
            let expected = if skipped.contains(&code) { "SKIPPED" } else { "FAILED" };
            assert_eq!(outcome.map(RecipientOutcome::as_str), Some(expected), "{code:?}");
        }
    }

    #[test]
    fn a_message_without_an_outcome_has_no_recipient_in_the_list() {
        let outcome = |status| RecipientOutcome::of(status, Some(FailureCode::NoReport));
        assert_eq!((outcome(Status::Queued), outcome(Status::Pending)), (None, None));
        let accepted = [outcome(Status::Sent), outcome(Status::Delivered)];
        assert_eq!(accepted, [Some(RecipientOutcome::Sent); 2]);
    }

    #[test]
    fn a_filter_that_contradicts_itself_selects_nothing() {
        for (outcome, reason) in [
            ("SENT", "NO_ROUTE"),
            ("SENT", "NO_ADDRESS"),
            ("FAILED", "NO_ADDRESS"),
            ("FAILED", "RECIPIENT_SUPPRESSED"),
        ] {
            let filter = filter(outcome, reason);
            assert_eq!((filter.messages(), filter.has_unaddressed()), (None, false), "{filter:?}");
        }
    }

    #[test]
    fn contacts_without_an_address_are_skipped() {
        for (outcome, reason) in [("", ""), ("SKIPPED", ""), ("", "NO_ADDRESS")] {
            assert!(filter(outcome, reason).has_unaddressed(), "{outcome} {reason}");
        }
        assert!(!filter("", "NO_ROUTE").has_unaddressed());
        assert_eq!(filter("", "NO_ADDRESS").messages(), None);
        let failed = Some(SelectedMessages::FailedFor(vec![FailureCode::NoRoute]));
        assert_eq!(filter("", "NO_ROUTE").messages(), failed);
        assert_eq!(filter("", "").messages(), Some(SelectedMessages::Any));
    }

    #[test]
    fn the_text_of_a_place_leads_back_to_it() {
        let id = Uuid::from_u128(7);
        for place in
            [RecipientPlace::AfterMessage(Id::of(id)), RecipientPlace::AfterContact(Id::of(id))]
        {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for text in ["", "m-", "x-00000000-0000-0000-0000-000000000007", &id.to_string()] {
            assert!(text.parse::<RecipientPlace>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_reason_is_read_back() {
        for reason in RecipientReason::all() {
            assert_eq!(reason.as_str().parse(), Ok(reason));
        }
        assert_eq!("LATE".parse::<RecipientReason>(), Err(UnknownRecipientName));
    }
}
