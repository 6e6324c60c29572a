//! Signatures and tokens that authenticate callbacks.

use domain::messaging::callback::{Callback, CallbackRefused};
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use subtle::ConstantTimeEq;

/// Number of hexadecimal digits of a token.
const TOKEN_LENGTH: usize = 32;

/// Returns the HMAC-SHA-256 of `text`.
pub(crate) fn hmac_sha256(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mac = Hmac::<Sha256>::new_from_slice(key).map(|mac| mac.chain_update(text));
    mac.map(|mac| mac.finalize().into_bytes().to_vec()).unwrap_or_default()
}

/// Returns the HMAC-SHA-512 of `text`.
pub(crate) fn hmac_sha512(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mac = Hmac::<Sha512>::new_from_slice(key).map(|mac| mac.chain_update(text));
    mac.map(|mac| mac.finalize().into_bytes().to_vec()).unwrap_or_default()
}

/// Returns the HMAC-SHA-1 of `text`, for vendors that support no newer digest.
pub(crate) fn hmac_sha1(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mac = Hmac::<Sha1>::new_from_slice(key).map(|mac| mac.chain_update(text));
    mac.map(|mac| mac.finalize().into_bytes().to_vec()).unwrap_or_default()
}

/// Encodes bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Compares two texts in constant time.
pub(crate) fn equal(left: &[u8], right: &[u8]) -> bool {
    left.ct_eq(right).into()
}

/// Returns the token in the callback address of a provider whose vendor does not sign. Deriving it
/// takes the key of callbacks.
pub(crate) fn callback_token(key: &[u8], provider: &str) -> String {
    let text = format!("callbacks of {provider}");
    let mut token = hex(&hmac_sha256(key, text.as_bytes()));
    token.truncate(TOKEN_LENGTH);
    token
}

/// Refuses a callback without the right `token` in its query.
pub(crate) fn verify_token(callback: &Callback, token: &str) -> Result<(), CallbackRefused> {
    let shown = callback.parameter("token").unwrap_or_default();
    if equal(shown.as_bytes(), token.as_bytes()) {
        Ok(())
    } else {
        Err(CallbackRefused::Unauthorized)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_are_those_of_the_standards() {
        // RFC 4231, case 2, and RFC 2202, case 2.
        let (key, text) = (b"Jefe", b"what do ya want for nothing?");
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex(&hmac_sha256(key, text)), expected);
        let expected = "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                        9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737";
        assert_eq!(hex(&hmac_sha512(key, text)), expected);
        assert_eq!(hex(&hmac_sha1(key, text)), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    }

    #[test]
    fn a_token_is_good_for_one_provider_only() {
        // printf 'callbacks of one' | openssl dgst -sha256 -hmac re_k3y
        assert_eq!(callback_token(b"re_k3y", "one"), "493a71dd5d7e3ebaecc0e5df1da58c16");
        assert_ne!(callback_token(b"secret", "a"), callback_token(b"secret", "b"));
        assert!(equal(b"same", b"same"));
        assert!(!equal(b"same", b"sane"));
        assert!(!equal(b"same", b"sam"));
    }
}
