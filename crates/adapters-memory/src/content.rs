//! Texts: templates, approvals, sender names and compliance.

pub(crate) mod templates;
