//! Strength of secrets.

use std::collections::BTreeSet;

use super::{check::Finding, checks::SECRETS_STRONG, is_production};
use crate::config::Config;

/// Minimum number of different bytes in a secret: 32 random hexadecimal digits have fewer with a
/// probability below one in ten thousand.
const DIFFERENT: usize = 9;
/// Texts of examples and of keyboards.
const KNOWN: [&str; 9] = [
    "0123456789abcdef",
    "abcdefgh",
    "12345678",
    "changeme",
    "change-me",
    "example",
    "password",
    "qwertyui",
    "secret",
];

/// Examines the secrets. They are not shown.
pub(super) fn examine(config: &Config) -> Finding {
    let security = &config.security;
    let secrets = [
        ("ATUMPAN_JWT_SECRET", &security.jwt_secret),
        ("ATUMPAN_SEAL_SECRET", &security.seal_secret),
        ("ATUMPAN_LINK_SECRET", &security.link_secret),
        ("ATUMPAN_CALLBACK_SECRET", &security.callback_secret),
    ];
    let given: Vec<(&str, &str)> =
        secrets.iter().filter_map(|(name, secret)| Some((*name, secret.as_deref()?))).collect();
    let mut problems: Vec<String> = Vec::new();
    for (index, (name, secret)) in given.iter().enumerate() {
        if is_weak(secret) {
            problems.push(format!("{name} can be guessed"));
        }
        let twin = given.iter().skip(index + 1).find(|(_, other)| other == secret);
        problems.extend(twin.map(|(other, _)| format!("{name} and {other} are the same")));
    }
    if problems.is_empty() {
        return SECRETS_STRONG.ok(format!("{} secrets are set, and none is weak", given.len()));
    }
    SECRETS_STRONG.broken(is_production(config), problems.join("; "))
}

/// True if a secret repeats few characters, or is a text that comes to everybody's mind.
fn is_weak(secret: &str) -> bool {
    let different: BTreeSet<u8> = secret.bytes().collect();
    let small = secret.to_ascii_lowercase();
    different.len() < DIFFERENT || KNOWN.iter().any(|known| small.contains(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_and_known_texts_are_weak_and_random_ones_are_not() {
        for weak in [
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "0101010101010101010101010101010101010101",
            "my very own Secret of 32 letters!",
            "0123456789abcdef0123456789abcdef",
        ] {
            assert!(is_weak(weak), "{weak}");
        }
        for strong in [
            "9f2c41d7a0b85e63f1927dc4080e6ba5",
            "kQ7v-Zp1Xr4_tLw9Yb2Nc6MhJs8Dg3Fa",
            "battery staple of a correct horse",
        ] {
            assert!(!is_weak(strong), "{strong}");
        }
    }
}
