//! Users, organizations, sessions and API keys.

pub mod api_keys;
pub mod auth;
pub mod identity_store;
pub mod organizations;
