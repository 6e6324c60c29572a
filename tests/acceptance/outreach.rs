//! Campaigns and events.

pub(crate) mod campaigns;
pub(crate) mod events;
