//! Recipients: contacts, segments and suppressions.

pub(crate) mod consent;
pub(crate) mod contact_jobs;
pub(crate) mod contact_lists;
pub(crate) mod contacts;
pub(crate) mod import_previews;
pub(crate) mod import_undos;
pub(crate) mod imports;
pub(crate) mod repeated_imports;
pub(crate) mod segments;
pub(crate) mod suppressions;
pub(crate) mod unsubscribes;
