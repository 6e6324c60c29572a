//! Registration of vendors.

use std::sync::Arc;

use ports::providers::provider::MessagingProvider;

use crate::{
    declaration::{Declaration, DeclarationError},
    deps::Deps,
    kind::Vendor,
};

/// Vendor, and the constructor of its adapter.
pub(crate) struct Registration {
    pub(crate) vendor: &'static Vendor,
    /// Checks the values of a declaration, without calling the vendor.
    pub(crate) check: fn(&Declaration) -> Result<(), DeclarationError>,
    pub(crate) build: Build,
    /// Returns the maximum number of concurrent calls if none is declared; `None` is no limit.
    pub(crate) usual_concurrency: fn(&Declaration) -> Option<u32>,
}

pub(crate) type Build =
    fn(&Declaration, &Deps) -> Result<Arc<dyn MessagingProvider>, DeclarationError>;
