//! Language models.

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::content::writing::{Violation, WritingRequest, WrittenText};
use thiserror::Error;

/// Why a model wrote nothing that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WriterError {
    /// It does not answer, or takes no more for now.
    #[error("the language model cannot be used for now")]
    Unavailable {
        /// How long it wants to be left alone, if it said so.
        retry_after: Option<TimeDelta>,
    },
    /// It answered, and not in the form that was asked for.
    #[error("the language model did not answer in the form that was asked for")]
    Unreadable,
}

/// Writes texts. What it writes is checked by whoever asked, so it need not be trusted.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ContentWriter: Send + Sync {
    /// Writes what is wanted. `violations` is what was wrong with the text that it wrote before; none at the
    /// first try. Whoever stops waiting ends the call.
    async fn write(
        &self,
        wanted: &WritingRequest,
        violations: &[Violation],
    ) -> Result<WrittenText, WriterError>;
}
