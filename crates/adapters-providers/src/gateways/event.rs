//! Payments in events and responses of Paystack. A field may be a number or a text, and `metadata`
//! may be anything; so only the required fields are read, and leniently.

use domain::{
    money::payment::{ExceptionReason, Payment, PaymentMode, PaymentStatus},
    shared::money::Money,
};
use ports::money::payments::{GatewayEvent, GatewayNews, WrongSignature};
use serde_json::Value;

use crate::{
    loose_json::text,
    signature::{equal, hex, hmac_sha256, hmac_sha512},
};

/// Type of the only event that reports a successful payment.
pub(super) const SUCCESS: &str = "charge.success";
/// Prefixes of the types of events on disputes and refunds, and the type of the event on a failed
/// refund.
const DISPUTES: &str = "charge.dispute.";
const REFUNDS: &str = "refund.";
const REFUND_FAILED: &str = "refund.failed";
/// Field of `metadata` that contains the organization.
pub(super) const ORGANIZATION: &str = "organizationId";

/// Number of hexadecimal digits of HMACs with SHA-512 and SHA-256.
const SHA512_DIGITS: usize = 128;
const SHA256_DIGITS: usize = 64;

/// Reads an event. Fails if it was not signed with the secret.
pub(super) fn receive(
    secret: &str,
    signature: &str,
    body: &[u8],
) -> Result<GatewayEvent, WrongSignature> {
    if !is_signed(secret, signature, body) {
        return Err(WrongSignature);
    }
    let event: Value = serde_json::from_slice(body).unwrap_or_default();
    let kind = text(&event["event"]);
    let news = news(kind.as_deref().unwrap_or_default());
    let data = &event["data"];
    let payment = data.is_object().then(|| match news {
        GatewayNews::TakenBack(_) => taken_back(data),
        GatewayNews::Paid | GatewayNews::Other => payment(data),
    });
    Ok(GatewayEvent { kind, news, payment })
}

fn news(kind: &str) -> GatewayNews {
    match kind {
        SUCCESS => GatewayNews::Paid,
        REFUND_FAILED => GatewayNews::Other,
        _ if kind.starts_with(DISPUTES) => GatewayNews::TakenBack(ExceptionReason::Disputed),
        _ if kind.starts_with(REFUNDS) => GatewayNews::TakenBack(ExceptionReason::Refunded),
        _ => GatewayNews::Other,
    }
}

/// Reads the payment of a dispute, which contains it, or of a refund, which names it. The amount is
/// the amount taken back.
fn taken_back(data: &Value) -> Payment {
    let transaction = &data["transaction"];
    let named = text(&data["transaction_reference"]).or_else(|| text(&transaction["reference"]));
    let amount = pesewas(&data["refund_amount"]).or_else(|| pesewas(&data["amount"]));
    Payment {
        reference: named.unwrap_or_default(),
        amount: amount.or_else(|| pesewas(&transaction["amount"])),
        currency: text(&data["currency"]).or_else(|| text(&transaction["currency"])),
        organization: organization(&transaction["metadata"]),
        ..payment(data)
    }
}

/// True if the signature is the HMAC of exactly these bytes, in lower-case hexadecimal digits.
fn is_signed(secret: &str, signature: &str, body: &[u8]) -> bool {
    let expected = match signature.len() {
        SHA512_DIGITS => hmac_sha512(secret.as_bytes(), body),
        SHA256_DIGITS => hmac_sha256(secret.as_bytes(), body),
        _ => return false,
    };
    equal(hex(&expected).as_bytes(), signature.as_bytes())
}

/// Reads a payment. A missing reference is read as an empty one.
pub(super) fn payment(data: &Value) -> Payment {
    let status_text = text(&data["status"]).unwrap_or_default();
    Payment {
        reference: text(&data["reference"]).unwrap_or_default(),
        status: status(&status_text),
        status_text,
        amount: pesewas(&data["amount"]),
        currency: text(&data["currency"]),
        mode: mode(&data["domain"]),
        organization: organization(&data["metadata"]),
    }
}

/// Maps a status. Any status other than success and failure is open, so that future ones are waited
/// out.
fn status(word: &str) -> PaymentStatus {
    match word {
        "success" => PaymentStatus::Succeeded,
        "failed" | "reversed" => PaymentStatus::Failed,
        _ => PaymentStatus::Open,
    }
}

/// Reads an amount in pesewas, a hundredth of a cedi, from a number or a text.
fn pesewas(value: &Value) -> Option<Money> {
    const PER_CEDI: i64 = 100;

    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    // Parsed as cedis to keep a fraction exact.
    let micros = text.parse::<Money>().ok()?.micros();
    (micros % PER_CEDI == 0).then(|| Money::from_micros(micros / PER_CEDI))
}

/// Returns an amount in pesewas, as the gateway counts it. Top-ups have no fractions of a pesewa.
pub(super) fn in_pesewas(amount: Money) -> i64 {
    const PESEWA: i64 = 10_000;

    amount.micros() / PESEWA
}

fn mode(domain: &Value) -> Option<PaymentMode> {
    match domain.as_str()? {
        "live" => Some(PaymentMode::Live),
        "test" => Some(PaymentMode::Test),
        _ => None,
    }
}

