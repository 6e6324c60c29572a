//! Users, organizations, sessions and API keys.

pub(crate) mod accounts;
pub(crate) mod api_keys;
pub(crate) mod auth;
pub(crate) mod organizations;
pub(crate) mod roles;
pub(crate) mod suspension;
pub(crate) mod tenancy;
