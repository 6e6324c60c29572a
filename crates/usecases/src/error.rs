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
    /// The credentials are not valid.
    #[error("the credentials are not valid")]
    Unauthorized,
    /// There are no credentials.
    #[error(
        "credentials are required: a session as `Authorization: Bearer …`, or an API key as \
         `X-API-Key` where one is taken"
    )]
    NoCredentials,
    /// There is an API key where only a session may be.
    #[error(
        "an API key cannot do this: sign in, and send the session as `Authorization: Bearer …`"
    )]
    SessionRequired,
    /// There is an API key in the place of a session.
    #[error("an API key is sent as `X-API-Key`, not as `Authorization: Bearer …`")]
    MisplacedApiKey,
    /// The session is over.
    #[error("the session has ended: sign in again")]
    SessionEnded,
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
    #[error("too many requests; try again in {} s", seconds(*.0))]
    RateLimited(TimeDelta),
    /// More came in than can be written; it may be tried again in a moment.
    #[error("the service is overloaded")]
    Overloaded,
    /// A password could not be hashed.
    #[error("a password could not be hashed: {0}")]
    Hash(String),
    /// A token could not be issued.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How many whole seconds it takes until a time is over; at least one.
pub fn seconds(wait: TimeDelta) -> u64 {
    let wait = wait.to_std().unwrap_or_default();
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

impl From<HashError> for Error {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::Overloaded,
            HashError::Failed(reason) => Self::Hash(reason),
        }
    }
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
