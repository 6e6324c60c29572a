//! Recipients: contacts, segments and suppressions.

pub mod contacts;
pub mod imports;
pub mod segments;
pub mod suppressions;
pub mod unsubscribes;
