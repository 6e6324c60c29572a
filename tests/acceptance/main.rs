//! The service as its users see it: over HTTP, in one process with a database of its own.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

mod accounts;
mod api_keys;
mod auth;
mod bodies;
mod bursts;
mod callbacks;
mod calls;
mod compliance;
mod contacts;
mod delivery_logs;
mod document;
mod email;
mod envelope;
mod faults;
mod fuzz;
mod health;
mod idempotency;
mod imports;
mod lanes;
mod limits;
mod mail_server;
mod messages;
mod money;
mod numbers;
mod odd_vendors;
mod opt_outs;
mod organizations;
mod outages;
mod pace;
mod providers;
mod push;
mod reconciliation;
mod reports;
mod roles;
mod segments;
mod shutdown;
mod silence;
mod slots;
mod standings;
mod suppressions;
mod vendor;
mod whatsapp;
mod wire;
