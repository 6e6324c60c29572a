//! Organizations, users, and what they may do.

pub mod actor;
pub mod api_key;
pub mod caller;
pub mod organization;
pub mod permission;
pub mod policy;
pub mod session;
pub mod slot;
pub mod spending;
pub mod traffic;
pub mod user;
