//! Organizations, as platform administrators see them.

use crate::{
    identity::organization::Organization,
    shared::{fault::Faults, money::Money, text},
};

/// The longest text that names are searched for, in characters.
const MAX_SEARCH: usize = 100;

/// An organization with what it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    /// The organization.
    pub organization: Organization,
    /// How many members it has.
    pub members: u64,
    /// What is in its wallet.
    pub balance: Money,
}

/// Which organizations are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TenantFilter {
    /// A text that their names contain, in either case.
    pub search: Option<String>,
    /// Whether they are suspended.
    pub is_suspended: Option<bool>,
}

impl TenantFilter {
    /// Whether every organization is listed.
    pub const fn is_everybody(&self) -> bool {
        self.search.is_none() && self.is_suspended.is_none()
    }

    /// The filter, or what is wrong with it.
    pub fn checked(self) -> Result<Self, Faults> {
        let search = self.search.as_deref().map(|search| text::line(search, MAX_SEARCH));
        match search.transpose() {
            Ok(search) => Ok(Self { search, ..self }),
            Err(fault) => Err(Faults::field("search", fault)),
        }
    }
}
