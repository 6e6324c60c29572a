//! The answers of handlers, each in the envelope of all JSON answers. The document follows from
//! their types.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    error::JsonPayloadError,
    http::{StatusCode, header::HeaderValue},
};
use domain::shared::page::Paged;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::inbound::shared::{
    endpoint::{
        describe::{Describe, Description},
        schemas::Schemas,
    },
    long_text::LongText,
};

/// Requested data: 200.
pub(crate) struct Answer<T>(T);

/// Created object: 201.
pub(crate) struct Created<T>(T);

/// Whole list: 200.
pub(crate) struct Listed<T>(Vec<T>);

/// Nothing, because the resource is gone: 204.
pub(crate) struct NoContent;

/// Page of a list: 200.
pub(crate) struct Paginated<T> {
    items: Vec<T>,
    pagination: PaginationView,
}

impl<T> Answer<T> {
    pub(crate) fn new(data: impl Into<T>) -> Self {
        Self(data.into())
    }
}

impl<T> Created<T> {
    pub(crate) fn new(data: impl Into<T>) -> Self {
        Self(data.into())
    }
}

impl<T> Listed<T> {
    pub(crate) fn new(items: impl IntoIterator<Item: Into<T>>) -> Self {
        Self(items.into_iter().map(Into::into).collect())
    }
}

impl<T: LongText> Listed<T> {
    /// Creates a list of items with long texts, which are cut.
    pub(crate) fn with_cut_texts(items: impl IntoIterator<Item: Into<T>>) -> Self {
        let mut list = Self::new(items);
        list.0.iter_mut().for_each(T::cut_text);
        list
    }
}

impl<T> Paginated<T> {
    pub(crate) fn new(part: Paged<impl Into<T>>) -> Self {
        let pagination = PaginationView::of(&part);
        Self { items: part.items.into_iter().map(Into::into).collect(), pagination }
    }
}

impl<T: LongText> Paginated<T> {
    /// Creates a page of items with long texts, which are cut.
    pub(crate) fn with_cut_texts(part: Paged<impl Into<T>>) -> Self {
        let mut page = Self::new(part);
        page.items.iter_mut().for_each(T::cut_text);
        page
    }
}

#[derive(Serialize)]
struct Success<T> {
    success: bool,
    data: T,
}

#[derive(Serialize)]
struct Items<T, P> {
    success: bool,
    data: Vec<T>,
    pagination: P,
}

/// Position of a page in its list.
#[derive(Serialize, ToSchema)]
#[schema(as = Pagination)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PaginationView {
    /// Number of the page, from 1.
    #[schema(example = 1)]
    page: u32,
    /// Maximum number of items in a page.
    #[schema(example = 20)]
    limit: u32,
    /// Number of items in all; a lower bound, if `isLowerBound`.
    #[schema(example = 1)]
    total: u64,
    /// Number of pages.
    #[schema(example = 1)]
    total_pages: u64,
    /// Extension: true if there are more items than `total`, which no page shows. Absent if `total`
    /// is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    is_lower_bound: Option<bool>,
}

impl PaginationView {
    /// Returns the position of a page.
    pub(crate) fn of<T>(part: &Paged<T>) -> Self {
        Self {
            page: part.page.number(),
            limit: part.page.limit(),
            total: part.total,
            total_pages: part.page.of(part.total),
            is_lower_bound: part.is_lower_bound.then_some(true),
        }
    }
}

#[derive(Serialize)]
struct Failure {
    success: bool,
    error: ErrorView,
}

/// Error of a request.
#[derive(Serialize)]
pub(crate) struct ErrorView {
    /// A stable name that programs can match on.
    pub(crate) code: &'static str,
    /// One sentence for people.
    pub(crate) message: String,
    /// Further details. For `VALIDATION_ERROR`: `fieldErrors` and `formErrors`.
    pub(crate) details: Map<String, Value>,
}

/// Room for the JSON of one message, so that it is not moved while it grows.
const ROOM: usize = 1_280;

