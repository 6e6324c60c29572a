//! Texts: templates, approvals, sender names and compliance.

pub mod approvals;
pub mod compliance;
pub mod sender_names;
pub mod templates;
pub mod writing;
