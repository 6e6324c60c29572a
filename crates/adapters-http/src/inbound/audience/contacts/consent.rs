//! Consent of contacts, in requests and answers.

use domain::{
    audience::contact::{Consent, ConsentRequest},
    shared::fault::Faults,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::inbound::shared::{
    endpoint::schemas::Schemas,
    formats::Timestamp,
    json_fields::{Field, Fields, FromFields, FromJson, JsonSchema, field},
};

pub(super) const CONSENT: Field = field("consent").extension().about(
    "The person's consent to get messages: its time and its source. It replaces the existing one \
     as a whole.",
);

impl FromFields for ConsentRequest {
    const NAME: &'static str = "ConsentRequest";
    const ABOUT: &'static str = "The consent of a contact.";

    fn from_fields(fields: &mut Fields) -> Self {
        let at = field("at").about("The time of the consent, not in the future.");
        let source = field("source")
            .about("The occasion or form by which the person consented.")
            .limits(&[("maxLength", 200)]);
        Self { at: fields.required(at), source: fields.required(source) }
    }

    fn example() -> Value {
        json!({ "at": "2026-01-31T09:00:00Z", "source": "Till at Osu" })
    }
}

impl JsonSchema for ConsentRequest {
    fn schema(schemas: &mut Schemas) -> Value {
        Fields::schema_of::<Self>(schemas)
    }
}

impl FromJson for ConsentRequest {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        Fields::read_part(value, path, faults)
    }
}

/// Consent of a contact to get messages.
#[derive(Serialize, ToSchema)]
#[schema(as = Consent)]
pub(super) struct ConsentView {
    /// Time at which the person consented.
    at: Timestamp,
    /// Occasion or form by which the person consented.
    #[schema(example = "Till at Osu")]
    source: String,
}

impl From<Consent> for ConsentView {
    fn from(consent: Consent) -> Self {
        Self { at: consent.at.into(), source: consent.source }
    }
}
