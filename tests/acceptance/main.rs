//! Tests of the service as its users see it: over HTTP, in one process with its own database.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

mod audience;
mod content;
mod dashboard;
mod identity;
mod messaging;
mod money;
mod outreach;
mod platform;
mod providers;
mod shared;
mod webhooks;
