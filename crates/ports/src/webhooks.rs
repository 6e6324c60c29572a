//! Webhooks: endpoints of organizations and the events sent to them.

pub mod calls;
pub mod webhook_endpoints;
pub mod webhook_queue;
