//! The delivery state machine. `docs/delivery.md` draws it.

mod failure;

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use thiserror::Error;

pub use self::failure::{Failure, FailureCode, UnknownFailureCode};

/// How far a message has come on its way to the recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// Accepted and waiting. `last_failure` is what went wrong in the last round, or, before the first,
    /// why the message can never be sent.
    Queued {
        /// Why it is not further.
        last_failure: Option<Failure>,
    },
    /// With a provider that has not answered for certain.
    Pending {
        /// What made the answer uncertain.
        doubt: Option<Failure>,
    },
    /// Taken by the provider at that time.
    Sent {
        /// When.
        at: DateTime<Utc>,
    },
    /// Taken by the provider at that time, which said nothing more for so long that nobody waits for
    /// it any longer. It may still report. Known as [`Status::Sent`].
    Unreported {
        /// When it was taken.
        at: DateTime<Utc>,
        /// That no report came.
        failure: Failure,
    },
    /// Confirmed to have reached the recipient.
    Delivered {
        /// When the provider took it, if it said so before it confirmed.
        sent_at: Option<DateTime<Utc>>,
        /// When it was confirmed.
        at: DateTime<Utc>,
    },
    /// Given up on, and refunded.
    Failed {
        /// When the provider took it, if it ever did.
        sent_at: Option<DateTime<Utc>>,
        /// When it failed.
        at: DateTime<Utc>,
        /// Why.
        failure: Failure,
    },
}

/// The name of a state, as the API and the database know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// [`Delivery::Queued`].
    Queued,
    /// [`Delivery::Pending`].
    Pending,
    /// [`Delivery::Sent`] and [`Delivery::Unreported`].
    Sent,
    /// [`Delivery::Delivered`].
    Delivered,
    /// [`Delivery::Failed`].
    Failed,
}

/// Something that happened to a message in transit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryEvent {
    /// It is being handed to a provider.
    Dispatched,
    /// The provider took it.
    Accepted {
        /// When.
        at: DateTime<Utc>,
    },
    /// Nobody can say whether the provider took it.
    Doubted {
        /// What happened instead of an answer.
        failure: Failure,
    },
    /// No provider took it; it will be tried again.
    Deferred {
        /// Why the last one did not.
        failure: Failure,
    },
    /// The provider confirmed that it arrived.
    Confirmed {
        /// When.
        at: DateTime<Utc>,
    },
    /// The provider that took it did not say in time what became of it.
    Unreported {
        /// That it did not.
        failure: Failure,
    },
    /// It will never arrive.
    Rejected {
        /// When that became known.
        at: DateTime<Utc>,
        /// Why.
        failure: Failure,
    },
}

/// The event changes nothing, because it makes no sense in the state: it is late or repeated.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a message that is {state} cannot be {event}")]
pub struct InvalidTransition {
    state: Status,
    event: &'static str,
}

impl Delivery {
    /// A message that was just accepted.
    pub const NEW: Self = Self::Queued { last_failure: None };

    /// The state after `event`. This is the only place where delivery moves.
    pub fn after(&self, event: DeliveryEvent) -> Result<Self, InvalidTransition> {
        use Delivery::{Delivered, Failed, Pending, Queued, Sent, Unreported};
        use DeliveryEvent as On;

        match (self, event) {
            (Queued { .. }, On::Dispatched) => Ok(Pending { doubt: None }),
            (Queued { .. }, On::Rejected { at, failure }) => {
                Ok(Failed { sent_at: None, at, failure })
            }

            (Pending { .. }, On::Dispatched) => Ok(Pending { doubt: None }),
            (Pending { .. }, On::Accepted { at }) => Ok(Sent { at }),
            (Pending { .. }, On::Doubted { failure }) => Ok(Pending { doubt: Some(failure) }),
            (Pending { .. }, On::Deferred { failure }) => {
                Ok(Queued { last_failure: Some(failure) })
            }
            // The report overtook the reply.
            (Pending { .. }, On::Confirmed { at }) => Ok(Delivered { sent_at: None, at }),
            (Pending { .. }, On::Rejected { at, failure }) => {
                Ok(Failed { sent_at: None, at, failure })
            }

            (Sent { at }, On::Unreported { failure }) => Ok(Unreported { at: *at, failure }),
            (Sent { at: sent_at } | Unreported { at: sent_at, .. }, On::Confirmed { at }) => {
                Ok(Delivered { sent_at: Some(*sent_at), at })
            }
            (
                Sent { at: sent_at } | Unreported { at: sent_at, .. },
                On::Rejected { at, failure },
            ) => Ok(Failed { sent_at: Some(*sent_at), at, failure }),

            (state, event) => Err(InvalidTransition { state: state.status(), event: event.name() }),
        }
    }

    /// The state after a provider reported `event`. It may report on a message of which our own
    /// record does not say yet that it was dispatched, because the record is written after the
    /// reply.
    pub fn after_report(&self, event: DeliveryEvent) -> Result<Self, InvalidTransition> {
        match self {
            Self::Queued { .. } => self.after(DeliveryEvent::Dispatched)?.after(event),
            _ => self.after(event),
        }
    }

    /// The name of this state.
    pub const fn status(&self) -> Status {
        match self {
            Self::Queued { .. } => Status::Queued,
            Self::Pending { .. } => Status::Pending,
            Self::Sent { .. } | Self::Unreported { .. } => Status::Sent,
            Self::Delivered { .. } => Status::Delivered,
            Self::Failed { .. } => Status::Failed,
        }
    }

    /// Why it failed, or what holds it up.
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Queued { last_failure: failure } | Self::Pending { doubt: failure } => {
                failure.as_ref()
            }
            Self::Failed { failure, .. } | Self::Unreported { failure, .. } => Some(failure),
            Self::Sent { .. } | Self::Delivered { .. } => None,
        }
    }

    /// When a provider took it.
    pub const fn sent_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Sent { at } | Self::Unreported { at, .. } => Some(*at),
            Self::Delivered { sent_at, .. } | Self::Failed { sent_at, .. } => *sent_at,
            Self::Queued { .. } | Self::Pending { .. } => None,
        }
    }

    /// When it was confirmed to have arrived.
    pub const fn delivered_at(&self) -> Option<DateTime<Utc>> {
        if let Self::Delivered { at, .. } = self { Some(*at) } else { None }
    }

    /// When it failed.
    pub const fn failed_at(&self) -> Option<DateTime<Utc>> {
        if let Self::Failed { at, .. } = self { Some(*at) } else { None }
    }
}

impl DeliveryEvent {
    const fn name(&self) -> &'static str {
        match self {
            Self::Dispatched => "dispatched",
            Self::Accepted { .. } => "accepted",
            Self::Doubted { .. } => "doubted",
            Self::Deferred { .. } => "deferred",
            Self::Confirmed { .. } => "confirmed",
            Self::Unreported { .. } => "left without a report",
            Self::Rejected { .. } => "rejected",
        }
    }
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] =
        [Self::Queued, Self::Pending, Self::Sent, Self::Delivered, Self::Failed];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "QUEUED",
            Self::Pending => "PENDING",
            Self::Sent => "SENT",
            Self::Delivered => "DELIVERED",
            Self::Failed => "FAILED",
        }
    }

    /// Whether nothing more can happen.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Delivered | Self::Failed)
    }
}

/// There is no such status.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("must be one of QUEUED, SENT, DELIVERED, FAILED, PENDING")]
pub struct UnknownStatus;

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, UnknownStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownStatus)
    }
}

#[cfg(test)]
mod tests;
