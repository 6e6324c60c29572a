//! Users, organizations, sessions and API keys.

pub(crate) mod api_keys;
pub(crate) mod auth;
pub(crate) mod mails;
pub(crate) mod organizations;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![auth::area(), organizations::area(), api_keys::area()]
}
