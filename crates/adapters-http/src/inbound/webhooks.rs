//! Webhooks: endpoints of organizations and the events sent to them.

pub(crate) mod webhook_endpoints;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![webhook_endpoints::area()]
}
