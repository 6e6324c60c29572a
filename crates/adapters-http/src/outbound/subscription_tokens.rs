//! Tokens of unsubscribe links.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{
    audience::unsubscribe::Subscription,
    identity::slot::Slot,
    shared::{address::Address, channel::Channel, id::Id},
};
use hmac::{Hmac, Mac};
use ports::audience::unsubscribes::SubscriptionTokens;
use sha2::Sha256;
use uuid::Uuid;

use super::hmac_sha256::keyed;

/// Purpose from which, with a secret, the keys of these tokens are derived, so that the secret can
/// sign other things too.
const PURPOSE: &[u8] = b"links to unsubscribe";
/// First byte of a token, so that the format can change.
const VERSION: u8 = 1;
/// Letter of advertising, the only category that a token ends.
const MARKETING: u8 = b'M';
/// Number of bytes of an organization's identifier, and of a signature, in a token.
const ID: usize = 16;
const SIGNATURE: usize = 16;
/// Number of bytes of version, organization, channel and category.
const HEAD: usize = ID + 3;

/// Writes and reads tokens with secrets that all instances share.
///
/// A token is the base64 (for addresses) of version, organization, channel, category, address and
/// half of their HMAC-SHA-256, and ends in the organization's slot.
pub struct SignedTokens {
    signing: Hmac<Sha256>,
    /// All keys that are accepted.
    keys: Vec<Hmac<Sha256>>,
}

impl SignedTokens {
    /// Signs with `secret`, and accepts signatures by one of `older`. Each should have 32 bytes at least.
    pub fn new(secret: &[u8], older: &[&[u8]]) -> Self {
        let signing = key(secret);
        let older = older.iter().map(|secret| key(secret));
        let keys = std::iter::once(signing.clone()).chain(older).collect();
        Self { signing, keys }
    }

    fn is_signed(&self, claims: &[u8], signature: &[u8]) -> bool {
        self.keys
            .iter()
            .any(|key| key.clone().chain_update(claims).verify_truncated_left(signature).is_ok())
    }
}

impl SubscriptionTokens for SignedTokens {
    fn issue(&self, subscription: &Subscription) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend(subscription.organization.uuid().into_bytes());
        bytes.extend([letter(subscription.channel), MARKETING]);
        bytes.extend(subscription.address.as_str().as_bytes());
        let signature = self.signing.clone().chain_update(&bytes).finalize().into_bytes();
        bytes.extend(&signature[..SIGNATURE]);
        let slot = Slot::of(subscription.organization);
        format!("{}{slot}", BASE64_URL_SAFE_NO_PAD.encode(bytes))
    }

    fn read(&self, token: &str) -> Option<Subscription> {
        let (encoded, slot) = token.split_at_checked(token.len().checked_sub(Slot::DIGITS)?)?;
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(encoded).ok()?;
        let (claims, signature) = bytes.split_at_checked(bytes.len().checked_sub(SIGNATURE)?)?;
        if !self.is_signed(claims, signature) {
            return None;
        }
        let (head, address) = claims.split_at_checked(HEAD)?;
        let (&version, head) = head.split_first()?;
        let (organization, kind) = head.split_at_checked(ID)?;
        let organization = Id::of(Uuid::from_slice(organization).ok()?);
        let &[channel, category] = kind else { return None };
        let is_known = version == VERSION && category == MARKETING;
        let is_routed = slot.parse() == Ok(Slot::of(organization));
        let channel = Channel::ALL.into_iter().find(|it| letter(*it) == channel)?;
        let address = Address::stored(String::from_utf8(address.to_vec()).ok()?);
        let subscription = Subscription { organization, channel, address };
        (is_known && is_routed).then_some(subscription)
    }
}

/// Returns the letter of a channel in tokens, which never changes.
const fn letter(channel: Channel) -> u8 {
    match channel {
        Channel::Sms => b'S',
        Channel::WhatsApp => b'W',
        Channel::Email => b'E',
        Channel::Push => b'P',
        Channel::Voice => b'V',
    }
}

fn key(secret: &[u8]) -> Hmac<Sha256> {
    keyed(&keyed(secret).chain_update(PURPOSE).finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &[u8] = b"a secret of thirty-two bytes, ok";

    fn subscription(bits: u128, channel: Channel, address: &str) -> Subscription {
        let organization = Id::of(Uuid::from_u128(bits));
        Subscription { organization, channel, address: Address::stored(address.to_owned()) }
    }

    proptest! {
        #[test]
        fn a_token_reads_back_as_what_it_was_issued_for_and_ends_in_the_slot(
            bits: u128, channel in 0..5_usize, address in "\\PC{1,254}",
        ) {
            let tokens = SignedTokens::new(SECRET, &[]);
            let subscription = subscription(bits, Channel::ALL[channel], &address);

            let token = tokens.issue(&subscription);

            prop_assert!(token.ends_with(&Slot::of(subscription.organization).to_string()));
            prop_assert!(token.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it)));
            prop_assert_eq!(tokens.read(&token), Some(subscription));
        }

        #[test]
        fn a_token_with_any_byte_changed_added_or_left_out_is_refused(
            bits: u128, at: prop::sample::Index, other in "[0-9A-Za-z_=.-]",
        ) {
            let tokens = SignedTokens::new(SECRET, &[]);
            let token = tokens.issue(&subscription(bits, Channel::Email, "ama@example.com"));
            let at = at.index(token.len());

            let mut changed = token.clone();
            changed.replace_range(at..=at, &other);
            prop_assume!(changed != token);
            prop_assert_eq!(tokens.read(&changed), None);
            prop_assert_eq!(tokens.read(&format!("{}{other}{}", &token[..at], &token[at..])), None);
            prop_assert_eq!(tokens.read(&format!("{}{}", &token[..at], &token[at + 1..])), None);
        }

        #[test]
        fn no_text_is_a_token(text in "\\PC{0,200}") {
            prop_assert_eq!(SignedTokens::new(SECRET, &[]).read(&text), None);
        }
    }

    #[test]
    fn a_secret_that_signs_no_more_is_believed_while_it_is_named() {
        let subscription = subscription(7, Channel::Email, "ama@example.com");
        let old = SignedTokens::new(SECRET, &[]).issue(&subscription);
        let other: &[u8] = b"another secret of thirty-two too";

        let both = SignedTokens::new(other, &[SECRET]);

        assert_eq!(both.read(&old).as_ref(), Some(&subscription));
        assert_ne!(both.issue(&subscription), old);
        assert_eq!(SignedTokens::new(other, &[]).read(&old), None);
    }

    #[test]
    fn a_token_stays_what_it_is_from_one_release_to_the_next() {
        let subscription = subscription(0xabc, Channel::Email, "ama@example.com");
        let token = "AQAAAAAAAAAAAAAAAAAACrxFTWFtYUBleGFtcGxlLmNvbWFQTxDKKlDSDSvNd2ElSUcabc";
        assert_eq!(SignedTokens::new(SECRET, &[]).issue(&subscription), token);
    }
}
