//! Campaigns and events.

pub(crate) mod campaigns;
pub(crate) mod event_senders;
pub(crate) mod events;
