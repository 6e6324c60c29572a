//! The providers that carry messages: one file per vendor, the only one that knows its protocol.
//!
//! A new vendor is a file with a `Vendor` (`kind.rs`) and a line in [`Kind`]. What vendors have in
//! common: the account at one over HTTP (`account.rs`), what it answers (`answer.rs`) and what its
//! codes say (`verdict.rs`, `progress.rs`), what it calls us with (`callbacks.rs`, `form.rs`,
//! `signature.rs`), and how it writes things (`wire.rs`, `numbers.rs`, `mail.rs`).

mod account;
mod africas_talking;
mod answer;
mod arkesel;
mod bulk;
mod callbacks;
mod client;
mod declaration;
mod expo;
mod fcm;
#[cfg(test)]
mod fixture;
mod form;
mod health;
mod hosted;
mod http;
mod hubtel;
mod infobip;
mod kind;
mod limited;
mod mail;
mod mailgun;
mod mnotify;
mod numbers;
mod progress;
mod resend;
mod secret;
mod sendgrid;
mod signature;
mod simulated;
mod smtp;
mod speech;
mod standard_webhooks;
mod termii;
mod twilio;
mod verdict;
mod whatsapp_cloud;
mod wire;

pub use client::{HttpClient, HttpClientError};
pub use declaration::{Declaration, DeclarationError, Deps, build};
pub use kind::{Kind, UnknownKind};
pub use secret::Secret;
pub use simulated::Simulated;
