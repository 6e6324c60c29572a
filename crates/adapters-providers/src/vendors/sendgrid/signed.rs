//! Signatures of `SendGrid`'s events:
//! <https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features>.

use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, Utc};
use domain::messaging::callback::{Callback, CallbackRefused};
use ring::signature::{ECDSA_P256_SHA256_ASN1, UnparsedPublicKey};

/// Bytes before the point of a P-256 key in the format of RFC 5480.
const PREFIX: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
/// Length of an uncompressed point in bytes.
const POINT: usize = 65;
/// Maximum age of an event in seconds: events that were not accepted are sent again for a day.
const OLDEST: i64 = 86_400;
/// Accepted clock difference in seconds.
const TOLERANCE: i64 = 300;

/// Public key that verifies `SendGrid`'s signatures.
pub(super) struct PublicKey(UnparsedPublicKey<Vec<u8>>);

impl PublicKey {
    /// Reads a key in base64, the format of the settings page; `None` if it is not one of P-256.
    pub(super) fn read(text: &str) -> Option<Self> {
        let key = BASE64_STANDARD.decode(text.trim()).ok()?;
        let point = key.strip_prefix(&PREFIX).filter(|point| point.len() == POINT)?;
        Some(Self(UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point.to_vec())))
    }

    /// Refuses a call without a signature by this key, or with a time out of range.
    pub(super) fn verify(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<(), CallbackRefused> {
        let header = |name| {
            let name = format!("x-twilio-email-event-webhook-{name}");
            callback.header(&name).ok_or(CallbackRefused::Unauthorized)
        };
        let (signature, timestamp) = (header("signature")?, header("timestamp")?);
        let signature = BASE64_STANDARD.decode(signature);
        let signature = signature.map_err(|_| CallbackRefused::Unauthorized)?;
        let text = [timestamp.as_bytes(), &callback.body].concat();
        let age = timestamp.parse().map(|at: i64| now.timestamp().saturating_sub(at));
        let is_of_now = age.is_ok_and(|age| (-TOLERANCE..=OLDEST + TOLERANCE).contains(&age));
        match self.0.verify(&text, &signature) {
            Ok(()) if is_of_now => Ok(()),
            _ => Err(CallbackRefused::Unauthorized),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::callback;

    // From the tests of the vendor's own libraries:
    // <https://github.com/sendgrid/sendgrid-nodejs/blob/main/packages/eventwebhook/src/eventwebhook.spec.js>.
    const KEY: &str = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1f\
                       lpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";
    const SIGNATURE: &str = "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+lu\
                             QAbPIqHh89M15TluLtEZtM=";
    const AT: i64 = 1_600_112_502;
    const BODY: &str = concat!(
        r#"[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","#,
        r#""sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","#,
        r#""sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","#,
        r#""smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]"#,
        "\r\n"
    );

    fn verified(signature: &str, timestamp: &str, body: &str, now: i64) -> bool {
        let headers = [("signature", signature), ("timestamp", timestamp)];
        let headers = headers
            .map(|(name, text)| (format!("x-twilio-email-event-webhook-{name}"), text.to_owned()));
        let callback = Callback { headers: headers.into(), ..callback(&[], body) };
        let now = DateTime::from_timestamp(now, 0).unwrap();
        PublicKey::read(KEY).unwrap().verify(&callback, now).is_ok()
    }

    #[test]
    fn only_events_signed_within_a_day_are_accepted() {
        let at = AT.to_string();
        let other = SIGNATURE.replace("Y3Lk", "Y3Ll");
        for (is_taken, signature, timestamp, body, now) in [
            (true, SIGNATURE, at.as_str(), BODY, AT),
            (true, SIGNATURE, &at, BODY, AT + 86_000),
            (true, SIGNATURE, &at, BODY, AT - 300),
            (false, SIGNATURE, &at, BODY, AT + 90_000),
            (false, SIGNATURE, &at, BODY, AT - 301),
            (false, SIGNATURE, &at, BODY.trim_end(), AT),
            (false, SIGNATURE, "1600112503", BODY, AT),
            (false, SIGNATURE, "", BODY, AT),
            (false, other.as_str(), &at, BODY, AT),
            (false, "", &at, BODY, AT),
            (false, "!", &at, BODY, AT),
        ] {
            assert_eq!(verified(signature, timestamp, body, now), is_taken, "{signature} {now}");
        }
        let bare = PublicKey::read(KEY).unwrap().verify(&callback(&[], BODY), DateTime::UNIX_EPOCH);
        assert_eq!(bare, Err(CallbackRefused::Unauthorized));
    }

    #[test]
    fn only_a_key_of_the_curve_is_read() {
        assert!(PublicKey::read(&format!(" {KEY}\n")).is_some());
        for text in ["", "MFkw", &KEY[4..], &format!("{}AAAA", KEY.trim_end_matches('=')), "!"] {
            assert!(PublicKey::read(text).is_none(), "{text}");
        }
    }
}
