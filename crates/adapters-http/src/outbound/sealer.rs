//! Sealing of stored secrets: AES-256-GCM.

use hmac::Mac;
use ports::shared::sealer::{SealError, Sealer};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use super::hmac_sha256::keyed;

/// Purpose from which, with a secret, the key is derived, so that the secret can sign other things too.
const PURPOSE: &[u8] = b"sealing of stored secrets";
/// First byte of what is sealed, so that the format can change.
const VERSION: u8 = 1;

/// Seals secrets with a key that all instances share.
///
/// A sealed secret is a version, a random nonce, the encrypted secret and its tag. The owner is
/// authenticated with it.
pub struct AesSealer(LessSafeKey);

impl AesSealer {
    /// Seals with a key that is derived from `secret`, which should have 32 bytes at least.
    #[expect(
        clippy::expect_used,
        clippy::missing_panics_doc,
        reason = "the hash is as long as the key"
    )]
    pub fn new(secret: &[u8]) -> Self {
        let key = keyed(secret).chain_update(PURPOSE).finalize().into_bytes();
        Self(LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key).expect("the key has 32 bytes")))
    }
}

impl Sealer for AesSealer {
    fn seal(&self, secret: &[u8], owner: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| SealError)?;
        let mut encrypted = secret.to_vec();
        self.0
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(owner),
                &mut encrypted,
            )
            .map_err(|_| SealError)?;
        let mut sealed = vec![VERSION];
        sealed.extend(nonce);
        sealed.extend(encrypted);
        Ok(sealed)
    }

    fn open(&self, sealed: &[u8], owner: &[u8]) -> Result<Vec<u8>, SealError> {
        let (&version, rest) = sealed.split_first().ok_or(SealError)?;
        let (nonce, encrypted) = rest.split_at_checked(NONCE_LEN).ok_or(SealError)?;
        if version != VERSION {
            return Err(SealError);
        }
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| SealError)?;
        let mut opened = encrypted.to_vec();
        let secret = self.0.open_in_place(nonce, Aad::from(owner), &mut opened);
        Ok(secret.map_err(|_| SealError)?.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &[u8] = b"a secret of thirty-two bytes, ok";

    proptest! {
        #[test]
        fn a_secret_is_opened_only_for_its_owner_and_unchanged(
            secret: Vec<u8>, owner: [u8; 16], at: prop::sample::Index, bit in 0..8_u8,
        ) {
            let sealer = AesSealer::new(SECRET);
            let sealed = sealer.seal(&secret, &owner).unwrap();

            prop_assert_eq!(sealer.open(&sealed, &owner).unwrap(), secret.clone());
            let mut changed = sealed.clone();
            changed[at.index(sealed.len())] ^= 1_u8 << bit;
            prop_assert!(sealer.open(&changed, &owner).is_err());
            prop_assert!(sealer.open(&sealed[1..], &owner).is_err());
            prop_assert!(sealer.open(&sealed, &owner[1..]).is_err());
            prop_assert!(AesSealer::new(b"another").open(&sealed, &owner).is_err());
            prop_assert_ne!(sealer.seal(&secret, &owner).unwrap(), sealed);
        }

        #[test]
        fn no_other_bytes_are_opened(bytes: Vec<u8>) {
            prop_assert!(AesSealer::new(SECRET).open(&bytes, b"owner").is_err());
        }
    }

    #[test]
    fn a_sealed_secret_is_opened_by_the_next_release() {
        // Made by Python's `cryptography` with the nonce 0, 1, …, 11.
        let sealed = [
            1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0a, 0x0b, 0xf3, 0x50, 0x89, 0x2a, 0x3f, 0x48, 0x0d,
            0xf0, 0x22, 0xc1, 0xc3, 0x7c, 0xb9, 0x29, 0x15, 0xa6, 0x4d, 0xa9, 0x30, 0x24, 0x22, 9,
            0xc8, 0x40, 0x46, 0xf0, 0xe1, 0xc0, 0x1d, 0xe6, 0xbb,
        ];
        assert_eq!(AesSealer::new(SECRET).open(&sealed, b"owner").unwrap(), b"a stored secret");
    }
}
