//! Campaigns and events.

pub(crate) mod campaign_queue;
mod campaign_recipients;
pub(crate) mod campaigns;
pub(crate) mod events;
