//! Ways out of an organization's promotion, in requests and answers.

use domain::{
    identity::organization::{WaysOut, WaysOutRequest},
    shared::fault::Faults,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::inbound::shared::{
    endpoint::schemas::Schemas,
    json_fields::{Field, Fields, FromFields, FromJson, JsonSchema, field},
};

pub(super) const OPT_OUT: Field = field("optOut").about(
    "The number and the code by which recipients stop the organization's promotion. A promotional \
     text that names one of them says how to get no more of it. They replace the existing ones. \
     Null: none.",
);

impl FromFields for WaysOutRequest {
    const NAME: &'static str = "OptOutRequest";
    const ABOUT: &'static str = "The number and the code to opt out. Both are optional.";

    fn from_fields(fields: &mut Fields) -> Self {
        let number = field("number").about(
            "A phone number in E.164 or as dialled in Ghana, or a short code of 3 to 6 digits.",
        );
        let ussd =
            field("ussd").about("A code to dial, such as `*713*2#`.").limits(&[("maxLength", 30)]);
        Self { number: fields.optional(number), ussd: fields.optional(ussd) }
    }

    fn example() -> Value {
        json!({ "number": "0302123456", "ussd": "*713*2#" })
    }
}

impl JsonSchema for WaysOutRequest {
    fn schema(schemas: &mut Schemas) -> Value {
        Fields::schema_of::<Self>(schemas)
    }
}

impl FromJson for WaysOutRequest {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        Fields::read_part(value, path, faults)
    }
}

/// Number and code by which recipients stop the organization's promotion.
#[derive(Serialize, ToSchema)]
#[schema(as = OptOut)]
pub(super) struct OptOutView {
    #[schema(example = "+233302123456")]
    number: Option<String>,
    #[schema(example = "*713*2#")]
    ussd: Option<String>,
}

impl OptOutView {
    /// Returns the view; `None` if there are no ways out.
    pub(super) fn of(ways_out: WaysOut) -> Option<Self> {
        if ways_out.is_empty() {
            return None;
        }
        Some(Self { number: ways_out.number, ussd: ways_out.ussd })
    }
}
