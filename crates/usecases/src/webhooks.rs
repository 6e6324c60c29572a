//! Webhooks: endpoints of organizations and the events sent to them.

pub mod endpoint_queues;
pub mod event_publisher;
pub mod webhook_endpoints;
