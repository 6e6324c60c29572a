//! Messages: their acceptance, delivery and log.

pub(crate) mod callbacks;
pub(crate) mod delivery_logs;
pub(crate) mod intake;
pub(crate) mod jobs;
