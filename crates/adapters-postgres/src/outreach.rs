//! Campaigns and events.

pub(crate) mod campaign_counts;
pub(crate) mod campaign_queue;
pub(crate) mod campaigns;
pub(crate) mod events;
pub(crate) mod triggers;
