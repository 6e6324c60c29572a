//! Campaigns and events.

pub(crate) mod held_campaigns;
pub(crate) mod triggers;
