//! Webhooks: endpoints, and the events published to them.

pub mod outbound_event;
pub mod webhook;
