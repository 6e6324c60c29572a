//! Answers to bulk requests.

use std::collections::BTreeMap;

use domain::shared::channel::Channel;
use serde::Serialize;
use serde_json::json;
use usecases::messaging::messages::{Place, RefusedItem};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{MessageView, Sent, describe_sent};
use crate::inbound::shared::{
    answers::envelope,
    endpoint::describe::{Describe, Description},
    formats::{ChannelName, StatusName},
};

/// Code of an item that is wrong.
const WRONG: &str = "VALIDATION_ERROR";

/// Place in the answer to a bulk request.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum PlaceView {
    /// The delivery log of the message.
    Accepted(Box<MessageView>),
    /// Item that is wrong, with its faults.
    Refused(RefusedItemView),
}

/// Extension: item of a request with `partial` that is wrong. Nothing was sent for it.
#[derive(Serialize, ToSchema)]
#[schema(as = RefusedItem)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefusedItemView {
    /// Always null.
    id: Option<Uuid>,
    /// Always null.
    #[schema(example = json!(null))]
    internal_message_id: Option<String>,
    /// Always `FAILED`.
    #[schema(value_type = StatusName)]
    status: &'static str,
    /// Channel that the item names.
    #[schema(value_type = Option<ChannelName>)]
    channel: Option<&'static str>,
    /// Recipient as the item has it.
    #[schema(example = "024123")]
    recipient: Option<String>,
    /// Always 0.
    #[schema(example = 0.0)]
    cost: f64,
    /// Always `VALIDATION_ERROR`.
    #[schema(example = "VALIDATION_ERROR")]
    error_code: &'static str,
    /// Faults by the path of the field in the item. Empty in a replay that finds no fault any more.
    #[schema(value_type = Object, example = json!({ "to": ["is not a phone number"] }))]
    field_errors: BTreeMap<String, Vec<String>>,
}

impl From<Place> for PlaceView {
    fn from(place: Place) -> Self {
        match place {
            Place::Accepted(message) => Self::Accepted(Box::new(MessageView::from(*message))),
            Place::Refused(item) => Self::Refused(item.into()),
        }
    }
}

impl From<RefusedItem> for RefusedItemView {
    fn from(item: RefusedItem) -> Self {
        let mut field_errors = item.faults.fields;
        if !item.faults.form.is_empty() {
            field_errors.insert(String::new(), item.faults.form);
        }
        Self {
            id: None,
            internal_message_id: None,
            status: "FAILED",
            channel: item.channel.map(Channel::as_str),
            recipient: item.recipient,
            cost: 0.0,
            error_code: WRONG,
            field_errors,
        }
    }
}

impl Describe for Sent<Vec<PlaceView>> {
    fn describe(description: &mut Description) {
        let schemas = &mut description.schemas;
        let forms = [schemas.of_answer::<MessageView>(), schemas.of_answer::<RefusedItemView>()];
        let place = json!({
            "description": "The delivery log of a message. With `partial`, the place of a wrong item \
                            says what is wrong with it.",
            "oneOf": forms,
        });
        let place = schemas.add("BulkResult", place);
        let list = envelope(&json!({ "data": { "type": "array", "items": place } }));
        let schema = schemas.add("BulkResultList", list);
        describe_sent(description, &schema, ["The delivery logs.", "The delivery logs, `QUEUED`."]);
    }
}
