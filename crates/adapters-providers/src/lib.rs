//! The providers that carry messages: one file per vendor, the only one that knows its protocol.
//!
//! A new vendor is a file with a `Vendor` (`kind.rs`) and a line in [`Kind`].

mod africas_talking;
mod arkesel;
mod client;
mod declaration;
mod expo;
mod fcm;
#[cfg(test)]
mod fixture;
mod form;
mod http;
mod hubtel;
mod infobip;
mod kind;
mod limited;
mod mail;
mod mailgun;
mod mnotify;
mod resend;
mod secret;
mod sendgrid;
mod signature;
mod simulated;
mod sms;
mod smtp;
mod speech;
mod termii;
mod twilio;
mod verdict;
mod whatsapp_cloud;

pub use client::{HttpClient, HttpClientError};
pub use declaration::{Declaration, DeclarationError, Deps, build};
pub use kind::{Kind, UnknownKind};
pub use secret::Secret;
pub use simulated::Simulated;
