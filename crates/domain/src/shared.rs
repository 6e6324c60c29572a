//! Terms that all subjects use.

pub mod address;
pub mod category;
pub mod chain;
pub mod change;
pub mod channel;
pub mod closed_list;
pub mod country;
pub mod csv;
pub mod fault;
pub mod id;
pub mod listed_text;
pub mod money;
pub mod page;
pub mod placeholder;
pub mod rate;
pub mod retention;
pub mod search;
pub mod sender;
pub mod sms;
pub mod span;
pub mod text;
pub mod text_format;
pub mod time_text;
pub mod trace;
pub mod vendor_text;
pub mod webhook_event;
