//! Triggers: an event that happened to somebody, and the channels on which they hear of it.

/// An event that happened to somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger;
