#![doc = include_str!("../README.md")]
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

pub use shared::error::{Error, NamedThing, Reason, seconds};
