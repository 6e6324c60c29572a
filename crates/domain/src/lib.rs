//! Pure business rules of a notification service: no I/O, no clock, no randomness, no async.
//!
//! Everything that decides anything lives here; the other crates fetch, keep and show.

#![warn(missing_docs)]

pub mod address;
pub mod analytics;
pub mod api_key;
pub mod approval;
pub mod attempts;
pub mod audit;
pub mod breaker;
pub mod callback;
pub mod caller;
pub mod campaign;
pub mod category;
pub mod change;
pub mod channel;
pub mod compliance;
pub mod contact;
pub mod content;
pub mod country;
pub mod delivery;
pub mod delivery_log;
pub mod event;
pub mod fault;
pub mod hold;
pub mod id;
pub mod import;
pub mod invoice;
pub mod job;
pub mod lane;
pub mod message;
pub mod money;
pub mod organization;
pub mod outbound_event;
pub mod page;
pub mod payment;
pub mod permission;
pub mod placeholder;
pub mod policy;
pub mod pricing;
pub mod provider;
pub mod provider_state;
pub mod rate;
pub mod recommendation;
pub mod report;
pub mod retry;
pub mod round;
pub mod segment;
pub mod sender_name;
pub mod sending_window;
pub mod session;
pub mod slot;
pub mod sms;
pub mod spending;
pub mod suppression;
pub mod template;
pub mod text;
pub mod top_up;
pub mod trigger;
pub mod unsubscribe;
pub mod user;
pub mod vendor_text;
pub mod wallet;
