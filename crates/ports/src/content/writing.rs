//! Language models.
//!
//! ```
//! use domain::content::writing::WritingRequest;
//! use ports::content::writing::{ContentWriter, WriterError};
//!
//! async fn write(
//!     writer: &dyn ContentWriter,
//!     wanted: &WritingRequest,
//! ) -> Result<String, WriterError> {
//!     Ok(writer.write(wanted, &[]).await?.message)
//! }
//! ```

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::content::writing::{Violation, WritingRequest, WrittenText};
use thiserror::Error;

/// Reason why a model returned no usable text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WriterError {
    /// The model does not respond, or accepts no requests for now.
    #[error("the language model cannot be used for now")]
    Unavailable {
        /// Time that the model asked callers to wait; `None` if it named none.
        retry_after: Option<TimeDelta>,
    },
    /// The response does not have the requested form.
    #[error("the language model did not answer in the form that was asked for")]
    Unreadable,
}

/// Writes texts. The caller validates them, so an implementation need not be trusted.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ContentWriter: Send + Sync {
    /// Writes the requested text. `violations` are those of the previous text; empty at the first attempt.
    /// Dropping the future cancels the call.
    async fn write(
        &self,
        wanted: &WritingRequest,
        violations: &[Violation],
    ) -> Result<WrittenText, WriterError>;
}
