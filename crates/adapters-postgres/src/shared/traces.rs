//! Traces in the database.

use domain::shared::trace::{TraceContext, TraceParent};

/// Reads the trace of something stored. One that cannot be read is none: nothing depends on it.
pub(crate) fn stored_trace(text: Option<&str>) -> Option<TraceContext> {
    let parent: TraceParent = text?.parse().ok()?;
    Some(parent.context)
}
