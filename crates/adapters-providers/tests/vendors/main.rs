//! Every vendor's adapter against a server that speaks its protocol.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod africas_talking;
mod logs;
mod smtp;
mod smtp_server;
mod support;
mod vendor_server;
