//! Codes of an authenticator app: RFC 6238 with HMAC-SHA-1, six digits and steps of 30 seconds, which
//! every app supports.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

use super::base32;

/// Number of bytes of a new secret: the output of SHA-1, as RFC 4226 recommends.
const BYTES: usize = 20;
/// Length of a step, in seconds.
const STEP: i64 = 30;
/// Number of steps before and after the present one whose codes are accepted.
const TOLERANCE: i64 = 1;
/// Number of digits of a code.
const DIGITS: usize = 6;
/// Number of codes.
const CODES: u32 = 1_000_000;
/// Name of this service in the app.
const ISSUER: &str = "Atumpan";

/// Secret that the service shares with an authenticator app. It has no `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret(Vec<u8>);

impl TotpSecret {
    /// Returns the secret made of the first 20 of these random bytes.
    pub fn new(random: &[u8; 32]) -> Self {
        Self(random[..BYTES].to_vec())
    }

    /// Returns the secret with these stored bytes.
    pub fn stored(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the secret.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the secret in base32, for people who type it into an app.
    pub fn to_base32(&self) -> String {
        base32::encode(&self.0)
    }

    /// Returns the address that an app reads as a QR code, with the name of the account.
    pub fn uri(&self, account: &str) -> String {
        let (account, secret) = (percent_encoded(account), self.to_base32());
        format!("otpauth://totp/{ISSUER}:{account}?secret={secret}&issuer={ISSUER}")
    }

    /// Returns the step whose code a person typed at `now`: the present one or a neighbour, if it is
    /// later than the `last` one that was used. `None` for other texts.
    pub fn step(&self, typed: &str, now: DateTime<Utc>, last: Option<i64>) -> Option<i64> {
        let code = read(typed)?;
        let present = now.timestamp().div_euclid(STEP);
        let is_unused = |step: &i64| last.is_none_or(|last| *step > last);
        (present - TOLERANCE..=present + TOLERANCE)
            .filter(is_unused)
            .find(|step| self.code(*step) == code)
    }

    /// Returns the code of a step, as a number.
    fn code(&self, step: i64) -> u32 {
        let mac = hmac(&self.0, &step.to_be_bytes());
        let start = usize::from(mac[mac.len() - 1] & 0xf);
        let bits = [mac[start], mac[start + 1], mac[start + 2], mac[start + 3]];
        (u32::from_be_bytes(bits) & 0x7fff_ffff) % CODES
    }
}

#[expect(clippy::expect_used, reason = "a key of HMAC may have any length")]
fn hmac(key: &[u8], text: &[u8]) -> [u8; BYTES] {
    let mac = Hmac::<Sha1>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.chain_update(text).finalize().into_bytes().into()
}

/// Reads six digits, between which there may be spaces.
fn read(typed: &str) -> Option<u32> {
    let digits: String = typed.chars().filter(|character| !character.is_whitespace()).collect();
    let is_code = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then(|| digits.parse().ok()).flatten()
}

/// Encodes everything but unreserved characters.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    /// Secret of the vectors in RFC 4226 and RFC 6238.
    fn secret() -> TotpSecret {
        TotpSecret::stored(b"12345678901234567890".to_vec())
    }

    #[test]
    fn codes_are_those_of_rfc_6238() {
        // The last six of the eight digits in its appendix B.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(secret().step(code, at(seconds), None), Some(seconds / 30), "{code}");
        }
    }

    #[test]
    fn codes_are_those_of_rfc_4226() {
        let codes = [
            755_224, 287_082, 359_152, 969_429, 338_314, 254_676, 287_922, 162_583, 399_871,
            520_489,
        ];
        for (step, code) in (0..).zip(codes) {
            assert_eq!(secret().code(step), code, "{step}");
        }
    }

    #[test]
    fn a_code_counts_one_step_either_way_and_once() {
        // The code of step 1, from second 30 on.
        let step = |seconds, last| secret().step("287082", at(seconds), last);
        for (seconds, accepted) in [(0, true), (29, true), (30, true), (89, true), (90, false)] {
            assert_eq!(step(seconds, None), accepted.then_some(1), "at {seconds}");
        }
        assert_eq!(secret().step("359152", at(29), None), None, "the code of step 2");
        assert_eq!(step(45, Some(0)), Some(1));
        assert_eq!(step(45, Some(1)), None);
        assert_eq!(step(45, Some(2)), None);
    }

    #[test]
    fn only_six_digits_are_a_code() {
        assert_eq!(secret().step(" 287 082\n", at(45), None), Some(1));
        for typed in ["", "28708", "2870820", "+87082", "28708２", "287-082", "287082 1"] {
            assert_eq!(secret().step(typed, at(45), None), None, "{typed:?}");
        }
    }

    #[test]
    fn an_app_reads_the_address() {
        assert_eq!(
            secret().uri("ama+1@example.com"),
            "otpauth://totp/Atumpan:ama%2B1%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&\
             issuer=Atumpan"
        );
        assert_eq!(TotpSecret::new(&[7; 32]).as_bytes(), [7; 20]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(typed: String, seconds in 0..1_000_000_000_000_i64) {
            let step = secret().step(&typed, at(seconds), None);
            prop_assert!(step.is_none_or(|step| (step - seconds / 30).abs() <= 1));
        }
    }
}
