//! The providers that carry messages: one file per vendor, the only one that knows its protocol.
//!
//! A new vendor is a file with a `Vendor` (`kind.rs`) and a line in [`Kind`].

mod africas_talking;
mod client;
mod declaration;
#[cfg(test)]
mod fixture;
mod kind;
mod secret;
mod simulated;
mod smtp;

pub use client::{HttpClient, HttpClientError};
pub use declaration::{Declaration, DeclarationError, Deps, build};
pub use kind::{Kind, UnknownKind};
pub use secret::Secret;
pub use simulated::Simulated;
