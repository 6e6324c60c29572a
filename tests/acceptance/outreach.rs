//! Campaigns and events.

pub(crate) mod campaign_drafts;
pub(crate) mod campaign_recipients;
pub(crate) mod campaigns;
pub(crate) mod event_senders;
pub(crate) mod events;
