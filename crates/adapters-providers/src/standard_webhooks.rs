//! Signatures of the Standard Webhooks specification, version 1.0:
//! <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use domain::messaging::callback::{Callback, CallbackRefused};

use crate::{
    declaration::{Declaration, DeclarationError},
    signature,
};

/// Prefix of a secret.
const PREFIX: &str = "whsec_";
/// Prefix of a signature with a shared secret.
const VERSION: &str = "v1,";
/// Accepted clock difference in seconds. Older calls may be replays.
const TOLERANCE: i64 = 300;

/// Key of signatures.
pub(crate) struct Key(Vec<u8>);

impl Key {
    /// Reads `whsec_` and the base64 of 24 to 64 bytes.
    fn read(secret: &str) -> Option<Self> {
        let key = STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
        (24..=64).contains(&key.len()).then_some(Self(key))
    }

    /// Returns the key in a declared secret.
    pub(crate) fn declared(
        declaration: &Declaration,
        credential: &str,
    ) -> Result<Self, DeclarationError> {
        Self::read(declaration.credential(credential)?.expose()).ok_or_else(|| {
            let problem = "must be whsec_ and the base64 of 24 to 64 bytes";
            declaration.invalid_credential(credential, problem)
        })
    }

    /// Returns the signature of a call. `timestamp` is in seconds since 1970.
    pub(crate) fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let text = [format!("{id}.{timestamp}.").as_bytes(), body].concat();
        format!("{VERSION}{}", STANDARD.encode(signature::hmac_sha256(&self.0, &text)))
    }

    /// Refuses a call without a signature by this key, or with an old one. `sender` is the prefix
    /// of the header names: `webhook`, or the name of the sender.
    pub(crate) fn verify(
        &self,
        callback: &Callback,
        sender: &str,
        now: DateTime<Utc>,
    ) -> Result<(), CallbackRefused> {
        let header = |name| {
            callback.header(&format!("{sender}-{name}")).ok_or(CallbackRefused::Unauthorized)
        };
        let (id, signatures) = (header("id")?, header("signature")?);
        let timestamp = header("timestamp")?.parse::<i64>();
        let timestamp = timestamp.map_err(|_| CallbackRefused::Unauthorized)?;
        let expected = self.sign(id, timestamp, &callback.body);
        let is_ours = |shown: &str| signature::equal(shown.as_bytes(), expected.as_bytes());
        let age = now.timestamp().saturating_sub(timestamp).saturating_abs();
        if signatures.split(' ').any(is_ours) && age <= TOLERANCE {
            Ok(())
        } else {
            Err(CallbackRefused::Unauthorized)
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::messaging::callback::CallbackMethod;

    use super::*;

    const SECRET: &str = "whsec_plJ3nmyCDGBKInavdOK15jsl";
    const ID: &str = "msg_loFOjxBNrRLzqYUf";
    const AT: i64 = 1_731_705_121;
    const BODY: &str = r#"{"event_type":"ping","data":{"success":true}}"#;
    /// Example of the documentation of Svix:
    /// <https://docs.svix.com/receiving/verifying-payloads/how-manual>.
    const SIGNATURE: &str = "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=";

    /// The documentation's secret is shorter than the specification requires.
    fn key() -> Key {
        Key(STANDARD.decode(&SECRET[PREFIX.len()..]).unwrap())
    }

    fn callback(headers: &[(&str, &str)], body: &str) -> Callback {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Callback {
            method: CallbackMethod::Post,
            url: "https://notify.example.com/callbacks/providers/one".into(),
            query: Vec::new(),
            headers: headers.iter().map(owned).collect(),
            body: body.as_bytes().to_vec(),
        }
    }

    fn verified(id: &str, timestamp: &str, signature: &str, body: &str, now: i64) -> bool {
        let headers = [
            ("webhook-id", id),
            ("webhook-timestamp", timestamp),
            ("webhook-signature", signature),
        ];
        let now = DateTime::from_timestamp(now, 0).unwrap();
        key().verify(&callback(&headers, body), "webhook", now).is_ok()
    }

    #[test]
    fn the_signature_is_that_of_the_specification() {
        assert_eq!(key().sign(ID, AT, BODY.as_bytes()), SIGNATURE);
    }

    #[test]
    fn only_a_fresh_call_with_a_right_signature_is_taken() {
        let at = AT.to_string();
        let rotated = format!("v1,AAAA v1a,BBBB {SIGNATURE}");
        for (is_taken, id, timestamp, signature, body, now) in [
            (true, ID, at.as_str(), SIGNATURE, BODY, AT),
            (true, ID, &at, rotated.as_str(), BODY, AT + 300),
            (true, ID, &at, SIGNATURE, BODY, AT - 300),
            (false, ID, &at, SIGNATURE, BODY, AT + 301),
            (false, ID, &at, SIGNATURE, BODY, AT - 301),
            (false, ID, &at, SIGNATURE, "{}", AT),
            (false, "msg_other", &at, SIGNATURE, BODY, AT),
            (false, ID, "1731705122", SIGNATURE, BODY, AT),
            (false, ID, "soon", SIGNATURE, BODY, AT),
            (false, ID, "-9223372036854775808", SIGNATURE, BODY, AT),
            (false, ID, &at, &SIGNATURE[3..], BODY, AT),
            (false, ID, &at, "", BODY, AT),
        ] {
            assert_eq!(
                verified(id, timestamp, signature, body, now),
                is_taken,
                "{signature} {now}"
            );
        }
        let bare = key().verify(&callback(&[], BODY), "webhook", DateTime::UNIX_EPOCH);
        assert_eq!(bare, Err(CallbackRefused::Unauthorized));
    }

    #[test]
    fn a_secret_has_a_form_and_a_length() {
        for secret in
            ["", SECRET, "plJ3nmyCDGBKInavdOK15jsl", "whsec_", "whsec_c2hvcnQ=", "whsec_!"]
        {
            assert!(Key::read(secret).is_none(), "{secret}");
        }
        assert!(Key::read(&format!("whsec_{}", STANDARD.encode([7; 24]))).is_some());
        assert!(Key::read(&format!("whsec_{}", STANDARD.encode([7; 65]))).is_none());
    }
}
