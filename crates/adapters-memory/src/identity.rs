//! Users, organizations, sessions and API keys.

pub(crate) mod organizations;
