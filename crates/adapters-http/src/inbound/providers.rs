//! Providers of channels, and their state.

pub(crate) mod provider;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![provider::area()]
}
