//! Support for end-to-end tests: a throw-away `PostgreSQL`, a running service and its tenants.

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "tests report by panicking")]

mod cluster;
mod endpoint;
mod own_service;
mod shared_service;
mod tenant;
mod time;
mod unique;
mod world;

pub use cluster::{OwnCluster, database_url, fresh_database_url, sql};
pub use endpoint::{endpoint_at, silent_endpoint};
pub use shared_service::Settings;
pub use tenant::Tenant;
pub use testkit::{Answer, Caller, Received, Receiver, Reply, until, until_some};
pub use time::time;
pub use unique::{unique_email, unique_id};
pub use world::World;
