//! Recipients: contacts, segments and suppressions.

pub(crate) mod contact_jobs;
pub(crate) mod contacts;
pub(crate) mod imports;
pub(crate) mod segments;
pub(crate) mod suppressions;
pub(crate) mod unsubscribes;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![
        imports::area(),
        contact_jobs::area(),
        contacts::area(),
        segments::area(),
        suppressions::area(),
        unsubscribes::area(),
    ]
}
