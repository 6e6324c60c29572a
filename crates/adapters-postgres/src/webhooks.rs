//! Webhooks: endpoints of organizations and the events sent to them.

pub(crate) mod outbound_events;
pub(crate) mod sandbox_events;
pub(crate) mod webhook_deliveries;
pub(crate) mod webhook_endpoints;
pub(crate) mod webhook_queue;
pub(crate) mod webhook_subscriptions;
