//! How operations fail.

use std::{borrow::Cow, error::Error as StdError};

use chrono::TimeDelta;
use domain::{
    identity::caller::Denied,
    money::{funds::SpendingLimitReached, wallet::InsufficientBalance},
    shared::fault::Faults,
};
use ports::shared::store::StoreError;
use thiserror::Error;

/// Why an operation was refused or failed: a class, which says what the caller can do about it. The
/// HTTP adapter maps each class to one status, in one place. An area has no variant of its own here; it
/// names its [`Reason`]s where it refuses.
#[derive(Debug, Error)]
pub enum Error {
    /// Fields of the request are faulty.
    #[error("the request is invalid: {0}")]
    Invalid(Faults),
    /// The request lacks what it cannot do without, or asks for what makes no sense.
    #[error("{0}")]
    BadRequest(Reason),
    /// Who is calling is not known.
    #[error("{0}")]
    Unauthenticated(Reason),
    /// The wallet cannot pay.
    #[error(transparent)]
    InsufficientBalance(InsufficientBalance),
    /// The organization would spend more in a day than it allows itself.
    #[error(transparent)]
    SpendingLimitReached(SpendingLimitReached),
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(Reason),
    /// Nothing there under that identifier, or not for this caller.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// The request names something that does not exist.
    #[error("{0}")]
    UnknownReference(Reason),
    /// What is there stands against it.
    #[error("{0}")]
    Conflict(Reason),
    /// The same is being done already; it may be asked for again in a moment.
    #[error("{0}")]
    InProgress(Reason),
    /// The request contradicts an earlier one.
    #[error("{0}")]
    Contradiction(Reason),
    /// What came is larger than may come.
    #[error("{0}")]
    TooLarge(Reason),
    /// It was tried too often.
    #[error("too many requests; try again in {} s", seconds(*.0))]
    RateLimited(TimeDelta),
    /// A service of somebody else that it takes does not answer; it may be tried again after that time.
    #[error("a service that this needs cannot be used for now")]
    Away(TimeDelta),
    /// More came in than can be done; it may be tried again in a moment.
    #[error("the service is overloaded")]
    Overloaded,
    /// Something that it takes is not set up, or does not answer.
    #[error("{0}")]
    Unavailable(Reason),
    /// A fault of our own.
    #[error(transparent)]
    Internal(Box<dyn StdError + Send + Sync>),
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why something was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Reason {
    /// A stable name that programs can match on.
    pub code: &'static str,
    /// One sentence for people.
    pub message: Cow<'static, str>,
    /// What the refusal is about, each under a camelCase name.
    pub details: Vec<(&'static str, String)>,
}

impl Reason {
    /// A reason that always reads the same.
    pub const fn new(code: &'static str, message: &'static str) -> Self {
        Self { code, message: Cow::Borrowed(message), details: Vec::new() }
    }

    /// A reason that reads differently each time.
    pub fn with_message(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: Cow::Owned(message.into()), details: Vec::new() }
    }

    /// The same, with what it is about.
    #[must_use]
    pub fn about(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.details.push((name, value.into()));
        self
    }
}

impl Error {
    /// A stable name that programs can match on.
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

    /// The reason, if the class has one.
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

/// How many whole seconds it takes until a time is over; at least one.
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
            Denied::Role | Denied::Impersonating | Denied::ApiKey => {
                Reason::with_message("FORBIDDEN", denied.to_string())
            }
            Denied::Suspended => Reason::with_message("ORGANIZATION_SUSPENDED", denied.to_string()),
            Denied::Scope(scope) => {
                Reason::with_message("INSUFFICIENT_SCOPE", denied.to_string()).about("scope", scope)
            }
        })
    }
}
