//! Refusals of messages.

use domain::{content::template::Template, shared::id::Id};
use ports::messaging::messages::IntakeError;

use crate::{Error, Reason};

/// The idempotency key was used for a different request.
pub const IDEMPOTENCY_KEY_REUSED: Reason =
    Reason::new("IDEMPOTENCY_KEY_REUSED", "the idempotency key was used for a different request");
/// The first request with the idempotency key has no outcome yet.
pub const IDEMPOTENCY_IN_PROGRESS: Reason = Reason::new(
    "IDEMPOTENCY_IN_PROGRESS",
    "the first request with this idempotency key is still in progress",
);

/// The template does not exist.
pub fn template_not_found(id: Id<Template>) -> Error {
    let reason = Reason::with_message("TEMPLATE_NOT_FOUND", format!("template {id} not found"));
    Error::UnknownReference(reason.about("templateId", id.to_string()))
}

/// The template is not approved, or not any more.
pub fn template_not_approved(id: Id<Template>) -> Error {
    let message = format!("template {id} is not approved");
    Error::Conflict(
        Reason::with_message("TEMPLATE_NOT_APPROVED", message).about("templateId", id.to_string()),
    )
}

impl From<IntakeError> for Error {
    fn from(error: IntakeError) -> Self {
        match error {
            IntakeError::InsufficientBalance(missing) => Self::InsufficientBalance(missing),
            IntakeError::SpendingLimitReached(reached) => Self::SpendingLimitReached(reached),
            IntakeError::IdempotencyKeyReused => Self::Contradiction(IDEMPOTENCY_KEY_REUSED),
            IntakeError::Overloaded | IntakeError::Overtaken => Self::Overloaded,
            IntakeError::Store(error) => Self::Store(error),
        }
    }
}
