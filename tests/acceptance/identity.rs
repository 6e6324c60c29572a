//! Users, organizations, sessions and API keys.

pub(crate) mod accounts;
pub(crate) mod api_keys;
pub(crate) mod auth;
pub(crate) mod members;
pub(crate) mod organizations;
pub(crate) mod roles;
pub(crate) mod scopes;
pub(crate) mod second_factor;
pub(crate) mod sessions;
pub(crate) mod suspension;
pub(crate) mod tenancy;
