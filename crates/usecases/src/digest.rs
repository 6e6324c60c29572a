//! SHA-256 of secrets, of requests and of long identifiers.

use domain::{message::MessageRequest, sender_name::SenderName, vendor_text};
use sha2::{Digest as _, Sha256};

/// The hash under which a secret of 32 random bytes or more is kept. Such a secret cannot be
/// guessed, so it needs no salt and no slow hash.
pub(crate) fn of_secret(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// What the approval of a sender name is bound to.
pub(crate) fn of_sender_name(name: &SenderName) -> [u8; 32] {
    let kind = Fingerprint::of("sender name").text(Some(name.channel.as_str()));
    kind.text(Some(name.country.as_str())).text(Some(name.sender.as_str())).finish()
}

/// A vendor's identifier as it is kept and compared: itself, or its hash if it is longer than
/// anything that is kept of vendors' texts.
pub(crate) fn of_reference(reference: String) -> String {
    if vendor_text::is_short(&reference) {
        return vendor_text::clean(reference);
    }
    let hash = Sha256::digest(&reference);
    hash.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The hash of what a request asks for. Equal requests have equal hashes, on every instance.
pub(crate) struct Fingerprint(Sha256);

impl Fingerprint {
    pub(crate) fn of(kind: &str) -> Self {
        Self(Sha256::new()).text(Some(kind))
    }

    /// Adds a value. Its length goes first, so that two values never read as one.
    fn text(mut self, text: Option<&str>) -> Self {
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        self.0.update(length.to_be_bytes());
        self.0.update(text.unwrap_or_default());
        self
    }

    pub(crate) fn flag(self, flag: bool) -> Self {
        self.text(Some(if flag { "1" } else { "0" }))
    }

    pub(crate) fn message(self, message: &MessageRequest) -> Self {
        let template = message.template.map(|id| id.to_string());
        let country = message.country.map(|country| country.to_string());
        let variables = message.variables.iter();
        let count = message.variables.len().to_string();
        let validity = message.validity.map(|seconds| seconds.to_string());
        let fingerprint = self
            .text(message.channel.map(domain::channel::Channel::as_str))
            .text(message.to.as_deref())
            .text(message.body.as_deref())
            .text(message.subject.as_deref())
            .text(message.sender.as_deref())
            .text(country.as_deref())
            .text(template.as_deref())
            .text(message.category.map(domain::category::Category::as_str))
            .text(Some(&count));
        let fingerprint = variables.fold(fingerprint, |fingerprint, (name, value)| {
            fingerprint.text(Some(name)).text(Some(value))
        });
        match validity {
            Some(seconds) => fingerprint.text(Some(&seconds)),
            None => fingerprint,
        }
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_identifier_is_known_by_its_hash() {
        assert_eq!(of_reference("SM-17\0".into()), "SM-17");
        let long = "ɔ".repeat(256);
        let hash = of_reference(long.clone());
        assert_eq!(hash.len(), 64);
        assert_eq!(hash, of_reference(long.clone()));
        assert_ne!(hash, of_reference(long + "x"));
    }

    #[test]
    fn values_never_run_into_each_other() {
        let of = |to: &str, body: &str| {
            let message = MessageRequest {
                to: Some(to.into()),
                body: Some(body.into()),
                ..MessageRequest::default()
            };
            Fingerprint::of("send").message(&message).finish()
        };

        assert_eq!(of("ab", "c"), of("ab", "c"));
        assert_ne!(of("ab", "c"), of("a", "bc"));
    }
}
