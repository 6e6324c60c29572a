//! Messages: their acceptance, delivery and log.

pub(crate) mod callbacks;
pub(crate) mod delivery_logs;
pub(crate) mod messages;
pub(crate) mod sending_windows;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![messages::area(), delivery_logs::area(), sending_windows::area(), callbacks::area()]
}
