//! Users as platform administrators see and change them.
//!
//! ```
//! use domain::platform::user::UserFilter;
//!
//! assert!(UserFilter { search: Some("ama".to_owned()) }.checked().is_ok());
//! ```

use crate::{
    identity::user::PlatformRole,
    shared::{change::Change, fault::Faults, text},
};

/// Maximum length of a search text, in characters.
const MAX_SEARCH: usize = 100;

/// Filter for listed users.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserFilter {
    /// Text contained in their addresses or names, regardless of case.
    pub search: Option<String>,
}

impl UserFilter {
    /// Returns the checked filter. Fails if the search text is invalid.
    pub fn checked(self) -> Result<Self, Faults> {
        let search = self.search.as_deref().map(|search| text::line(search, MAX_SEARCH));
        match search.transpose() {
            Ok(search) => Ok(Self { search }),
            Err(fault) => Err(Faults::field("search", fault)),
        }
    }
}

/// Changes of a user by a platform administrator.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserUpdate {
    /// Role on the platform; `Set(None)` makes an ordinary user.
    pub platform_role: Change<PlatformRole>,
    /// True if the address counts as verified, false if not; `None` keeps it as it is.
    pub is_email_verified: Option<bool>,
}

impl UserUpdate {
    /// True if the user is no administrator of the platform afterwards.
    pub fn takes_role_away(&self) -> bool {
        self.platform_role == Change::Set(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_text_is_one_short_line() {
        let filter = |search: &str| UserFilter { search: Some(search.to_owned()) }.checked();
        assert_eq!(filter(" Ama ").unwrap().search.as_deref(), Some("Ama"));
        assert!(filter(" ").is_err() && filter("a\nb").is_err());
        assert!(filter(&"a".repeat(MAX_SEARCH + 1)).is_err());
        assert_eq!(UserFilter::default().checked(), Ok(UserFilter::default()));
    }

    #[test]
    fn only_a_cleared_role_is_taken_away() {
        let update = |platform_role| UserUpdate { platform_role, is_email_verified: Some(true) };
        assert!(update(Change::Set(None)).takes_role_away());
        assert!(!update(Change::Keep).takes_role_away());
        assert!(!update(Change::Set(Some(PlatformRole::SuperAdmin))).takes_role_away());
    }
}
