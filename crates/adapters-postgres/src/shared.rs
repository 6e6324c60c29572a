//! Parts that all subjects use.

pub(crate) mod audit_entries;
pub(crate) mod change_log;
pub(crate) mod database;
pub(crate) mod error;
pub(crate) mod notices;
pub(crate) mod query;
pub(crate) mod schema;
pub(crate) mod task;
pub(crate) mod traces;
