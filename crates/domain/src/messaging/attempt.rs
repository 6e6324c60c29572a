//! Attempts to hand a message to a provider.
//!
//! ```
//! use chrono::DateTime;
//! use domain::messaging::{
//!     attempt::Attempt,
//!     outcome::{FollowUp, Outcome},
//! };
//!
//! let now = DateTime::UNIX_EPOCH;
//! let taken = Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing };
//! assert!(Attempt::start("main", now).end(now, &taken).may_have_message());
//! ```

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::messaging::delivery::{Failure, FailureCode};
use crate::messaging::outcome::Outcome;
use crate::shared::time_text::StoredTime;

/// Attempt to hand a message to a provider. It is stored before its call begins, so that a crash
/// leaves a trace of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Name of the provider.
    pub provider: String,
    /// Time at which the call was about to begin, or was planned.
    pub started_at: DateTime<Utc>,
    /// Progress of the attempt.
    pub state: AttemptState,
    /// Number of attempts before this one that are no longer kept.
    pub omitted: u32,
}

/// Progress of an attempt.
///
/// An attempt read from the store is never `Planned`: the process that planned it may have begun it
/// without another write, and may have died since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptState {
    /// The process that accepted the message will call this provider, and has not yet.
    Planned,
    /// The call has begun, or may have.
    Running,
    /// The call is over.
    Ended(AttemptEnd),
}

/// End of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptEnd {
    /// Time of the end.
    pub at: DateTime<Utc>,
    /// Outcome of the attempt.
    pub outcome: AttemptOutcome,
    /// The provider's identifier of the message; `None` if it gave none.
    pub reference: Option<String>,
    /// Reason why it was not accepted.
    pub error_code: Option<FailureCode>,
    /// The provider's own code for that reason.
    pub vendor_code: Option<String>,
}

crate::closed_list! {
    /// Kinds of [`Outcome`].
    pub enum AttemptOutcome {
        /// [`Outcome::Accepted`].
        Accepted = "ACCEPTED",
        /// [`Outcome::Rejected`].
        Rejected = "REJECTED",
        /// [`Outcome::NotAccepted`].
        NotAccepted = "NOT_ACCEPTED",
        /// [`Outcome::Unknown`].
        Unknown = "UNKNOWN",
    }
    impl Serialize;
    impl Deserialize;
}

impl Attempt {
    /// Creates an attempt to call `provider` after the acceptance of the message.
    pub fn plan(provider: &str, at: DateTime<Utc>) -> Self {
        let provider = provider.to_owned();
        Self { provider, started_at: at, state: AttemptState::Planned, omitted: 0 }
    }

    /// Creates an attempt whose call to `provider` is about to begin.
    pub fn start(provider: &str, at: DateTime<Utc>) -> Self {
        Self { state: AttemptState::Running, ..Self::plan(provider, at) }
    }

    /// Returns this attempt as ended with `outcome`.
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
        let end = AttemptEnd {
            at,
            outcome: kind,
            reference,
            error_code: failure.map(|failure| failure.code),
            vendor_code: failure.and_then(|failure| failure.vendor_code.clone()),
        };
        Self { state: AttemptState::Ended(end), ..self }
    }

    /// Returns this attempt as abandoned: its process ended before the call did.
    #[must_use]
    pub fn abandon(self, at: DateTime<Utc>) -> Self {
        let failure = Failure::new(FailureCode::UnknownOutcome, "the process ended");
        self.end(at, &Outcome::Unknown(failure))
    }

    /// Returns its end; `None` if it has not ended.
    pub const fn ended(&self) -> Option<&AttemptEnd> {
        match &self.state {
            AttemptState::Ended(end) => Some(end),
            AttemptState::Planned | AttemptState::Running => None,
        }
    }

    /// Returns its outcome; `None` if it has not ended.
    pub fn outcome(&self) -> Option<AttemptOutcome> {
        self.ended().map(|end| end.outcome)
    }

    /// Returns the provider's identifier of the message; `None` if it gave none.
    pub fn reference(&self) -> Option<&str> {
        self.ended()?.reference.as_deref()
    }

    /// True if the provider has the message, or may have it.
    pub fn may_have_message(&self) -> bool {
        match &self.state {
            AttemptState::Planned => false,
            AttemptState::Running => true,
            AttemptState::Ended(end) => match end.outcome {
                AttemptOutcome::Accepted | AttemptOutcome::Unknown => true,
                AttemptOutcome::Rejected | AttemptOutcome::NotAccepted => false,
            },
        }
    }
}

