//! Organizations as platform administrators see them.
//!
//! ```
//! use domain::platform::tenant::TenantFilter;
//!
//! assert!(TenantFilter::default().is_everybody());
//! ```

use crate::{
    identity::organization::Organization,
    shared::{fault::Faults, money::Money, text},
};

/// Maximum length of a search text, in characters.
const MAX_SEARCH: usize = 100;

/// An organization with its number of members and its balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    /// The organization.
    pub organization: Organization,
    /// Number of members.
    pub members: u64,
    /// Balance of its wallet.
    pub balance: Money,
}

/// Filter for listed organizations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TenantFilter {
    /// Text contained in their names, regardless of case.
    pub search: Option<String>,
    /// True for suspended organizations only, false for others only.
    pub is_suspended: Option<bool>,
}

impl TenantFilter {
    /// True if every organization is listed.
    pub const fn is_everybody(&self) -> bool {
        self.search.is_none() && self.is_suspended.is_none()
    }

    /// Returns the checked filter. Fails if the search text is invalid.
    pub fn checked(self) -> Result<Self, Faults> {
        let search = self.search.as_deref().map(|search| text::line(search, MAX_SEARCH));
        match search.transpose() {
            Ok(search) => Ok(Self { search, ..self }),
            Err(fault) => Err(Faults::field("search", fault)),
        }
    }
}
