//! Messages from a Rust program: accepted, paid for, delivered and retried inside the process, without a
//! server.
//!
//! [`Atumpan::builder`] takes a store, providers and a clock, and starts the workers:
//!
//! ```
//! use std::{error::Error, time::Duration};
//!
//! use atumpan::{
//!     Atumpan,
//!     domain::{messaging::message::MessageRequest, shared::{channel::Channel, money::Money}},
//!     usecases::messaging::messages::SendMessage,
//! };
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn Error>> {
//!     let atumpan = Atumpan::builder().build().await?;
//!     let shop = atumpan.create_organization("Ama's shop", Money::from_cedis(5)).await?;
//!     atumpan.set_price(Channel::Sms, None, Money::from_micros(35_000)).await?;
//!     let message = MessageRequest {
//!         channel: Some(Channel::Sms),
//!         to: Some("0241234567".to_owned()),
//!         body: Some("Akwaaba!".to_owned()),
//!         ..MessageRequest::default()
//!     };
//!     // Without a provider a message can only be rehearsed.
//!     let rehearsed = SendMessage { message, is_sandbox: Some(true), ..SendMessage::default() };
//!     let caller = atumpan.caller(shop).await?;
//!     let sent = atumpan.messages().send(&caller, rehearsed).await?;
//!     assert_eq!(sent.accepted.delivery.status().as_str(), "SENT");
//!     assert!(atumpan.stop(Duration::from_secs(5)).await);
//!     Ok(())
//! }
//! ```
//!
//! | feature | for |
//! |---|---|
//! | `postgres` | `Store::Postgres` |
//! | `providers` | `Builder::declared`, which uses the vendors of `adapters_providers` |
//!
//! Screening of texts, sender names, sending windows, webhooks, campaigns and contacts are not part of it.
//! Their use cases are in [`usecases`], and take the ports that they need one by one.

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
