//! Users, organizations, sessions and API keys.

pub(crate) mod accounts;
pub(crate) mod provisioning;
