//! Organizations, and their requests to the service.

use serde_json::{Value, json};

use crate::failure::Result;

/// Number of messages of a bulk request.
const BULK: u64 = 10;
/// Divisor of the shares of kinds of requests.
const OF: u64 = 20;
const BULKS: u64 = 3;
const SYNCHRONOUS: u64 = 4;
/// Interval of urgent requests.
const CODES: u64 = 5;
/// Number of phone numbers that are used in turn.
const NUMBERS: u64 = 1_000_000;

/// Organization with a live API key.
#[derive(Clone)]
pub(crate) struct Tenant {
    pub(crate) key: String,
}

/// Request that can be repeated.
pub(crate) struct Request {
    pub(crate) path: &'static str,
    pub(crate) body: Value,
}

impl Tenant {
    /// Registers an organization.
    pub(crate) async fn found(http: &reqwest::Client, url: &str, number: usize) -> Result<Self> {
        let (email, name) = (format!("owner{number}@example.com"), format!("Kente {number}"));
        let found = testkit::Tenant::found(http, url, &email, &name).await?;
        Ok(Self { key: found.live_key(url).await? })
    }
}

/// Returns the request of that number: some wait for the outcome, some have many messages, some are
/// urgent.
pub(crate) fn request(number: u64, has_codes: bool) -> Request {
    let category = if has_codes && number.is_multiple_of(CODES) { "OTP" } else { "TRANSACTIONAL" };
    let message = |number: u64| {
        json!({
            "channel": "SMS", "to": format!("024{:07}", 1_000_000 + number % NUMBERS),
            "body": "Your parcel has arrived at Makola.", "category": category,
        })
    };
    let key = json!(format!("request-{number}"));
    match number % OF {
        kind if kind < BULKS => {
            let messages: Vec<_> = (0..BULK).map(|item| message(number * BULK + item)).collect();
            let body = json!({"messages": messages, "async": true, "idempotencyKey": key});
            Request { path: "/messages/bulk", body }
        }
        kind => {
            let mut body = message(number);
            body["idempotencyKey"] = key;
            body["async"] = json!(kind >= BULKS + SYNCHRONOUS);
            Request { path: "/messages/send", body }
        }
    }
}
