//! What is shared through Redis, tried with a `redis-server` of the tests' own.

#![expect(clippy::unwrap_used, reason = "a test reports what is unexpected by panicking")]

mod limits;
mod outages;
mod server;
mod signals;
