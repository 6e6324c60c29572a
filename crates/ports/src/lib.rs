//! Interfaces that the use cases need from the outside world: traits only.
//!
//! With the feature `mock` each has a test double in the module of that name.

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

#[cfg(feature = "mock")]
pub use shared::mock;
