//! Recipients: contacts, segments and suppressions.

pub(crate) mod contact_jobs;
pub(crate) mod contacts;
pub(crate) mod imports;
pub(crate) mod segments;
pub(crate) mod suppressions;
pub(crate) mod unsubscribes;
