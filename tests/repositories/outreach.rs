//! Campaigns and events.

pub(crate) mod campaign_cutoff;
pub(crate) mod campaign_expansion;
pub(crate) mod campaign_queue;
pub(crate) mod campaign_recipients;
pub(crate) mod campaigns;
pub(crate) mod events;
