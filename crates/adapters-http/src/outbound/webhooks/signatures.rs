//! Signatures that prove to receivers that a call comes from the service.
//!
//! `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of the Standard Webhooks
//! specification, version 1.0. Its key is the secret decoded from base64; the key of
//! `X-Service-Signature` is the secret itself, as it is shown.

use base64::{Engine, prelude::BASE64_STANDARD};
use domain::webhooks::webhook::{WebhookCall, WebhookSecret};
use hmac::Mac;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue};

use crate::outbound::hmac_sha256::keyed;

/// Prefix of a secret.
const PREFIX: &str = "whsec_";
const DIGITS: &[u8; 16] = b"0123456789abcdef";

// A name that is given as a text is read and copied for each call.
static SERVICE_EVENT: HeaderName = HeaderName::from_static("x-service-event");
static SERVICE_SIGNATURE: HeaderName = HeaderName::from_static("x-service-signature");
static WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
static WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
static WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// Returns the headers of a call.
pub(super) fn headers(call: &WebhookCall) -> Result<HeaderMap, InvalidHeaderValue> {
    let timestamp = call.at.timestamp().to_string();
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(&SERVICE_EVENT, HeaderValue::from_static(call.event.as_str()));
    if let Some(newest) = call.secrets.first() {
        let signature = service_signature(newest, &call.body);
        headers.insert(&SERVICE_SIGNATURE, signature.try_into()?);
    }
    let signatures = standard_signatures(call, &timestamp);
    headers.insert(&WEBHOOK_ID, HeaderValue::from_str(&call.id)?);
    headers.insert(&WEBHOOK_TIMESTAMP, timestamp.try_into()?);
    headers.insert(&WEBHOOK_SIGNATURE, signatures.try_into()?);
    if let Some(context) = call.context() {
        headers.insert("traceparent", context.to_string().try_into()?);
    }
    Ok(headers)
}

/// Returns the hexadecimal HMAC of the body, keyed by the secret as it is shown.
fn service_signature(secret: &WebhookSecret, body: &str) -> String {
    let hash = keyed(secret.expose().as_bytes()).chain_update(body).finalize().into_bytes();
    let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// Returns one signature for each secret, with a space between two.
fn standard_signatures(call: &WebhookCall, timestamp: &str) -> String {
    let mut signatures = String::with_capacity(48 * call.secrets.len());
    for key in call.secrets.iter().filter_map(standard_key) {
        let mac = keyed(&key).chain_update(&call.id).chain_update(".").chain_update(timestamp);
        let hash = mac.chain_update(".").chain_update(&call.body).finalize().into_bytes();
        if !signatures.is_empty() {
            signatures.push(' ');
        }
        signatures.push_str("v1,");
        BASE64_STANDARD.encode_string(hash, &mut signatures);
    }
    signatures
}

/// Returns the key that a secret encodes. All secrets of the service have one.
fn standard_key(secret: &WebhookSecret) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(secret.expose().strip_prefix(PREFIX)?).ok()
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::shared::webhook_event::WebhookEvent;

    use super::*;

    const ID: &str = "msg_loFOjxBNrRLzqYUf";
    const BODY: &str = r#"{"event_type":"ping","data":{"success":true}}"#;
    const SECRET: &str = "whsec_plJ3nmyCDGBKInavdOK15jsl";
    const OTHER: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";

    fn call(secrets: &[&str]) -> WebhookCall {
        let secret = |text: &&str| WebhookSecret::stored((*text).to_owned());
        WebhookCall {
            organization: "018bcfe5-6800-7000-8000-0000000000a1".parse().unwrap(),
            url: "https://example.com".into(),
            secrets: secrets.iter().map(secret).collect(),
            id: ID.into(),
            event: WebhookEvent::ContactOptedOut,
            body: BODY.into(),
            at: DateTime::from_timestamp(1_731_705_121, 999_000_000).unwrap(),
            trace: None,
        }
    }

    #[test]
    fn the_headers_are_those_of_both_specifications() {
        let headers = headers(&call(&[SECRET])).unwrap();

        for (name, value) in [
            ("content-type", "application/json"),
            ("x-service-event", "contact.opted_out"),
            ("webhook-id", ID),
            ("webhook-timestamp", "1731705121"),
            // <https://docs.svix.com/receiving/verifying-payloads/how-manual>
            ("webhook-signature", "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="),
            // printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$SECRET"
            (
                "x-service-signature",
                "f2e56a8fe50de964fe9160168e770ed471842e2798c5385a497a1d3d2b910768",
            ),
        ] {
            assert_eq!(headers.get(name).unwrap(), value, "{name}");
        }
        assert_eq!(headers.len(), 6);
    }

    #[test]
    fn both_secrets_sign_after_a_rotation_except_the_service_header() {
        let signed = |secrets: &[&str], name| {
            headers(&call(secrets)).unwrap()[name].to_str().unwrap().to_owned()
        };
        let [new, old] = [OTHER, SECRET].map(|secret| signed(&[secret], "webhook-signature"));

        assert_ne!(new, old);
        assert_eq!(signed(&[OTHER, SECRET], "webhook-signature"), format!("{new} {old}"));
        assert_eq!(
            signed(&[OTHER, SECRET], "x-service-signature"),
            signed(&[OTHER], "x-service-signature")
        );
    }
}
