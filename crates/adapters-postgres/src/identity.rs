//! Users, organizations, sessions and API keys.

pub(crate) mod api_keys;
pub(crate) mod identity_store;
pub(crate) mod invitations;
pub(crate) mod organizations;
pub(crate) mod revoked_sessions;
pub(crate) mod second_factors;
pub(crate) mod service_keys;
pub(crate) mod sessions;
pub(crate) mod users;