/// Stored form of an attempt, with the texts of type `T` and the times of type `A`. A planned attempt is
/// stored as a running one.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredAttempt<T, A> {
    provider: T,
    started_at: A,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    ended_at: Option<A>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    outcome: Option<AttemptOutcome>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    reference: Option<T>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    error_code: Option<FailureCode>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    vendor_code: Option<T>,
    #[serde(default, skip_serializing_if = "is_zero")]
    omitted: u32,
}

const fn none<T>() -> Option<T> {
    None
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Serialize for Attempt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let end = self.ended();
        let stored = StoredAttempt {
            provider: self.provider.as_str(),
            started_at: StoredTime(self.started_at),
            ended_at: end.map(|end| StoredTime(end.at)),
            outcome: end.map(|end| end.outcome),
            reference: end.and_then(|end| end.reference.as_deref()),
            error_code: end.and_then(|end| end.error_code),
            vendor_code: end.and_then(|end| end.vendor_code.as_deref()),
            omitted: self.omitted,
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Attempt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StoredAttempt::<String, DateTime<Utc>>::deserialize(deserializer)?;
        let state = match (stored.ended_at, stored.outcome) {
            (None, None) => AttemptState::Running,
            (Some(at), Some(outcome)) => AttemptState::Ended(AttemptEnd {
                at,
                outcome,
                reference: stored.reference,
                error_code: stored.error_code,
                vendor_code: stored.vendor_code,
            }),
            _ => return Err(D::Error::custom("an attempt has an end or an outcome, but not both")),
        };
        Ok(Self {
            provider: stored.provider,
            started_at: stored.started_at,
            state,
            omitted: stored.omitted,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::messaging::outcome::FollowUp;

    const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn accepted() -> Outcome {
        Outcome::Accepted { reference: Some("ref-1".into()), follow_up: FollowUp::Report }
    }

    #[test]
    fn the_form_in_which_attempts_are_stored_stays_as_it_is() {
        let at = "1970-01-01T00:00:00Z";
        let failure = Failure::new(FailureCode::ProviderThrottled, "slow").with_vendor_code("429");
        let refused = Outcome::NotAccepted { failure, retry_after: None };
        for (attempt, stored) in [
            (Attempt::start("a", AT), json!({"provider": "a", "startedAt": at})),
            (
                Attempt::start("a", AT).end(AT, &accepted()),
                json!({
                    "provider": "a", "startedAt": at, "endedAt": at, "outcome": "ACCEPTED",
                    "reference": "ref-1",
                }),
            ),
            (
                Attempt { omitted: 3, ..Attempt::start("a", AT).end(AT, &refused) },
                json!({
                    "provider": "a", "startedAt": at, "endedAt": at, "outcome": "NOT_ACCEPTED",
                    "errorCode": "PROVIDER_THROTTLED", "vendorCode": "429", "omitted": 3,
                }),
            ),
        ] {
            assert_eq!(serde_json::to_value(&attempt).unwrap(), stored);
            assert_eq!(serde_json::from_value::<Attempt>(stored).unwrap(), attempt);
        }
    }

    #[test]
    fn a_planned_attempt_is_read_back_as_running() {
        let stored = serde_json::to_value(Attempt::plan("a", AT)).unwrap();

        let read = serde_json::from_value::<Attempt>(stored).unwrap();

        assert_eq!(read, Attempt::start("a", AT));
        assert!(read.may_have_message() && !Attempt::plan("a", AT).may_have_message());
    }

    #[test]
    fn an_attempt_that_contradicts_itself_is_refused() {
        for part in [json!({"endedAt": AT}), json!({"outcome": "ACCEPTED"})] {
            let mut stored = serde_json::to_value(Attempt::start("a", AT)).unwrap();
            stored.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
            assert!(serde_json::from_value::<Attempt>(stored).is_err(), "{part}");
        }
    }
}
