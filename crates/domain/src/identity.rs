//! Organizations, users, and what they may do.

pub mod actor;
pub mod api_key;
pub mod caller;
pub mod invitation;
pub mod key_calls;
pub mod membership;
pub mod open_session;
pub mod organization;
pub mod password;
pub mod permission;
pub mod policy;
pub mod scope;
pub mod second_factor;
pub mod session;
pub mod slot;
pub mod spending;
pub mod traffic;
pub mod user;