/// Returns an answer with that content.
fn with_json(status: StatusCode, content: &impl Serialize) -> HttpResponse {
    let mut body = Vec::with_capacity(ROOM);
    match serde_json::to_writer(&mut body, content) {
        Ok(()) => {
            let media_type = HeaderValue::from_static("application/json");
            HttpResponse::build(status).content_type(media_type).body(body)
        }
        Err(error) => HttpResponse::from_error(JsonPayloadError::Serialize(error)),
    }
}

/// Returns `data` in its envelope.
pub(crate) fn success(status: StatusCode, data: impl Serialize) -> HttpResponse {
    with_json(status, &Success { success: true, data })
}

/// Returns items in their envelope, with their place in the list.
pub(crate) fn items<T: Serialize>(data: Vec<T>, pagination: impl Serialize) -> HttpResponse {
    with_json(StatusCode::OK, &Items { success: true, data, pagination })
}

/// Returns `error` in its envelope.
pub(crate) fn failure(status: StatusCode, error: ErrorView) -> HttpResponse {
    HttpResponse::build(status).json(Failure { success: false, error })
}

impl<T: Serialize> Responder for Answer<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        success(StatusCode::OK, self.0)
    }
}

impl<T: Serialize> Responder for Created<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        success(StatusCode::CREATED, self.0)
    }
}

impl Responder for NoContent {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::NoContent().finish()
    }
}

impl<T: Serialize> Responder for Listed<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        success(StatusCode::OK, self.0)
    }
}

impl<T: Serialize> Responder for Paginated<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        items(self.items, self.pagination)
    }
}

/// Returns a reference to the schema of one `T` in its envelope.
pub(crate) fn schema_of_one<T: ToSchema>(schemas: &mut Schemas) -> Value {
    let data = schemas.of_answer::<T>();
    schemas.add(&format!("{}Answer", T::name()), envelope(&json!({ "data": data })))
}

/// Returns a reference to the schema of a list of `T`s in its envelope.
pub(crate) fn schema_of_list<T: ToSchema>(schemas: &mut Schemas) -> Value {
    let data = json!({ "type": "array", "items": schemas.of_answer::<T>() });
    schemas.add(&format!("{}List", T::name()), envelope(&json!({ "data": data })))
}

/// Returns a reference to the schema of `T`s in their envelope, with their place in the list.
pub(crate) fn schema_of_items<T: ToSchema>(
    schemas: &mut Schemas,
    suffix: &str,
    pagination: &Value,
) -> Value {
    let data = json!({ "type": "array", "items": schemas.of_answer::<T>() });
    let items = envelope(&json!({ "data": data, "pagination": pagination }));
    schemas.add(&format!("{}{suffix}", T::name()), items)
}

/// Returns the schema of an answer with these parts beside `success`.
pub(crate) fn envelope(parts: &Value) -> Value {
    let mut properties = json!({ "success": { "type": "boolean", "const": true } });
    let mut required = vec!["success".to_owned()];
    for (name, schema) in parts.as_object().into_iter().flatten() {
        properties[name] = schema.clone();
        required.push(name.clone());
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

impl<T: ToSchema> Describe for Answer<T> {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<T>(&mut description.schemas);
        description.answers_json(200, schema);
    }
}

impl<T: ToSchema> Describe for Created<T> {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<T>(&mut description.schemas);
        description.answers_json(201, schema);
    }
}

impl Describe for NoContent {
    fn describe(description: &mut Description) {
        description.answers_nothing(204);
    }
}

impl<T: ToSchema> Describe for Listed<T> {
    fn describe(description: &mut Description) {
        let schema = schema_of_list::<T>(&mut description.schemas);
        description.answers_json(200, schema);
    }
}

impl<T: ToSchema> Describe for Paginated<T> {
    fn describe(description: &mut Description) {
        let schemas = &mut description.schemas;
        let pagination = schemas.of_answer::<PaginationView>();
        let schema = schema_of_items::<T>(schemas, "Page", &pagination);
        description.answers_json(200, schema);
    }
}

/// Accepted callback.
#[derive(Serialize, ToSchema)]
#[schema(as = Received)]
pub(crate) struct ReceivedView {
    /// Always true.
    pub(crate) received: bool,
}
