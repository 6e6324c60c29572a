//! Recipients: contacts, segments and suppressions.

pub(crate) mod suppressions;
