//! What the use cases need from the outside world: traits only.
//!
//! With the feature `mock` each has a test double in the module of that name.

#![warn(missing_docs)]

pub mod analytics;
pub mod api_keys;
pub mod approvals;
pub mod audit_log;
pub mod auth;
pub mod billing;
pub mod callbacks;
pub mod campaign_queue;
pub mod campaigns;
pub mod clock;
pub mod contacts;
pub mod content;
pub mod delivery_logs;
pub mod events;
pub mod health;
pub mod held_campaigns;
pub mod identity;
pub mod imports;
pub mod invoices;
pub mod ledger;
pub mod messages;
#[cfg(feature = "mock")]
pub mod mock;
pub mod organization_limits;
pub mod organizations;
pub mod payments;
pub mod pricing;
pub mod providers;
pub mod random;
pub mod rate_limits;
pub mod recommendations;
pub mod segments;
pub mod sender_names;
pub mod sending_windows;
pub mod signals;
pub mod spending;
pub mod store;
pub mod suppressions;
pub mod templates;
pub mod tenants;
pub mod top_ups;
pub mod traffic;
pub mod unsubscribes;
pub mod webhook_endpoints;
pub mod webhook_queue;
pub mod webhooks;
