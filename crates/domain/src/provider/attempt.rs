//! One handing over of a message to one provider.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::outcome::Outcome;
use crate::delivery::{Failure, FailureCode};

/// One handing over of a message to one provider. It is kept before it begins, so that a crash
/// leaves a trace of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// The provider's name.
    pub provider: String,
    /// When the call was about to begin.
    pub started_at: DateTime<Utc>,
    /// When it had an end; `None` while it has not, or if nobody lived to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<DateTime<Utc>>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<AttemptOutcome>,
    /// The provider's identifier of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Why it was not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<FailureCode>,
    /// The provider's own code for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor_code: Option<String>,
    /// How many attempts before this one are no longer kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The kinds of [`Outcome`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AttemptOutcome {
    /// [`Outcome::Accepted`].
    Accepted,
    /// [`Outcome::Rejected`].
    Rejected,
    /// [`Outcome::NotAccepted`].
    NotAccepted,
    /// [`Outcome::Unknown`].
    Unknown,
}

impl AttemptOutcome {
    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "ACCEPTED",
            Self::Rejected => "REJECTED",
            Self::NotAccepted => "NOT_ACCEPTED",
            Self::Unknown => "UNKNOWN",
        }
    }
}

impl Attempt {
    /// A call to `provider` that is about to begin.
    pub fn start(provider: &str, at: DateTime<Utc>) -> Self {
        Self {
            provider: provider.to_owned(),
            started_at: at,
            ended_at: None,
            outcome: None,
            reference: None,
            error_code: None,
            vendor_code: None,
            omitted: 0,
        }
    }

    /// Whether it has not ended, as far as anybody knows.
    pub const fn is_open(&self) -> bool {
        self.ended_at.is_none()
    }

    /// Whether the provider has, or may have, the message.
    pub const fn may_have_it(&self) -> bool {
        matches!(self.outcome, None | Some(AttemptOutcome::Accepted | AttemptOutcome::Unknown))
    }

    /// This call once it came to `outcome`.
    #[must_use]
    pub fn end(self, at: DateTime<Utc>, outcome: &Outcome) -> Self {
        let (kind, reference, failure) = match outcome {
            Outcome::Accepted { reference, .. } => {
                (AttemptOutcome::Accepted, reference.clone(), None)
            }
            Outcome::Rejected(failure) => (AttemptOutcome::Rejected, None, Some(failure)),
            Outcome::NotAccepted { failure, .. } => {
                (AttemptOutcome::NotAccepted, None, Some(failure))
            }
            Outcome::Unknown(failure) => (AttemptOutcome::Unknown, None, Some(failure)),
        };
        Self {
            ended_at: Some(at),
            outcome: Some(kind),
            reference,
            error_code: failure.map(|failure| failure.code),
            vendor_code: failure.and_then(|failure| failure.vendor_code.clone()),
            ..self
        }
    }

    /// This call, of which nobody lived to see the end.
    #[must_use]
    pub fn abandon(self, at: DateTime<Utc>) -> Self {
        let failure = Failure::new(FailureCode::UnknownOutcome, "the process ended");
        self.end(at, &Outcome::Unknown(failure))
    }
}
