//! Statements and queries.

pub(crate) mod any_query;
pub(crate) mod array;
pub(crate) mod batching;
pub(crate) mod columns;
pub(crate) mod json;
pub(crate) mod known_query;
pub(crate) mod listed;
pub(crate) mod records;
pub(crate) mod row;
pub(crate) mod run_query;
pub(crate) mod search;
pub(crate) mod sql;
pub(crate) mod template;
pub(crate) mod value;
