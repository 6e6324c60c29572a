//! API keys: credentials of programs.

use chrono::{DateTime, Utc};

use crate::{fault::Faults, id::Id, organization::Organization};

/// A credential of a program. The key itself is known to its holder only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Which key this is.
    pub id: Id<ApiKey>,
    /// Whose data it opens.
    pub organization: Id<Organization>,
    /// What its owner calls it.
    pub name: String,
    /// Its first characters, to recognise it by.
    pub prefix: String,
    /// What it may be used for; of [`SCOPES`].
    pub scopes: Vec<String>,
    /// Whether its messages only rehearse.
    pub is_sandbox: bool,
    /// When it ceases to work.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was last used, to five minutes.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// All that a key may be used for.
pub const SCOPES: [&str; 5] =
    ["messages:send", "messages:read", "events:read", "events:trigger", "contacts:read"];
/// What a key without scopes of its own may be used for.
pub const DEFAULT_SCOPES: [&str; 4] =
    ["messages:send", "messages:read", "events:read", "events:trigger"];
const PREFIX_LENGTH: usize = 12;
const MAX_NAME: usize = 100;

/// An API key as somebody asked for it; nothing is checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiKeyRequest {
    /// What to call it. Required; its absence is an error of its own.
    pub name: String,
    /// Whether its messages only rehearse.
    pub is_sandbox: bool,
    /// What it may be used for; empty is [`DEFAULT_SCOPES`].
    pub scopes: Vec<String>,
    /// When it ceases to work.
    pub expires_at: Option<DateTime<Utc>>,
}

impl ApiKeyRequest {
    /// Everything that is wrong with the request.
    pub fn faults(&self, now: DateTime<Utc>) -> Faults {
        let mut faults = Faults::default();
        if self.name.chars().count() > MAX_NAME || self.name.chars().any(char::is_control) {
            faults.add("name", format!("must be a line of at most {MAX_NAME} characters"));
        }
        for (index, scope) in self.scopes.iter().enumerate() {
            if !SCOPES.contains(&scope.as_str()) {
                let known = SCOPES.join(", ");
                faults.add(format!("scopes.{index}"), format!("must be one of {known}"));
            }
        }
        if self.expires_at.is_some_and(|expiry| expiry <= now) {
            faults.add("expiresAt", "must be in the future");
        }
        faults
    }
}

/// Writes the key that `secret` makes: `ak_test_` or `ak_live_` and 64 hexadecimal digits.
pub fn write(secret: &[u8; 32], is_sandbox: bool) -> String {
    let mode = if is_sandbox { "ak_test_" } else { "ak_live_" };
    secret.iter().fold(mode.to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

/// The first characters of a key, which lists show.
pub fn prefix(key: &str) -> String {
    key.chars().take(PREFIX_LENGTH).collect()
}

impl ApiKey {
    /// Whether it still works at `now`.
    pub fn is_valid(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_none_or(|expiry| now < expiry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_its_mode_and_its_prefix_tells_little_more() {
        let key = write(&[0xab; 32], true);
        assert!(key.starts_with("ak_test_abab"));
        assert_eq!(key.len(), 8 + 64);
        assert_eq!(prefix(&key), "ak_test_abab");
        assert!(write(&[0; 32], false).starts_with("ak_live_"));
    }

    #[test]
    fn a_key_must_expire_later_and_its_scopes_are_told_by_name() {
        let request = ApiKeyRequest {
            name: "ci".into(),
            scopes: vec!["messages:send".into(), "messages:write".into()],
            expires_at: Some(DateTime::UNIX_EPOCH),
            ..ApiKeyRequest::default()
        };
        let faults = request.faults(DateTime::UNIX_EPOCH);
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["expiresAt", "scopes.1"]);
        assert!(faults.fields["scopes.1"][0].contains("messages:send, messages:read"));
        assert!(DEFAULT_SCOPES.iter().all(|scope| SCOPES.contains(scope)));
    }
}
