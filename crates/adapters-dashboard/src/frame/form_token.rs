//! Tokens of forms: only a page that this service gave to the browser holds one.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{identity::organization::Organization, shared::id::Id};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

const PURPOSE: &[u8] = b"form of the dashboard";
const LENGTH: usize = 32;

/// Secret from which the tokens of one browser are made.
#[derive(Clone)]
pub(crate) struct FormSecret([u8; LENGTH]);

impl FormSecret {
    /// Returns the secret of a browser, by the value of its session's or guest's cookie, and of the
    /// organization that it names: a form that was opened in one organization does not act in another.
    pub(crate) fn of(cookie: &str, organization: Option<Id<Organization>>) -> Self {
        let organization = organization.map(|id| id.to_string()).unwrap_or_default();
        // A key may have any length.
        let mac = Hmac::<Sha256>::new_from_slice(cookie.as_bytes());
        let mac = mac.map(|mac| mac.chain_update(PURPOSE).chain_update(organization));
        Self(mac.map_or([0; LENGTH], |mac| mac.finalize().into_bytes().into()))
    }

    /// Returns a token. `mask` must be unpredictable: answers are compressed, and a text that is the
    /// same in each of them could be guessed from their lengths.
    pub(crate) fn token(&self, mask: [u8; LENGTH]) -> String {
        let hidden = std::array::from_fn::<u8, LENGTH, _>(|index| {
            mask.get(index).copied().unwrap_or_default()
                ^ self.0.get(index).copied().unwrap_or_default()
        });
        URL_SAFE_NO_PAD.encode([mask, hidden].concat())
    }

    /// True if the token was made from this secret.
    pub(crate) fn made(&self, token: &str) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(token) else { return false };
        let Some((mask, hidden)) = bytes.split_at_checked(LENGTH) else { return false };
        let shown: Vec<u8> = mask.iter().zip(hidden).map(|(mask, byte)| mask ^ byte).collect();
        hidden.len() == LENGTH && bool::from(shown.ct_eq(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use domain::identity::organization::PLATFORM;

    use super::*;

    #[test]
    fn a_token_differs_each_time_and_belongs_to_one_browser_in_one_organization() {
        let secret = FormSecret::of("session of Ama", None);
        let tokens = [secret.token([1; 32]), secret.token([2; 32])];
        assert_ne!(tokens[0], tokens[1]);
        assert!(tokens.iter().all(|token| secret.made(token)));
        assert!(!FormSecret::of("session of Kofi", None).made(&tokens[0]));
        assert!(!FormSecret::of("session of Ama", Some(PLATFORM)).made(&tokens[0]));
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let secret = FormSecret::of("session", None);
        let long = format!("{}AAAA", secret.token([1; 32]));
        for text in ["", "a", "!!!", &secret.token([1; 32])[..80], &long] {
            assert!(!secret.made(text), "{text}");
        }
    }
}
