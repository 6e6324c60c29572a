//! Recipients of an organization, and their opt-outs.

pub mod contact;
pub mod contact_job;
pub mod import;
pub mod segment;
pub mod suppression;
pub mod unsubscribe;
