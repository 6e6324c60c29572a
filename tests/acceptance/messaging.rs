//! Messages: their acceptance, delivery and log.

pub(crate) mod bursts;
pub(crate) mod callbacks;
pub(crate) mod calls;
pub(crate) mod codes;
pub(crate) mod delivery_logs;
pub(crate) mod email;
pub(crate) mod faults;
pub(crate) mod held_campaigns;
pub(crate) mod idempotency;
pub(crate) mod messages;
pub(crate) mod numbers;
pub(crate) mod opt_outs;
pub(crate) mod overload;
pub(crate) mod priorities;
pub(crate) mod push;
pub(crate) mod reconciliation;
pub(crate) mod reports;
pub(crate) mod screening;
pub(crate) mod sending_windows;
pub(crate) mod shutdown;
pub(crate) mod silence;
pub(crate) mod whatsapp;
