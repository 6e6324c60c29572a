//! What the service can do. One struct per area, one method per operation: the inside of the
//! hexagon that the REST API, the workers, the command line and embedders share.

#![warn(missing_docs)]

pub mod admins;
pub mod analytics;
mod announcer;
pub mod api_keys;
pub mod approvals;
pub mod audit;
pub mod auth;
pub mod billing;
pub mod bounds;
pub mod callbacks;
pub mod campaign_work;
pub mod campaigns;
pub mod checkouts;
pub mod compliance;
pub mod contacts;
pub mod content;
pub mod deliveries;
pub mod delivery_logs;
mod digest;
mod error;
pub mod events;
#[cfg(test)]
mod fixtures;
pub mod health;
pub mod holding;
pub mod imports;
pub mod invoices;
mod joined_reads;
pub mod ledger;
pub mod limits;
pub mod low_balances;
pub mod messages;
pub mod organization_limits;
pub mod organizations;
mod panics;
pub mod payment_exceptions;
pub mod policies;
pub mod prices;
pub mod pricing;
pub mod provider_health;
pub mod providers;
pub mod provisioning;
pub mod recommendations;
pub mod segments;
pub mod sender_names;
pub mod sending_windows;
pub mod spending;
pub mod suppressions;
pub mod telling;
pub mod templates;
pub mod tenants;
pub mod top_ups;
pub mod traffic;
mod trusted;
pub mod unsubscribes;
pub mod webhook_endpoints;
pub mod webhook_lines;
pub mod webhook_notices;

pub use error::{Error, Reason, seconds};
