//! Texts: templates, approvals, sender names and compliance.

pub(crate) mod approvals;
pub(crate) mod sender_names;
pub(crate) mod template_deletion;
pub(crate) mod templates;
