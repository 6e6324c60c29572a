//! The service as its users see it: over HTTP, in one process with a database of its own.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

mod audience;
mod content;
mod identity;
mod messaging;
mod money;
mod outreach;
mod platform;
mod providers;
mod shared;
mod webhooks;
