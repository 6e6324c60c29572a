#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

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

pub use self::shared::{state::LedgerEntry, store::MemoryStore};
