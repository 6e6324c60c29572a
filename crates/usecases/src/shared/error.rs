//! Errors of operations.

use std::{borrow::Cow, error::Error as StdError};

use chrono::TimeDelta;
use domain::{
    identity::caller::Denied,
    money::{funds::SpendingLimitReached, wallet::InsufficientBalance},
    shared::fault::Faults,
};
use ports::shared::store::StoreError;
use thiserror::Error;

/// Class of a refusal or failure, by what the caller can do about it. The HTTP adapter maps each class
/// to one status, in one place. Areas have no variants of their own; they define [`Reason`]s.
#[derive(Debug, Error)]
pub enum Error {
    /// Fields of the request are faulty.
    #[error("the request is invalid: {0}")]
    Invalid(Faults),
    /// The request lacks something required, or makes no sense.
    #[error("{0}")]
    BadRequest(Reason),
    /// The caller is not authenticated.
    #[error("{0}")]
    Unauthenticated(Reason),
    /// The wallet cannot pay for the messages.
    #[error(transparent)]
    InsufficientBalance(InsufficientBalance),
    /// The organization would exceed its daily spending limit.
    #[error(transparent)]
    SpendingLimitReached(SpendingLimitReached),
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(Reason),
    /// The resource does not exist, or not for this caller.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// The request names something that does not exist.
    #[error("{0}")]
    UnknownReference(Reason),
    /// The current state does not allow the operation.
    #[error("{0}")]
    Conflict(Reason),
    /// The same operation is in progress; the caller may retry in a moment.
    #[error("{0}")]
    InProgress(Reason),
    /// The request contradicts an earlier one.
    #[error("{0}")]
    Contradiction(Reason),
    /// The request is too large.
    #[error("{0}")]
    TooLarge(Reason),
    /// The caller exceeded a rate limit, and may retry after that time.
    #[error("too many requests; try again in {} s", seconds(*.0))]
    RateLimited(TimeDelta),
    /// A required external service does not answer; the caller may retry after that time.
    #[error("a service that this needs cannot be used for now")]
    Away(TimeDelta),
    /// The service is overloaded; the caller may retry in a moment.
    #[error("the service is overloaded")]
    Overloaded,
    /// A required component is not configured, or does not answer.
    #[error("{0}")]
    Unavailable(Reason),
    /// The service has a defect.
    #[error(transparent)]
    Internal(Box<dyn StdError + Send + Sync>),
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reason of a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Reason {
    /// Stable name that programs can match on.
    pub code: &'static str,
    /// Sentence for people.
    pub message: Cow<'static, str>,
    /// Details of the refusal by camelCase name.
    pub details: Vec<(&'static str, String)>,
    /// Lists of things that it is about, by camelCase name.
    pub named: Vec<(&'static str, Vec<NamedThing>)>,
    /// Field of the request that is missing, if that is all that is wrong.
    pub missing_field: Option<&'static str>,
}

/// Thing that a refusal is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedThing {
    /// Identifier of the thing.
    pub id: String,
    /// Name for people.
    pub name: String,
}

impl Reason {
    /// Creates a reason with a fixed message.
    pub const fn new(code: &'static str, message: &'static str) -> Self {
        Self::borrowed(code, message, None)
    }

    /// Creates a reason for a request without a field.
    pub const fn missing_field(
        field: &'static str,
        code: &'static str,
        message: &'static str,
    ) -> Self {
        Self::borrowed(code, message, Some(field))
    }

    /// Creates a reason with a computed message.
    pub fn with_message(code: &'static str, message: impl Into<String>) -> Self {
        let message = Cow::Owned(message.into());
        Self { code, message, details: Vec::new(), named: Vec::new(), missing_field: None }
    }

    /// Adds a detail.
    #[must_use]
    pub fn about(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.details.push((name, value.into()));
        self
    }

    /// Adds a list of things that it is about.
    #[must_use]
    pub fn naming(mut self, name: &'static str, things: Vec<NamedThing>) -> Self {
        self.named.push((name, things));
        self
    }

    const fn borrowed(
        code: &'static str,
        message: &'static str,
        missing_field: Option<&'static str>,
    ) -> Self {
        let message = Cow::Borrowed(message);
        Self { code, message, details: Vec::new(), named: Vec::new(), missing_field }
    }
}

impl Error {
    /// Stable name that programs can match on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "VALIDATION_ERROR",
            Self::BadRequest(reason)
            | Self::Unauthenticated(reason)
            | Self::Forbidden(reason)
            | Self::UnknownReference(reason)
            | Self::Conflict(reason)
            | Self::InProgress(reason)
            | Self::Contradiction(reason)
            | Self::TooLarge(reason)
            | Self::Unavailable(reason) => reason.code,
            Self::InsufficientBalance(_) => "INSUFFICIENT_BALANCE",
            Self::SpendingLimitReached(_) => "SPENDING_LIMIT_REACHED",
            Self::NotFound(_) => "NOT_FOUND",
            Self::RateLimited(_) => "RATE_LIMITED",
            Self::Away(_) | Self::Overloaded | Self::Store(StoreError::Unavailable(_)) => {
                "SERVICE_UNAVAILABLE"
            }
            Self::Internal(_)
            | Self::Store(StoreError::Conflict { .. } | StoreError::Internal(_)) => {
                "INTERNAL_ERROR"
            }
        }
    }

    /// Returns the reason, if the class has one.
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Self::BadRequest(reason)
            | Self::Unauthenticated(reason)
            | Self::Forbidden(reason)
            | Self::UnknownReference(reason)
            | Self::Conflict(reason)
            | Self::InProgress(reason)
            | Self::Contradiction(reason)
            | Self::TooLarge(reason)
            | Self::Unavailable(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Returns a wait in whole seconds, rounded up; at least one.
pub fn seconds(wait: TimeDelta) -> u64 {
    let wait = wait.to_std().unwrap_or_default();
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        Self::Invalid(faults)
    }
}

impl From<Denied> for Error {
    fn from(denied: Denied) -> Self {
        Self::Forbidden(match denied {
            Denied::Role
            | Denied::Permission(_)
            | Denied::OwnersOnly
            | Denied::Impersonating
            | Denied::Grant(_)
            | Denied::ApiKey => Reason::with_message("FORBIDDEN", denied.to_string()),
            Denied::Suspended => Reason::with_message("ORGANIZATION_SUSPENDED", denied.to_string()),
            Denied::Closed => Reason::with_message("ORGANIZATION_CLOSED", denied.to_string()),
            Denied::Scope(scope) => {
                Reason::with_message("INSUFFICIENT_SCOPE", denied.to_string()).about("scope", scope)
            }
        })
    }
}
