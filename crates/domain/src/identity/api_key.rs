//! API keys: credentials of programs.
//!
//! A key is `ak_live_` or `ak_test_`, 64 secret hexadecimal digits, and the three digits of its
//! organization's [`Slot`]. Older keys end after the 64 digits. They still work, since a key is
//! found by the hash of its text, but they contain no slot.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     identity::{api_key, organization::Organization},
//!     shared::id::Id,
//! };
//!
//! let shop = Id::<Organization>::new(DateTime::UNIX_EPOCH);
//! let key = api_key::write(&[7; 32], shop, true);
//! assert!(key.starts_with("ak_test_") && api_key::slot(&key).is_some());
//! ```

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    identity::{organization::Organization, scope::Scope, slot::Slot, user::User},
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
    /// Names of the key's [scopes](Scope).
    pub scopes: Vec<String>,
    /// True for sandbox keys, whose messages are simulated.
    pub is_sandbox: bool,
    /// Time of expiry; `None` if the key never expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// Time of the last use, accurate to five minutes.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Member who created the key; `None` for keys from before that was recorded.
    pub created_by: Option<Id<User>>,
}

/// Names of the scopes of a key that names none.
pub const DEFAULT_SCOPES: [&str; 4] = {
    let [send, read, read_events, trigger] = Scope::DEFAULT;
    [send.as_str(), read.as_str(), read_events.as_str(), trigger.as_str()]
};
/// Maximum time for which a rotated key remains valid beside its successor, in hours.
pub const MAX_OVERLAP_HOURS: i32 = 168;
/// Time for which a rotated key remains valid if the request names none, in hours.
pub const DEFAULT_OVERLAP_HOURS: i32 = 24;
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
            if let Err(unknown) = scope.parse::<Scope>() {
                faults.add(format!("scopes.{index}"), unknown.to_string());
            }
        }
        if self.expires_at.is_some_and(|expiry| expiry <= now) {
            faults.add("expiresAt", "must be in the future");
        }
        faults
    }
}

/// Returns the time for which a rotated key remains valid beside its successor.
pub fn overlap(hours: Option<i32>) -> Result<TimeDelta, Faults> {
    match hours.unwrap_or(DEFAULT_OVERLAP_HOURS) {
        hours @ 0..=MAX_OVERLAP_HOURS => Ok(TimeDelta::hours(hours.into())),
        _ => {
            let fault = format!("must be between 0 and {MAX_OVERLAP_HOURS}");
            Err(Faults::field("overlapHours", fault))
        }
    }
}

impl ApiKey {
    /// Returns the key that follows this one at `now`, with the same rights and the same lifetime.
    /// It is known by `text`.
    #[must_use]
    pub fn successor(&self, text: &str, creator: Id<User>, now: DateTime<Utc>) -> Self {
        Self {
            id: Id::new_in(now, self.organization),
            prefix: prefix(text),
            expires_at: self.expires_at.map(|expiry| now + (expiry - self.created_at)),
            last_used_at: None,
            created_at: now,
            created_by: Some(creator),
            ..self.clone()
        }
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
    fn a_successor_has_the_rights_and_the_lifetime_of_the_key() {
        let created_at = DateTime::UNIX_EPOCH;
        let key = ApiKey {
            id: Id::new_in(created_at, organization()),
            organization: organization(),
            name: "ci".into(),
            prefix: "ak_live_0000".into(),
            scopes: vec!["contacts:read".into()],
            is_sandbox: false,
            expires_at: Some(created_at + TimeDelta::days(90)),
            last_used_at: Some(created_at),
            created_at,
            created_by: None,
        };
        let (now, creator) = (created_at + TimeDelta::days(80), Id::floor(created_at));

        let next = key.successor("ak_live_abababab", creator, now);

        assert_eq!((next.name, next.scopes), (key.name.clone(), key.scopes.clone()));
        assert_eq!((next.prefix.as_str(), next.last_used_at), ("ak_live_abab", None));
        assert_eq!(next.expires_at, Some(now + TimeDelta::days(90)));
        assert_eq!((next.created_at, next.created_by), (now, Some(creator)));
        assert_ne!(next.id, key.id);
        let lasting = ApiKey { expires_at: None, ..key };
        assert_eq!(lasting.successor("ak_live_abababab", creator, now).expires_at, None);
    }

    #[test]
    fn a_rotated_key_remains_valid_for_a_week_at_most() {
        assert_eq!(overlap(None), Ok(TimeDelta::hours(24)));
        for hours in [0, 1, 168] {
            assert_eq!(overlap(Some(hours)), Ok(TimeDelta::hours(hours.into())));
        }
        for hours in [-1, 169, i32::MIN, i32::MAX] {
            let faults = overlap(Some(hours)).unwrap_err();
            assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["overlapHours"]);
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
    }
}
