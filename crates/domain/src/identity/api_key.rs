//! API keys: credentials of programs.
//!
//! A key is `ak_live_` or `ak_test_`, 64 secret hexadecimal digits, and the three digits of its
//! organization's [`Slot`]. Older keys end after the 64 digits. They still work, since a key is
//! found by the hash of its text, but they contain no slot.

use chrono::{DateTime, Utc};

use crate::{
    identity::{organization::Organization, slot::Slot},
    shared::{fault::Faults, id::Id},
};

/// A credential of a program. The key itself is known to its holder only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Identifier of the key.
    pub id: Id<ApiKey>,
    /// Organization whose data the key gives access to.
    pub organization: Id<Organization>,
    /// Name for people, given by its owner.
    pub name: String,
    /// First characters of the key, by which people recognise it.
    pub prefix: String,
    /// Scopes of the key, each of [`SCOPES`].
    pub scopes: Vec<String>,
    /// True for sandbox keys, whose messages are simulated.
    pub is_sandbox: bool,
    /// Time of expiry; `None` if the key never expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// Time of the last use, accurate to five minutes.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// All scopes that a key may have.
pub const SCOPES: [&str; 5] =
    ["messages:send", "messages:read", "events:read", "events:trigger", "contacts:read"];
/// Scopes of a key that names none.
pub const DEFAULT_SCOPES: [&str; 4] =
    ["messages:send", "messages:read", "events:read", "events:trigger"];
const LIVE: &str = "ak_live_";
const TEST: &str = "ak_test_";
const SECRET_DIGITS: usize = 64;
const PREFIX_LENGTH: usize = 12;
const MAX_NAME: usize = 100;

/// An unchecked request for an API key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiKeyRequest {
    /// Name for people. Required; its absence is an error of its own.
    pub name: String,
    /// True for a sandbox key, whose messages are simulated.
    pub is_sandbox: bool,
    /// Scopes of the key; [`DEFAULT_SCOPES`] if empty.
    pub scopes: Vec<String>,
    /// Time of expiry; `None` if the key never expires.
    pub expires_at: Option<DateTime<Utc>>,
}

impl ApiKeyRequest {
    /// Returns everything that is wrong with the request.
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

/// Writes the key that `secret` makes for the organization.
pub fn write(secret: &[u8; 32], organization: Id<Organization>, is_sandbox: bool) -> String {
    let mode = if is_sandbox { TEST } else { LIVE };
    let secret = secret.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    format!("{mode}{secret}{}", Slot::of(organization))
}

/// Returns the slot of the key's organization; `None` for older keys without a slot and for texts
/// that are no key.
pub fn slot(key: &str) -> Option<Slot> {
    let digits = key.strip_prefix(LIVE).or_else(|| key.strip_prefix(TEST))?;
    let (_, slot) = digits.split_at_checked(SECRET_DIGITS)?;
    slot.parse().ok()
}

/// Returns the first characters of a key, which lists show.
pub fn prefix(key: &str) -> String {
    key.chars().take(PREFIX_LENGTH).collect()
}

/// True if a key with the expiry `expires_at` has expired at `now`.
pub fn has_expired(expires_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    expires_at.is_some_and(|expiry| expiry <= now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn organization() -> Id<Organization> {
        "018bcfe5-6800-7000-8000-0000000000af".parse().unwrap()
    }

    #[test]
    fn a_key_contains_its_mode_and_slot() {
        let key = write(&[0xab; 32], organization(), true);
        assert_eq!(key, format!("ak_test_{}0af", "ab".repeat(32)));
        assert_eq!(slot(&key), Some(organization().slot()));
        assert_eq!(prefix(&key), "ak_test_abab");
        assert!(write(&[0; 32], organization(), false).starts_with("ak_live_"));
    }

    #[test]
    fn older_keys_and_other_texts_have_no_slot() {
        let key = write(&[0xab; 32], organization(), false);
        let before = &key[..key.len() - Slot::DIGITS];
        let other = key.replace("live", "work");
        for text in [before, &other, &key[1..], "ak_live_0af", "", "ɛɛɛ"] {
            assert_eq!(slot(text), None, "{text}");
        }
    }

    #[test]
    fn rejects_an_expiry_in_the_past_and_unknown_scopes() {
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
