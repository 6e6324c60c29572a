//! Campaigns and events.

pub mod campaign_recipients;
pub mod campaign_work;
pub mod campaigns;
pub mod events;
