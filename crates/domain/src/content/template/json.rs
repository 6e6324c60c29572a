//! Templates as JSON, for the API and for webhooks.

use chrono::SecondsFormat;
use serde_json::{Value, json};

use super::Template;
use crate::shared::text_format::TextFormat;

impl Template {
    /// Returns the public fields of a template, with its whole text.
    pub fn to_json(&self) -> Value {
        let content = &self.content;
        json!({
            "id": self.id.uuid(),
            "name": self.name,
            "channel": content.channel.as_str(),
            "category": content.category.as_str(),
            "countryCode": content.country.as_str(),
            "language": content.language,
            "subject": content.subject,
            "body": content.body,
            "bodyTruncated": false,
            "format": content.format.map(TextFormat::as_str),
            "variables": content.variables,
            "vendorTemplate": content.vendor_template,
            "shortVariables": content.value_rules.short,
            "longVariables": content.value_rules.allows_long,
            "status": self.status.as_str(),
            "riskScore": self.risk_score,
            "issues": self.issues,
            "comment": self.comment,
            "version": self.version,
            "createdAt": self.created_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        })
    }
}
