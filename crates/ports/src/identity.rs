//! Users, organizations, sessions and API keys.

pub mod api_keys;
pub mod auth;
pub mod identity_store;
pub mod invitations;
pub mod organizations;
pub mod second_factors;
pub mod sessions;
