#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod background;
mod builder;
mod error;
mod memory;
mod opening;
#[cfg(feature = "postgres")]
mod postgres;
mod running;
mod sandbox;
mod store;
#[cfg(feature = "providers")]
mod vendors;

pub use adapters_memory;
#[cfg(feature = "postgres")]
pub use adapters_postgres;
#[cfg(feature = "providers")]
pub use adapters_providers;
pub use async_trait::async_trait;
pub use chrono;
pub use domain;
pub use ports;
pub use runtime;
pub use usecases;

pub use self::{
    builder::Builder,
    error::BuildError,
    running::Atumpan,
    store::{Store, StorePorts},
};
