//! The delivery state machine. `docs/delivery.md` draws it.
//!
//! ```
//! use domain::messaging::delivery::{Delivery, DeliveryEvent, Status};
//!
//! let pending = Delivery::NEW.after(DeliveryEvent::Dispatched).unwrap();
//! assert_eq!(pending.status(), Status::Pending);
//! ```

mod failure;
mod sanitized;

use chrono::{DateTime, Utc};
use thiserror::Error;

pub use self::failure::{Failure, FailureCode};

/// Delivery state of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// Accepted and waiting.
    Queued {
        /// Failure of the last round or, before the first round, the reason why the message can
        /// never be sent.
        last_failure: Option<Failure>,
    },
    /// Handed to a provider that has not answered for certain.
    Pending {
        /// Failure that made the answer uncertain.
        doubt: Option<Failure>,
    },
    /// Taken by the provider.
    Sent {
        /// Time at which the provider took it.
        at: DateTime<Utc>,
    },
    /// Taken by the provider, whose report is no longer waited for. It may still come. Shown as
    /// [`Status::Sent`].
    Unreported {
        /// Time at which the provider took it.
        at: DateTime<Utc>,
        /// Failure that says that no report came.
        failure: Failure,
    },
    /// Confirmed to have reached the recipient.
    Delivered {
        /// Time at which the provider took it, if it said so before it confirmed.
        sent_at: Option<DateTime<Utc>>,
        /// Time of the confirmation.
        at: DateTime<Utc>,
    },
    /// Failed for good, and refunded.
    Failed {
        /// Time at which a provider took it; `None` if none did.
        sent_at: Option<DateTime<Utc>>,
        /// Time of the failure.
        at: DateTime<Utc>,
        /// Reason for the failure.
        failure: Failure,
    },
}

crate::closed_list! {
    /// Name of a state in the API and in the database.
    #[derive(PartialOrd, Ord)]
    pub enum Status {
        /// [`Delivery::Queued`].
        Queued = "QUEUED",
        /// [`Delivery::Pending`].
        Pending = "PENDING",
        /// [`Delivery::Sent`] and [`Delivery::Unreported`].
        Sent = "SENT",
        /// [`Delivery::Delivered`].
        Delivered = "DELIVERED",
        /// [`Delivery::Failed`].
        Failed = "FAILED",
    }
    impl Display;
    impl FromStr else "must be one of QUEUED, SENT, DELIVERED, FAILED, PENDING";
}

/// Event in the delivery of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryEvent {
    /// A worker hands it to a provider.
    Dispatched,
    /// The provider took it.
    Accepted {
        /// Time of acceptance.
        at: DateTime<Utc>,
    },
    /// The provider may or may not have taken it.
    Doubted {
        /// Failure that occurred instead of an answer.
        failure: Failure,
    },
    /// No provider took it; it will be tried again.
    Deferred {
        /// Reason why the last provider did not.
        failure: Failure,
    },
    /// The provider confirmed that it arrived.
    Confirmed {
        /// Time of the confirmation.
        at: DateTime<Utc>,
    },
    /// The provider that took it did not report its outcome in time.
    Unreported {
        /// Failure that says that no report came.
        failure: Failure,
    },
    /// It will never arrive.
    Rejected {
        /// Time at which that became known.
        at: DateTime<Utc>,
        /// Reason for the failure.
        failure: Failure,
    },
}

/// The event does not apply to the state, because it is late or repeated. It changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a message that is {state} cannot be {event}")]
pub struct InvalidTransition {
    state: Status,
    event: &'static str,
}

impl Delivery {
    /// State of a message that was just accepted.
    pub const NEW: Self = Self::Queued { last_failure: None };

    /// Returns the state after `event`. This is the only place where the delivery state changes.
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

    /// Returns the state after a provider reported `event`. The message may not be recorded as
    /// dispatched yet, because the record is written after the reply.
    pub fn after_report(&self, event: DeliveryEvent) -> Result<Self, InvalidTransition> {
        match self {
            Self::Queued { .. } => self.after(DeliveryEvent::Dispatched)?.after(event),
            _ => self.after(event),
        }
    }

    /// Returns the name of this state.
    pub const fn status(&self) -> Status {
        match self {
            Self::Queued { .. } => Status::Queued,
            Self::Pending { .. } => Status::Pending,
            Self::Sent { .. } | Self::Unreported { .. } => Status::Sent,
            Self::Delivered { .. } => Status::Delivered,
            Self::Failed { .. } => Status::Failed,
        }
    }

    /// Returns the reason for the failure or the delay.
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Queued { last_failure: failure } | Self::Pending { doubt: failure } => {
                failure.as_ref()
            }
            Self::Failed { failure, .. } | Self::Unreported { failure, .. } => Some(failure),
            Self::Sent { .. } | Self::Delivered { .. } => None,
        }
    }

    /// Time at which a provider took it.
    pub const fn sent_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Sent { at } | Self::Unreported { at, .. } => Some(*at),
            Self::Delivered { sent_at, .. } | Self::Failed { sent_at, .. } => *sent_at,
            Self::Queued { .. } | Self::Pending { .. } => None,
        }
    }

    /// Time at which its arrival was confirmed.
    pub const fn delivered_at(&self) -> Option<DateTime<Utc>> {
        if let Self::Delivered { at, .. } = self { Some(*at) } else { None }
    }

    /// Time of the failure.
    pub const fn failed_at(&self) -> Option<DateTime<Utc>> {
        if let Self::Failed { at, .. } = self { Some(*at) } else { None }
    }
}

impl DeliveryEvent {
    /// Returns the name for people, as in "the message was …".
    pub const fn name(&self) -> &'static str {
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
    /// True if the state no longer changes.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Delivered | Self::Failed)
    }
}

#[cfg(test)]
mod tests;
