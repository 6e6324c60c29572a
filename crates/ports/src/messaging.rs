//! Messages: their acceptance, delivery and log.

pub mod callbacks;
pub mod delivery_logs;
pub mod log_exports;
pub mod messages;
pub mod resends;
pub mod scheduled_messages;
pub mod sending_windows;
pub mod timelines;
