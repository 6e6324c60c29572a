//! Recipients: contacts, segments and suppressions.

pub mod contact_jobs;
pub mod contacts;
pub mod imports;
pub mod segments;
pub mod suppressions;
pub mod unsubscribes;
