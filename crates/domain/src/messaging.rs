//! Messages: their acceptance, delivery and log.

pub mod attempt;
pub mod attempts;
pub mod callback;
pub mod delivery;
pub mod delivery_log;
pub mod finding;
pub mod hold;
pub mod intake;
pub mod job;
pub mod log_export;
pub mod message;
pub mod outcome;
pub mod priority;
pub mod report;
pub mod resend;
pub mod retry;
pub mod round;
pub mod sending_window;
pub mod spans;
pub mod timeline;
