//! The service as its users see it: over HTTP, in one process with a database of its own.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

#[path = "acceptance/accounts.rs"]
mod accounts;
#[path = "acceptance/api_keys.rs"]
mod api_keys;
#[path = "acceptance/auth.rs"]
mod auth;
#[path = "acceptance/bodies.rs"]
mod bodies;
#[path = "acceptance/bursts.rs"]
mod bursts;
#[path = "acceptance/callbacks.rs"]
mod callbacks;
#[path = "acceptance/calls.rs"]
mod calls;
#[path = "acceptance/delivery_logs.rs"]
mod delivery_logs;
#[path = "acceptance/document.rs"]
mod document;
#[path = "acceptance/email.rs"]
mod email;
#[path = "acceptance/envelope.rs"]
mod envelope;
#[path = "acceptance/faults.rs"]
mod faults;
#[path = "acceptance/fuzz.rs"]
mod fuzz;
#[path = "acceptance/health.rs"]
mod health;
#[path = "acceptance/idempotency.rs"]
mod idempotency;
#[path = "acceptance/lanes.rs"]
mod lanes;
#[path = "acceptance/limits.rs"]
mod limits;
#[path = "acceptance/mail_server.rs"]
mod mail_server;
#[path = "acceptance/messages.rs"]
mod messages;
#[path = "acceptance/money.rs"]
mod money;
#[path = "acceptance/numbers.rs"]
mod numbers;
#[path = "acceptance/odd_vendors.rs"]
mod odd_vendors;
#[path = "acceptance/opt_outs.rs"]
mod opt_outs;
#[path = "acceptance/organizations.rs"]
mod organizations;
#[path = "acceptance/outages.rs"]
mod outages;
#[path = "acceptance/pace.rs"]
mod pace;
#[path = "acceptance/providers.rs"]
mod providers;
#[path = "acceptance/push.rs"]
mod push;
#[path = "acceptance/reconciliation.rs"]
mod reconciliation;
#[path = "acceptance/reports.rs"]
mod reports;
#[path = "acceptance/roles.rs"]
mod roles;
#[path = "acceptance/shutdown.rs"]
mod shutdown;
#[path = "acceptance/silence.rs"]
mod silence;
#[path = "acceptance/standings.rs"]
mod standings;
#[path = "acceptance/vendor.rs"]
mod vendor;
#[path = "acceptance/whatsapp.rs"]
mod whatsapp;
#[path = "acceptance/wire.rs"]
mod wire;
