//! Tests of the state shared through Redis, with a `redis-server` of their own.

#![expect(clippy::unwrap_used, reason = "a test reports what is unexpected by panicking")]

mod limits;
mod outages;
mod server;
mod signals;
