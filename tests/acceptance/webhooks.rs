//! Webhooks: endpoints of organizations and the events sent to them.

pub(crate) mod calls;
pub(crate) mod published_events;
pub(crate) mod recorded_delivery;
pub(crate) mod standard_webhooks;
pub(crate) mod webhook_endpoints;
pub(crate) mod webhook_records;
