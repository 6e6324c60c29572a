//! Lists in parts, each of which says where the next one begins.

use std::str::FromStr;

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody};
use domain::shared::id::Id;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::inbound::shared::{
    answers,
    endpoint::{
        describe::{Describe, Description},
        schemas::Schemas,
    },
    json_fields::JsonSchema,
    long_text::LongText,
};

/// Description of the parameter `after`.
pub(crate) const ABOUT: &str =
    "The `pagination.nextCursor` of the part before; the beginning of the list if absent or empty.";

/// Item after which a part begins.
pub(crate) struct Cursor<T>(pub(crate) Id<T>);

/// Error for a text that is not a cursor.
#[derive(Debug, thiserror::Error)]
#[error("is not a cursor")]
pub(crate) struct NotACursor;

impl<T> FromStr for Cursor<T> {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        text.parse().map(Self).map_err(|_| NotACursor)
    }
}

impl<T> JsonSchema for Cursor<T> {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string" })
    }
}

/// Part of a list that is not counted: 200.
pub(crate) struct Part<T> {
    items: Vec<T>,
    pagination: CursorView,
}

/// Position of a part in its list.
#[derive(Serialize, ToSchema)]
#[schema(as = CursorPagination)]
#[serde(rename_all = "camelCase")]
struct CursorView {
    /// Maximum number of items in a part.
    #[schema(example = 20)]
    limit: u32,
    /// Value of `after` for the next part; null at the end.
    #[schema(example = "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b")]
    next_cursor: Option<String>,
}

impl<T> Part<T> {
    pub(crate) fn new(
        items: impl IntoIterator<Item: Into<T>>,
        limit: u32,
        next_cursor: Option<String>,
    ) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        Self { items, pagination: CursorView { limit, next_cursor } }
    }
}

impl<T: LongText> Part<T> {
    /// Creates a part of items with long texts, which are cut.
    pub(crate) fn with_cut_texts(
        items: impl IntoIterator<Item: Into<T>>,
        limit: u32,
        next_cursor: Option<String>,
    ) -> Self {
        let mut part = Self::new(items, limit, next_cursor);
        part.items.iter_mut().for_each(T::cut_text);
        part
    }
}

impl<T: Serialize> Responder for Part<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        answers::items(self.items, self.pagination)
    }
}

impl<T: ToSchema> Describe for Part<T> {
    fn describe(description: &mut Description) {
        let schemas = &mut description.schemas;
        let pagination = schemas.of_answer::<CursorView>();
        let schema = answers::schema_of_items::<T>(schemas, "Part", &pagination);
        description.answers_json(200, schema);
    }
}
