//! Credentials that are hidden in debug output.

use std::fmt;

/// Credential of a provider. Only [`expose`](Self::expose) returns it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a credential from `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the credential, for the request that needs it and nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_hides_in_debug() {
        assert_eq!(format!("{:?}", Secret::new("hunter2")), "Secret(***)");
        assert_eq!(Secret::new("hunter2").expose(), "hunter2");
    }
}
