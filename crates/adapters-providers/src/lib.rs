#![doc = include_str!("../README.md")]

mod access_tokens;
mod account;
mod answer;
mod authorization;
mod batch;
mod callbacks;
mod content;
mod declaration;
mod deps;
#[cfg(test)]
mod fixture;
pub mod gateways;
mod health;
mod http_client;
mod http_provider;
mod http_vendor;
mod kind;
mod loose_json;
mod mail;
mod phone_numbers;
mod rate_limited;
mod registration;
mod replaceable;
mod runtime_bound;
mod secret;
mod signature;
mod standard_webhooks;
mod status_table;
mod twiml;
mod vendors;
mod verdict;

pub use content::{ChatModel, ChatModelError, ChatModelSettings};
pub use declaration::{Declaration, DeclarationError};
pub use deps::Deps;
pub use http_client::{HttpClient, HttpClientError};
pub use kind::Kind;
pub use replaceable::AdapterSlot;
pub use secret::Secret;
pub use vendors::{Simulated, UnknownKind, build, build_adapter, build_replaceable};
