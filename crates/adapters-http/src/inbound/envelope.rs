//! The envelope that every JSON answer comes in.

use actix_web::{HttpResponse, http::StatusCode};
use domain::delivery_log::Paged;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// An answer to a request that was carried out.
#[derive(Serialize, ToSchema)]
pub(super) struct Success<T> {
    /// Always true.
    success: bool,
    /// What was asked for.
    data: T,
}

/// A part of a list.
#[derive(Serialize, ToSchema)]
pub(super) struct Listing<T> {
    /// Always true.
    success: bool,
    /// The items of this part.
    data: Vec<T>,
    /// Which part of the list this is.
    pagination: PaginationView,
}

/// Which part of a list this is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PaginationView {
    /// The number of this part, from 1.
    page: u32,
    /// How many items a part has at the most.
    limit: u32,
    /// How many items there are in all.
    total: u64,
    /// How many parts there are.
    total_pages: u64,
}

/// An answer to a request that was refused or failed.
#[derive(Serialize, ToSchema)]
#[schema(as = Failure, example = json!({
    "success": false,
    "error": {
        "code": "VALIDATION_ERROR",
        "message": "the request is invalid: `to` is required",
        "details": { "fieldErrors": { "to": ["is required"] }, "formErrors": [] },
    },
}))]
pub(super) struct FailureView {
    /// Always false.
    success: bool,
    error: ErrorView,
}

/// What went wrong.
#[derive(Serialize, ToSchema)]
pub(super) struct ErrorView {
    /// A stable name that programs can match on.
    pub(super) code: &'static str,
    /// One sentence for people.
    pub(super) message: String,
    /// What else there is to say. For `VALIDATION_ERROR`: `fieldErrors` and `formErrors`.
    pub(super) details: Map<String, Value>,
}

/// `data` in its envelope.
pub(super) fn answer(status: StatusCode, data: impl Serialize) -> HttpResponse {
    HttpResponse::build(status).json(Success { success: true, data })
}

/// `data` in its envelope, with status 200.
pub(super) fn ok(data: impl Serialize) -> HttpResponse {
    answer(StatusCode::OK, data)
}

/// `data` in its envelope, with status 201.
pub(super) fn created(data: impl Serialize) -> HttpResponse {
    answer(StatusCode::CREATED, data)
}

/// A part of a list in its envelope, each item as `view` shows it.
pub(super) fn listing<T, V: Serialize>(part: Paged<T>, view: impl Fn(T) -> V) -> HttpResponse {
    let pagination = PaginationView {
        page: part.page.number(),
        limit: part.page.limit(),
        total: part.total,
        total_pages: part.page.of(part.total),
    };
    let data = part.items.into_iter().map(view).collect();
    HttpResponse::Ok().json(Listing { success: true, data, pagination })
}

/// `error` in its envelope.
pub(super) fn failure(status: StatusCode, error: ErrorView) -> HttpResponse {
    HttpResponse::build(status).json(FailureView { success: false, error })
}
