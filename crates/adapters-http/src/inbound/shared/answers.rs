//! The answers of handlers, each in the envelope that all JSON answers come in. The document follows
//! from their types.

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, http::StatusCode};
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

/// What was asked for: 200.
pub(crate) struct Answer<T>(T);

/// What was created: 201.
pub(crate) struct Created<T>(T);

/// A whole list: 200.
pub(crate) struct Listed<T>(Vec<T>);

/// A page of a list: 200.
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
    /// A list of items with long texts, which are cut.
    pub(crate) fn with_cut_texts(items: impl IntoIterator<Item: Into<T>>) -> Self {
        let mut list = Self::new(items);
        list.0.iter_mut().for_each(T::cut_text);
        list
    }
}

impl<T> Paginated<T> {
    pub(crate) fn new(part: Paged<impl Into<T>>) -> Self {
        let pagination = PaginationView {
            page: part.page.number(),
            limit: part.page.limit(),
            total: part.total,
            total_pages: part.page.of(part.total),
            is_lower_bound: part.is_lower_bound.then_some(true),
        };
        Self { items: part.items.into_iter().map(Into::into).collect(), pagination }
    }
}

impl<T: LongText> Paginated<T> {
    /// A page of items with long texts, which are cut.
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
struct Page<T> {
    success: bool,
    data: Vec<T>,
    pagination: PaginationView,
}

/// Which part of a list this is.
#[derive(Serialize, ToSchema)]
#[schema(as = Pagination)]
#[serde(rename_all = "camelCase")]
struct PaginationView {
    /// The number of this part, from 1.
    #[schema(example = 1)]
    page: u32,
    /// How many items a part has at the most.
    #[schema(example = 20)]
    limit: u32,
    /// How many items there are in all; at least, if `isLowerBound`.
    #[schema(example = 1)]
    total: u64,
    /// How many parts there are.
    #[schema(example = 1)]
    total_pages: u64,
    /// Extension: there are more items than `total`, which no part shows. Absent where `total` is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    is_lower_bound: Option<bool>,
}

#[derive(Serialize)]
struct Failure {
    success: bool,
    error: ErrorView,
}

/// What went wrong.
#[derive(Serialize)]
pub(crate) struct ErrorView {
    /// A stable name that programs can match on.
    pub(crate) code: &'static str,
    /// One sentence for people.
    pub(crate) message: String,
    /// What else there is to say. For `VALIDATION_ERROR`: `fieldErrors` and `formErrors`.
    pub(crate) details: Map<String, Value>,
}

/// `data` in its envelope.
pub(crate) fn success(status: StatusCode, data: impl Serialize) -> HttpResponse {
    HttpResponse::build(status).json(Success { success: true, data })
}

/// `error` in its envelope.
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

impl<T: Serialize> Responder for Listed<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        success(StatusCode::OK, self.0)
    }
}

impl<T: Serialize> Responder for Paginated<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let Self { items, pagination } = self;
        HttpResponse::Ok().json(Page { success: true, data: items, pagination })
    }
}

/// A reference to the schema of one `T` in its envelope.
pub(crate) fn schema_of_one<T: ToSchema>(schemas: &mut Schemas) -> Value {
    let data = schemas.of_answer::<T>();
    schemas.add(&format!("{}Answer", T::name()), envelope(&json!({ "data": data })))
}

/// A reference to the schema of a list of `T`s in its envelope.
pub(crate) fn schema_of_list<T: ToSchema>(schemas: &mut Schemas) -> Value {
    let data = json!({ "type": "array", "items": schemas.of_answer::<T>() });
    schemas.add(&format!("{}List", T::name()), envelope(&json!({ "data": data })))
}

fn envelope(parts: &Value) -> Value {
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

impl<T: ToSchema> Describe for Listed<T> {
    fn describe(description: &mut Description) {
        let schema = schema_of_list::<T>(&mut description.schemas);
        description.answers_json(200, schema);
    }
}

impl<T: ToSchema> Describe for Paginated<T> {
    fn describe(description: &mut Description) {
        let schemas = &mut description.schemas;
        let data = json!({ "type": "array", "items": schemas.of_answer::<T>() });
        let pagination = schemas.of_answer::<PaginationView>();
        let page = envelope(&json!({ "data": data, "pagination": pagination }));
        let schema = schemas.add(&format!("{}Page", T::name()), page);
        description.answers_json(200, schema);
    }
}
