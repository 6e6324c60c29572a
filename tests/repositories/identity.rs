//! Users, organizations, sessions and API keys.

pub(crate) mod accounts;
pub(crate) mod api_keys;
pub(crate) mod members;
pub(crate) mod provisioning;
pub(crate) mod second_factors;
pub(crate) mod sessions;
