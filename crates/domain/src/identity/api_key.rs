//! API keys: credentials of programs.
//!
//! A key is `ak_live_` or `ak_test_`, 64 hexadecimal digits that are secret, and the three of its
//! organization's [`Slot`]. Keys of before end after the 64. They work all the same, for a key is found
//! by the hash of its text, but they tell no slot.

use chrono::{DateTime, Utc};

use crate::{
    identity::organization::Organization,
    shared::{fault::Faults, id::Id, slot::Slot},
};

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
const LIVE: &str = "ak_live_";
const TEST: &str = "ak_test_";
const SECRET_DIGITS: usize = 64;
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

/// Writes the key of an organization that `secret` makes.
pub fn write(secret: &[u8; 32], organization: Id<Organization>, is_sandbox: bool) -> String {
    let mode = if is_sandbox { TEST } else { LIVE };
    let secret = secret.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    format!("{mode}{secret}{}", Slot::of(organization))
}

/// The slot of the organization whose key this is. None if it was made before keys told it, or is no
/// key.
pub fn slot(key: &str) -> Option<Slot> {
    let digits = key.strip_prefix(LIVE).or_else(|| key.strip_prefix(TEST))?;
    let (_, slot) = digits.split_at_checked(SECRET_DIGITS)?;
    slot.parse().ok()
}

/// The first characters of a key, which lists show.
pub fn prefix(key: &str) -> String {
    key.chars().take(PREFIX_LENGTH).collect()
}

/// Whether a key that ceases to work at `expires_at` has done so at `now`.
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
    fn a_key_tells_its_mode_and_its_slot_and_its_prefix_tells_little_more_than_the_mode() {
        let key = write(&[0xab; 32], organization(), true);
        assert_eq!(key, format!("ak_test_{}0af", "ab".repeat(32)));
        assert_eq!(slot(&key), Some(organization().slot()));
        assert_eq!(prefix(&key), "ak_test_abab");
        assert!(write(&[0; 32], organization(), false).starts_with("ak_live_"));
    }

    #[test]
    fn a_key_of_before_tells_no_slot_and_neither_does_what_is_no_key() {
        let key = write(&[0xab; 32], organization(), false);
        let before = &key[..key.len() - Slot::DIGITS];
        let other = key.replace("live", "work");
        for text in [before, &other, &key[1..], "ak_live_0af", "", "ɛɛɛ"] {
            assert_eq!(slot(text), None, "{text}");
        }
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
