//! Texts: templates, approvals, sender names, compliance and writing.

pub mod approval;
pub mod compliance;
pub mod sender_name;
pub mod template;
pub mod writing;
