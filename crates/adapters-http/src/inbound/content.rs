//! Texts: templates, approvals, sender names and compliance.

pub(crate) mod approvals;
pub(crate) mod compliance;
pub(crate) mod issues;
pub(crate) mod sender_names;
pub(crate) mod templates;
pub(crate) mod writing;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![
        compliance::area(),
        writing::area(),
        sender_names::area(),
        templates::area(),
        approvals::area(),
    ]
}
