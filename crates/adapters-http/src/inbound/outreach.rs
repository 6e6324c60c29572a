//! Campaigns and events.

pub(crate) mod campaigns;
pub(crate) mod events;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![campaigns::area(), events::area()]
}
