//! Top-ups as JSON, for the API and for webhooks.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::TopUp;
use crate::shared::money::CURRENCY;

impl TopUp {
    /// Returns the public fields of a top-up.
    pub fn to_json(&self) -> Value {
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
        json!({
            "id": self.id.uuid(),
            "reference": self.reference.as_str(),
            "status": self.status.as_str(),
            "paymentMethod": self.method.as_str(),
            "amount": self.amount.to_number(),
            "currency": CURRENCY,
            "createdAt": time(self.created_at),
            "creditedAt": self.credited_at.map(time),
        })
    }
}
