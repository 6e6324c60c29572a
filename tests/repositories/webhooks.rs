//! Webhooks: endpoints of organizations and the events sent to them.

pub(crate) mod published_events;
pub(crate) mod webhook_deliveries;
pub(crate) mod webhook_queue;
