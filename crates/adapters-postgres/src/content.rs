//! Texts: templates, approvals, sender names and compliance.

pub(crate) mod approval_requests;
pub(crate) mod requested_approvals;
pub(crate) mod sender_names;
pub(crate) mod templates;
