//! Pure business rules of a notification service: no I/O, no clock, no async, and no randomness
//! except the last bits of new identifiers.
//!
//! All decisions are made here; the other crates fetch, store and show.

#![warn(missing_docs)]

pub mod audience;
pub mod content;
pub mod identity;
pub mod messaging;
pub mod money;
pub mod outreach;
pub mod platform;
pub mod providers;
pub mod shared;
pub mod webhooks;
