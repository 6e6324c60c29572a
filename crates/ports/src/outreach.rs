//! Campaigns and events.

pub mod campaign_queue;
pub mod campaign_recipients;
pub mod campaigns;
pub mod events;
pub mod held_campaigns;
