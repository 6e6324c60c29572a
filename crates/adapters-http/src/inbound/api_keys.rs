//! `/api-keys`

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web::Data};
use chrono::{DateTime, Utc};
use domain::api_key::{ApiKey, ApiKeyRequest, SCOPES};
use serde::Serialize;
use usecases::Error as Refusal;
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;
use uuid::Uuid;

use super::{
    Api,
    body::Body,
    caller::Member,
    envelope::{self, FailureView, Success},
    error::Failure,
    form::{Fields, FromFields, Moment},
    query::Query,
    wire::{Names, Timestamp, Vocabulary},
};

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list).service(create).service(revoke);
}

/// What an API key may be used for.
struct Scope;

type ScopeName = Names<Scope>;

impl Vocabulary for Scope {
    const TITLE: &'static str = "Scope";
    const DESCRIPTION: &'static str = "What an API key may be used for.";

    fn names() -> Vec<&'static str> {
        SCOPES.into()
    }
}

/// An API key to make.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    example = json!({ "name": "Web shop", "isSandbox": true, "scopes": ["messages:send"] }),
)]
struct CreateApiKeyRequest {
    /// What to call it.
    #[schema(value_type = String, max_length = 100)]
    name: Option<String>,
    /// Whether its messages only rehearse.
    #[schema(default = true)]
    is_sandbox: Option<bool>,
    /// What it may be used for. Without any: `messages:send`, `messages:read`, `events:read` and
    /// `events:trigger`. No endpoint takes `contacts:read` yet.
    #[schema(value_type = Option<Vec<ScopeName>>)]
    scopes: Option<Vec<String>>,
    /// When it ceases to work; never, if absent.
    expires_at: Option<DateTime<Utc>>,
}

impl FromFields for CreateApiKeyRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.optional("name"),
            is_sandbox: fields.optional("isSandbox"),
            scopes: fields.optional("scopes"),
            expires_at: fields.parsed("expiresAt").map(|Moment(at)| at),
        }
    }
}

impl From<CreateApiKeyRequest> for ApiKeyRequest {
    fn from(request: CreateApiKeyRequest) -> Self {
        Self {
            name: request.name.unwrap_or_default(),
            is_sandbox: request.is_sandbox.unwrap_or(true),
            scopes: request.scopes.unwrap_or_default(),
            expires_at: request.expires_at,
        }
    }
}

/// An API key, without the key itself.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ApiKeyView {
    id: Uuid,
    /// What its owner calls it.
    name: String,
    /// Its first characters, to recognise it by.
    #[schema(example = "ak_test_3f9a")]
    prefix: String,
    /// What it may be used for.
    scopes: Vec<String>,
    /// Whether its messages only rehearse.
    is_sandbox: bool,
    /// When it ceases to work.
    expires_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    last_used_at: Option<Timestamp>,
    created_at: Timestamp,
}

/// An API key that was just made.
#[derive(Serialize, ToSchema)]
struct NewApiKeyView {
    #[serde(flatten)]
    about: ApiKeyView,
    /// The key itself. It is shown this once and kept nowhere.
    key: String,
}

/// An API key that works no more.
#[derive(Serialize, ToSchema)]
struct RevokedApiKeyView {
    id: Uuid,
    /// Always true.
    revoked: bool,
}

impl From<ApiKey> for ApiKeyView {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id.uuid(),
            name: key.name,
            prefix: key.prefix,
            scopes: key.scopes,
            is_sandbox: key.is_sandbox,
            expires_at: key.expires_at.map(Timestamp::from),
            last_used_at: key.last_used_at.map(Timestamp::from),
            created_at: key.created_at.into(),
        }
    }
}

/// List API keys.
///
/// Newest first, with prefixes only. For owners, administrators and developers.
#[utoipa::path(
    operation_id = "listApiKeys",
    tag = "API keys",
    params(
        Member,
        ("page" = Option<i64>, Query, minimum = 1, maximum = 4_294_967_295_i64,
         description = "Which page, from 1; 1 if absent."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100,
         description = "How many, 1 to 100; 100 if absent."),
    ),
    security(("bearer" = [])),
    responses((status = 200, description = "The keys.", body = Success<Vec<ApiKeyView>>)),
)]
#[get("/api-keys")]
async fn list(
    Member(caller): Member,
    api: Data<Api>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    let page = Query::of(&request).short_page()?;
    let keys = page.cut(api.api_keys.list(&caller).await?);
    Ok(envelope::ok(keys.into_iter().map(ApiKeyView::from).collect::<Vec<_>>()))
}

/// Make an API key.
///
/// The full key is in this answer and never again.
#[utoipa::path(
    operation_id = "createApiKey",
    tag = "API keys",
    params(Member),
    security(("bearer" = [])),
    request_body = CreateApiKeyRequest,
    responses(
        (status = 201, description = "The key, once.", body = Success<NewApiKeyView>),
        (status = 400, description = "`NAME_REQUIRED`, or `VALIDATION_ERROR`.", body = FailureView),
    ),
)]
#[post("/api-keys")]
async fn create(
    Member(caller): Member,
    api: Data<Api>,
    body: Body,
) -> Result<HttpResponse, Failure> {
    let (request, found) = body.read::<CreateApiKeyRequest>()?;
    let (about, key) = api.api_keys.create(&caller, request.into(), found).await?;
    Ok(envelope::created(NewApiKeyView { about: about.into(), key }))
}

/// Revoke an API key.
///
/// Extension: the key stops working at once, on every instance within a second.
#[utoipa::path(
    operation_id = "revokeApiKey",
    tag = "API keys",
    params(Member, ("id" = String, Path, description = "Which key.")),
    security(("bearer" = [])),
    responses(
        (status = 200, description = "The key is revoked.", body = Success<RevokedApiKeyView>),
        (status = 404, description = "There is no such key.", body = FailureView),
    ),
)]
#[delete("/api-keys/{id}")]
async fn revoke(
    Member(caller): Member,
    api: Data<Api>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    let id = request.match_info().query("id").parse();
    let id = id.map_err(|_| Refusal::NotFound("API key"))?;
    api.api_keys.revoke(&caller, id).await?;
    Ok(envelope::ok(RevokedApiKeyView { id: id.uuid(), revoked: true }))
}
