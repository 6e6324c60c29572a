//! Texts: templates, approvals, sender names and compliance.

pub(crate) mod approvals;
pub(crate) mod compliance;
pub(crate) mod own_approvals;
pub(crate) mod sender_names;
pub(crate) mod template_deletion;
pub(crate) mod template_rendering;
pub(crate) mod templates;
pub(crate) mod writing;
