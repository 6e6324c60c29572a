//! Organizations, users, and what they may do.

pub mod api_key;
pub mod caller;
pub mod organization;
pub mod permission;
pub mod session;
pub mod user;
