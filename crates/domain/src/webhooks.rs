//! Webhooks: endpoints and the events that they are told.

pub mod outbound_event;
pub mod webhook;
