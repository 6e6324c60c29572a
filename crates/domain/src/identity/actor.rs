//! Actors: the user behind an action and the request that it belongs to.
//!
//! ```
//! use domain::identity::actor::RequestId;
//!
//! assert_eq!(RequestId::new("r-1").as_str(), "r-1");
//! ```

use std::{fmt, sync::Arc};

use super::user::User;
use crate::shared::id::Id;

/// Identifier of the request that an action belongs to, as in the `X-Request-Id` of its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Returns the identifier with this text.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The user behind an action, and the request that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// User who acted.
    pub user: Id<User>,
    /// Request that the action belongs to.
    pub request: RequestId,
    /// True if an administrator acted while impersonating an organization.
    pub is_impersonating: bool,
}
