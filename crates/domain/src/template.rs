//! Templates: prepared texts with placeholders.

use crate::{category::Category, channel::Channel, id::Id};

/// A prepared text, as far as sending needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Which template this is.
    pub id: Id<Template>,
    /// The channel it is written for.
    pub channel: Channel,
    /// What it is about.
    pub category: Category,
    /// Its subject line, with placeholders.
    pub subject: Option<String>,
    /// Its text, with placeholders.
    pub body: String,
    /// Whether it may be sent.
    pub is_approved: bool,
}
