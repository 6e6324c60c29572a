//! Support for end-to-end tests: a throw-away `PostgreSQL`, a running service and its tenants.

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "tests report by panicking")]

mod answer;
mod cluster;
mod endpoint;
mod receiver;
mod tenant;
mod unique;
mod wait;
mod world;

pub use answer::Answer;
pub use cluster::{OwnCluster, database_url, fresh_database_url, sql};
pub use endpoint::{endpoint_at, silent_endpoint};
pub use receiver::{Received, Receiver, Reply};
pub use tenant::{Caller, Tenant};
pub use unique::{unique_email, unique_id};
pub use wait::{until, until_some};
pub use world::World;
