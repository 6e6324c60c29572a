//! Webhooks: endpoints of organizations and the events sent to them.

pub mod telling;
pub mod webhook_endpoints;
pub mod webhook_lines;
pub mod webhook_notices;
