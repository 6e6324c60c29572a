//! How a vendor takes its place in the list of vendors.

use std::sync::Arc;

use ports::providers::provider::MessagingProvider;

use crate::{
    declaration::{Declaration, DeclarationError},
    deps::Deps,
    kind::Vendor,
};

/// A vendor, and how its adapter is made.
pub(crate) struct Registration {
    pub(crate) vendor: &'static Vendor,
    /// Checks the values of a declaration, without calling the vendor.
    pub(crate) check: fn(&Declaration) -> Result<(), DeclarationError>,
    pub(crate) build: Build,
    /// How many calls there may be at a time, where the declaration does not say; `None` is any
    /// number.
    pub(crate) usual_concurrency: fn(&Declaration) -> Option<u32>,
}

pub(crate) type Build =
    fn(&Declaration, &Deps) -> Result<Arc<dyn MessagingProvider>, DeclarationError>;
