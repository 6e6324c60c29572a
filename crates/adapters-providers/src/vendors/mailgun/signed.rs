//! Signatures of Mailgun's webhooks:
//! <https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks>.
//!
//! The signature covers a time and a token, but not the event. So each token is valid for one
//! event: a token with a second event was copied. The same event may arrive again, because Mailgun
//! repeats webhooks that were not accepted.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, Utc};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{secret::Secret, signature};

/// Maximum age of a webhook in seconds: Mailgun repeats webhooks for eight hours.
const OLDEST: i64 = 86_400;
/// Accepted clock difference in seconds.
const TOLERANCE: i64 = 300;
/// Number of remembered tokens, of 64 bytes each.
const REMEMBERED: usize = 65_536;

#[derive(Deserialize)]
struct Signed {
    signature: Signature,
}

#[derive(Deserialize)]
struct Signature {
    timestamp: String,
    token: String,
    #[serde(rename = "signature")]
    digits: String,
}

/// Verifier of signed webhooks.
pub(super) struct Signatures {
    key: Secret,
    tokens: Mutex<Tokens>,
}

/// Recently used tokens, and the webhooks that used them.
#[derive(Default)]
struct Tokens {
    calls: HashMap<[u8; 32], [u8; 32]>,
    oldest_first: VecDeque<[u8; 32]>,
}

impl Signatures {
    /// Creates a verifier with the account's key for webhooks.
    pub(super) fn by(key: Secret) -> Self {
        Self { key, tokens: Mutex::default() }
    }

    /// True if a webhook is signed: HMAC-SHA-256 of its time and its token, in hexadecimal digits,
    /// recent, and with a token that no other webhook used.
    pub(super) fn is_signed(&self, body: &[u8], now: DateTime<Utc>) -> bool {
        let Ok(Signed { signature }) = serde_json::from_slice::<Signed>(body) else { return false };
        let Signature { timestamp, token, digits } = signature;
        let text = format!("{timestamp}{token}");
        let expected = signature::hmac_sha256(self.key.expose().as_bytes(), text.as_bytes());
        let is_ours = signature::equal(digits.as_bytes(), signature::hex(&expected).as_bytes());
        let age = timestamp.parse().map(|at: i64| now.timestamp().saturating_sub(at));
        let is_of_now = age.is_ok_and(|age| (-TOLERANCE..=OLDEST).contains(&age));
        is_ours && is_of_now && self.is_first_use(token.as_bytes(), body)
    }

    fn is_first_use(&self, token: &[u8], body: &[u8]) -> bool {
        let (token, call) = (Sha256::digest(token).into(), Sha256::digest(body).into());
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.use_for(token, call)
    }
}

impl Tokens {
    /// Marks a token as used by a webhook. True if no other webhook used it.
    fn use_for(&mut self, token: [u8; 32], call: [u8; 32]) -> bool {
        if let Some(known) = self.calls.get(&token) {
            return *known == call;
        }
        if self.oldest_first.len() >= REMEMBERED
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.calls.remove(&oldest);
        }
        self.calls.insert(token, call);
        self.oldest_first.push_back(token);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: i64 = 1_770_920_772;
    /// `printf 1770920772e0b54771 | openssl dgst -sha256 -hmac key-1`
    const SIGNATURE: &str = "c0c65bd20b788a119da6a129813a36221e6e8366c34bf09d578355573bfd0544";

    fn body(signature: &str, event: &str) -> String {
        format!(
            r#"{{"signature":{{"timestamp":"{AT}","token":"e0b54771",
                "signature":"{signature}"}},"event-data":{{"event":"{event}"}}}}"#
        )
    }

    fn is_signed(signatures: &Signatures, body: &str, now: i64) -> bool {
        signatures.is_signed(body.as_bytes(), DateTime::from_timestamp(now, 0).unwrap())
    }

    fn by(key: &str) -> Signatures {
        Signatures::by(Secret::new(key))
    }

    #[test]
    fn the_signature_is_over_time_and_token() {
        let delivered = body(SIGNATURE, "delivered");
        assert!(is_signed(&by("key-1"), &delivered, AT));
        assert!(!is_signed(&by("key-2"), &delivered, AT));
        assert!(!is_signed(&by("key-1"), &body("", "delivered"), AT));
        assert!(!is_signed(&by("key-1"), "{}", AT));
    }

    #[test]
    fn a_signature_is_good_for_a_day() {
        let delivered = body(SIGNATURE, "delivered");
        for (now, is_good) in
            [(AT - 300, true), (AT + 86_400, true), (AT - 301, false), (AT + 86_401, false)]
        {
            assert_eq!(is_signed(&by("key-1"), &delivered, now), is_good, "{now}");
        }
    }

    #[test]
    fn a_token_is_valid_for_one_event_and_its_repeats() {
        let signatures = by("key-1");
        let (delivered, failed) = (body(SIGNATURE, "delivered"), body(SIGNATURE, "failed"));
        assert!(is_signed(&signatures, &delivered, AT));
        assert!(!is_signed(&signatures, &failed, AT));
        assert!(is_signed(&signatures, &delivered, AT + 60));
    }

    #[test]
    fn a_limited_number_of_tokens_is_remembered() {
        let mut tokens = Tokens::default();
        let token = |number: usize| Sha256::digest(number.to_be_bytes()).into();
        for number in 0..=REMEMBERED {
            assert!(tokens.use_for(token(number), token(0)));
        }
        assert_eq!((tokens.calls.len(), tokens.oldest_first.len()), (REMEMBERED, REMEMBERED));
        assert!(!tokens.use_for(token(1), token(7)), "the oldest went, and no other");
    }
}
