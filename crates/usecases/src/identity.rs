//! Users, organizations, sessions and API keys.

pub mod admins;
pub mod api_keys;
pub mod auth;
pub mod members;
pub mod organizations;
pub mod policies;
pub mod provisioning;
pub mod second_factors;
pub mod spending;
