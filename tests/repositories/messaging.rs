//! Messages: their acceptance, delivery and log.

pub(crate) mod callbacks;
pub(crate) mod claims;
pub(crate) mod codes;
pub(crate) mod counters;
pub(crate) mod delivery_logs;
pub(crate) mod held_campaigns;
pub(crate) mod intake;
pub(crate) mod intake_fixture;
pub(crate) mod jobs;
pub(crate) mod kept_leases;
pub(crate) mod log_columns;
pub(crate) mod log_exports;
pub(crate) mod log_pages;
pub(crate) mod log_search;
pub(crate) mod resends;
pub(crate) mod retention;
pub(crate) mod scheduled_messages;
