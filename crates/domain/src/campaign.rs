//! Campaigns: one text to many contacts.

/// One text to many contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Campaign;
