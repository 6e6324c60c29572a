//! How operations fail.

use chrono::TimeDelta;
use domain::{
    caller::Denied,
    fault::Faults,
    id::Id,
    organization::{MAX_OWNED, RoleRefused},
    template::Template,
    wallet::InsufficientBalance,
};
use ports::{
    auth::{HashError, TokenError},
    messages::IntakeError,
    store::StoreError,
};
use thiserror::Error;

/// Why an operation was refused or failed. The HTTP adapter maps each variant to one status and one
/// code, in one place.
#[derive(Debug, Error)]
pub enum Error {
    /// The request is faulty.
    #[error("the request is invalid: {0}")]
    Invalid(Faults),
    /// No address was given for which to reset the password.
    #[error("an email address is required")]
    EmailRequired,
    /// No name was given for an API key.
    #[error("a name is required")]
    NameRequired,
    /// Address and password do not belong together.
    #[error("the email address or the password is wrong")]
    InvalidCredentials,
    /// The token that was mailed is unknown, used or too old.
    #[error("the token is invalid or has expired")]
    InvalidMailedToken,
    /// There are no credentials, or none that hold.
    #[error("valid credentials are required")]
    Unauthorized,
    /// A callback does not prove that it comes from the vendor.
    #[error("the signature is missing or wrong")]
    InvalidSignature,
    /// The caller does not belong to the organization.
    #[error("you are not a member of this organization")]
    NotAMember,
    /// The caller may not do this.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The caller may not give this role.
    #[error(transparent)]
    RoleRefused(#[from] RoleRefused),
    /// Nothing there under that identifier, or not for this caller.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// Nobody has registered with that address.
    #[error("no user has registered with this email address")]
    UserNotFound,
    /// Somebody has registered with that address.
    #[error("this email address is already registered")]
    EmailExists,
    /// The user owns as many organizations as a user may.
    #[error("a user owns at most {MAX_OWNED} organizations")]
    TooManyOrganizations,
    /// A template does not exist.
    #[error("template {0} not found")]
    TemplateNotFound(Id<Template>),
    /// A template may not be sent yet, or not any more.
    #[error("template {0} is not approved")]
    TemplateNotApproved(Id<Template>),
    /// The wallet cannot pay.
    #[error(transparent)]
    InsufficientBalance(InsufficientBalance),
    /// The idempotency key was used for something else.
    #[error("the idempotency key was used for a different request")]
    IdempotencyKeyReused,
    /// The first request with the idempotency key has no outcome yet.
    #[error("the first request with this idempotency key is still in progress")]
    IdempotencyInProgress,
    /// It was tried too often.
    #[error("too many attempts; try again in {} s", .0.num_seconds().max(1))]
    RateLimited(TimeDelta),
    /// More came in than can be written; it may be tried again in a moment.
    #[error("the service is overloaded")]
    Overloaded,
    /// A password could not be hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// A token could not be issued.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        Self::Invalid(faults)
    }
}

impl From<IntakeError> for Error {
    fn from(error: IntakeError) -> Self {
        match error {
            IntakeError::InsufficientBalance(missing) => Self::InsufficientBalance(missing),
            IntakeError::IdempotencyKeyReused => Self::IdempotencyKeyReused,
            IntakeError::Overloaded => Self::Overloaded,
            IntakeError::Store(error) => Self::Store(error),
        }
    }
}
