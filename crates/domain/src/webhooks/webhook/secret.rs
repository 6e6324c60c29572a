//! Secrets of endpoints.

use super::WebhookSecret;

/// Prefix of every secret.
const PREFIX: &str = "whsec_";
/// Number of random bytes in a secret.
const BYTES: usize = 24;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl WebhookSecret {
    /// Returns the secret made of the first 24 of these random bytes.
    pub fn new(random: &[u8; 32]) -> Self {
        let mut text = PREFIX.to_owned();
        for three in random[..BYTES].chunks_exact(3) {
            let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
            let letters = [18, 12, 6, 0].map(|shift| bits >> shift & 0x3f);
            text.extend(letters.map(|letter| char::from(ALPHABET[letter as usize])));
        }
        Self(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_a_prefix_and_the_base64_of_24_bytes() {
        let mut random = [0; 32];
        random[..BYTES].copy_from_slice(b"0123456789abcdef01234567");
        assert_eq!(WebhookSecret::new(&random).expose(), "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3");
        assert_eq!(WebhookSecret::new(&[0xff; 32]).expose(), format!("whsec_{}", "/".repeat(32)));
    }
}