/// Reads the organization that the payment was initialized with, from an object or from the text of
/// one.
fn organization<T>(metadata: &Value) -> Option<domain::shared::id::Id<T>> {
    let parsed: Value;
    let object = match metadata {
        Value::String(text) => {
            parsed = serde_json::from_str(text).ok()?;
            &parsed
        }
        other => other,
    };
    object.get(ORGANIZATION)?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SECRET: &str = "sk_test_a secret";
    const ID: &str = "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b";

    fn sha512(body: &[u8]) -> String {
        hex(&hmac_sha512(SECRET.as_bytes(), body))
    }

    #[test]
    fn only_the_lower_case_digits_of_these_bytes_are_a_signature() {
        let body = br#"{"event": "charge.success", "data": {"amount": 1e2}}"#;
        let right = sha512(body);
        assert!(receive(SECRET, &right, body).is_ok());
        assert!(receive(SECRET, &hex(&hmac_sha256(SECRET.as_bytes(), body)), body).is_ok());

        let compact = serde_json::to_vec(&serde_json::from_slice::<Value>(body).unwrap()).unwrap();
        assert!(receive(SECRET, &right, &compact).is_err(), "the same JSON, other bytes");
        for wrong in [
            right.to_uppercase(),
            right[..127].to_owned(),
            right[..64].to_owned(),
            format!("{right}0"),
            format!(" {right}"),
            String::new(),
            "0".repeat(128),
            "é".repeat(64),
        ] {
            assert!(receive(SECRET, &wrong, body).is_err(), "{wrong}");
        }
    }

    #[test]
    fn metadata_may_be_anything() {
        let of = |metadata: Value| organization::<()>(&metadata).map(|id| id.to_string());
        let object = json!({ ORGANIZATION: ID, "other": 1 });
        assert_eq!(of(object.clone()).as_deref(), Some(ID));
        assert_eq!(of(json!(object.to_string())).as_deref(), Some(ID));
        for nothing in [
            json!(0),
            json!(""),
            json!(null),
            json!([]),
            json!({}),
            json!("x"),
            json!({ORGANIZATION: 7}),
        ] {
            assert_eq!(of(nothing.clone()), None, "{nothing}");
        }
    }

    #[test]
    fn amounts_are_exact_whatever_their_type() {
        for (value, micros) in [
            (json!(10_000), Some(100_000_000)),
            (json!("10000"), Some(100_000_000)),
            (json!(1), Some(10_000)),
            (json!(99.5), Some(995_000)),
            (json!("1 000"), None),
            (json!(null), None),
            (json!({}), None),
            (json!(u64::MAX), None),
        ] {
            assert_eq!(pesewas(&value), micros.map(Money::from_micros), "{value}");
        }
    }

    #[test]
    fn an_event_is_read_as_the_gateway_documents_it() {
        let body = json!({
            "event": "charge.success",
            "data": {
                "id": 59_214, "domain": "live", "status": "success", "reference": "gf4n3ykzj6a7u89",
                "amount": 100, "message": "madePayment", "gateway_response": "Approved",
                "paid_at": "2026-02-01T10:00:00.000Z", "channel": "mobile_money", "currency": "GHS",
                "metadata": "", "fees": 153, "log": null, "plan": {}, "split": {},
                "authorization": {"bank": "MTN Mobile Money", "country_code": "GH"},
            },
        });
        let body = body.to_string().into_bytes();

        let event = receive(SECRET, &sha512(&body), &body).unwrap();

        let payment = Payment {
            reference: "gf4n3ykzj6a7u89".into(),
            status: PaymentStatus::Succeeded,
            status_text: "success".into(),
            amount: Some(Money::from_cedis(1)),
            currency: Some("GHS".into()),
            mode: Some(PaymentMode::Live),
            organization: None,
        };
        let kind = Some("charge.success".to_owned());
        assert_eq!(event, GatewayEvent { kind, news: GatewayNews::Paid, payment: Some(payment) });
    }

    #[test]
    fn disputes_and_refunds_contain_the_payment_and_the_amount() {
        let dispute = json!({
            "event": "charge.dispute.create",
            "data": {
                "id": 358_950, "refund_amount": 5_800, "currency": "GHS", "status": "awaiting",
                "domain": "live", "transaction": {
                    "id": 896_467_688, "domain": "live", "status": "success", "reference": "v3mjfgbnc19v97x",
                    "amount": 5_900, "currency": "GHS", "metadata": { ORGANIZATION: ID },
                },
            },
        });
        let refund = json!({
            "event": "refund.processed",
            "data": {
                "status": "processed", "transaction_reference": "v3mjfgbnc19v97x", "amount": "5800",
                "refund_reference": "TRF_1", "currency": "GHS", "domain": "live",
            },
        });
        let named = Some(ID.to_owned());
        for (body, reason, organization) in
            [(dispute, ExceptionReason::Disputed, named), (refund, ExceptionReason::Refunded, None)]
        {
            let body = body.to_string().into_bytes();
            let event = receive(SECRET, &sha512(&body), &body).unwrap();
            assert_eq!(event.news, GatewayNews::TakenBack(reason));
            let payment = event.payment.unwrap();
            assert_eq!(payment.reference, "v3mjfgbnc19v97x");
            assert_eq!(payment.amount, Some(Money::from_cedis(58)));
            assert_eq!(payment.currency.as_deref(), Some("GHS"));
            assert_eq!(payment.organization.map(|id| id.to_string()), organization);
        }
        assert_eq!(news(REFUND_FAILED), GatewayNews::Other, "the money stays");
    }

    #[test]
    fn signed_bodies_that_are_not_events_are_accepted() {
        for body in ["", "not JSON", "[]", "7", "{}", "{\"event\": {}}"] {
            let event = receive(SECRET, &sha512(body.as_bytes()), body.as_bytes()).unwrap();
            let nothing = GatewayEvent { kind: None, news: GatewayNews::Other, payment: None };
            assert_eq!(event, nothing, "{body}");
        }
        let other = br#"{"event": "transfer.success", "data": []}"#;
        let event = receive(SECRET, &sha512(other), other).unwrap();
        assert_eq!((event.news, event.payment), (GatewayNews::Other, None));
    }
}
