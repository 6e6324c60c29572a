//! Users, organizations, sessions and API keys.

pub mod admins;
pub mod api_keys;
pub mod auth;
mod login_attempts;
pub mod members;
pub mod organizations;
pub mod policies;
pub mod provisioning;
mod required_text;
pub mod second_factors;
pub mod spending;
