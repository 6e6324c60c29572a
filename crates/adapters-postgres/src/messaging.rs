//! Messages: acceptance, delivery and log.

pub(crate) mod callbacks;
pub(crate) mod campaign_counts;
pub(crate) mod counters;
pub(crate) mod delivery_logs;
mod dimensions;
pub(crate) mod intake;
pub(crate) mod jobs;
pub(crate) mod journal;
mod log_exports;
pub(crate) mod message_counters;
pub(crate) mod old_codes;
pub(crate) mod resends;
pub(crate) mod scheduled_messages;
pub(crate) mod sending_windows;
pub(crate) mod timelines;
pub(crate) mod triggers;
pub(crate) mod vendor_references;
mod waiting_room;
