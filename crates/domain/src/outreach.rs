//! Campaigns, events and triggers.

pub mod campaign;
pub mod event;
pub mod trigger;
