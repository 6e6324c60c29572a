#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod background;
pub mod clock;
pub mod delivery_pool;
pub mod random;
pub mod report_relay;
pub mod signals;
pub mod supervisor;
