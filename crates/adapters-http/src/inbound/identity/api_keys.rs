//! `/api-keys`

use actix_web::web::Data;
use domain::identity::{
    api_key::{ApiKey, ApiKeyRequest},
    scope::Scope,
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    identity::api_keys::{API_KEY_ROTATED, NAME_REQUIRED},
};
use utoipa::ToSchema;
use uuid::Uuid;

mod current;
mod usage;

use self::{current::CurrentApiKeyView, usage::KeyDayView};
use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, Listed, Paginated},
        body::Body,
        caller::Member,
        endpoint::{Area, delete, get, post_once},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        json_fields::{Fields, FromFields, JsonSchema, field},
        path_id::{Identified, PathId},
        program::Program,
        query::{Query, ShortPage},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "API keys",
        about: "Credentials of programs.",
        endpoints: vec![
            get("/api-keys", "listApiKeys", list)
                .summary("List API keys.")
                .description(
                    "Newest first, with prefixes only. For owners, administrators and developers.",
                )
                .answers("The keys."),
            post_once("/api-keys", "createApiKey", create)
                .summary("Create an API key.")
                .description(
                    "The full key is in this answer only. A member can give only scopes that the \
                     own role allows. What the key writes counts as written by that member.",
                )
                .answers("The key, shown only once.")
                .refuses(Error::BadRequest(NAME_REQUIRED)),
            delete("/api-keys/{id}", "revokeApiKey", revoke)
                .extension()
                .summary("Revoke an API key.")
                .description("The key stops working at once, on every instance within a second.")
                .answers("The key is revoked."),
            get("/api-keys/current", "getCurrentApiKey", current)
                .extension()
                .summary("Get the API key of the request.")
                .description("For API keys only, whatever their scopes.")
                .answers("The key, its organization and its limits."),
            get("/api-keys/{id}/usage", "getApiKeyUsage", usage)
                .extension()
                .summary("Get the calls made with an API key.")
                .description(
                    "Each of the last 30 days in UTC, oldest first. Calls are counted within some \
                     seconds of their answers. For owners, administrators and developers.",
                )
                .answers("The days."),
            post_once("/api-keys/{id}/rotate", "rotateApiKey", rotate)
                .extension()
                .summary("Replace an API key.")
                .description(
                    "Creates a key with the same name, mode and scopes. If the present key \
                     expires, the new one does so after the same lifetime. The present key remains \
                     valid for `overlapHours`, but not beyond its expiry.",
                )
                .answers("The new key, shown only once.")
                .refuses(Error::Conflict(API_KEY_ROTATED)),
        ],
    }
}

type ScopeName = Names<Scope>;

impl Vocabulary for Scope {
    const TITLE: &'static str = "Scope";
    const DESCRIPTION: &'static str = "A permission of an API key. `x-atumpan-scope` of an \
         operation names the scope that opens it.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Identified for ApiKey {
    const NAME: &'static str = "API key";
}

impl FromFields for ApiKeyRequest {
    const NAME: &'static str = "CreateApiKeyRequest";
    const ABOUT: &'static str = "An API key to create.";

    fn from_fields(fields: &mut Fields) -> Self {
        let name = field("name").about("A name for people.").limits(&[("maxLength", 100)]);
        let is_sandbox = field("isSandbox")
            .about("True for a sandbox key, whose messages are only simulated. True if absent.");
        let scopes = field("scopes").documented_as(Vec::<Scope>::schema).about(
            "The permissions of the key. Default: `messages:send`, `messages:read`, `events:read` \
             and `events:trigger`. All others open endpoints for sessions to the key; those that \
             end in `:write` are of no use to a sandbox key.",
        );
        let expires_at = field("expiresAt").about("The time at which it expires; never if absent.");
        Self {
            name: fields.required(name).unwrap_or_default(),
            is_sandbox: fields.optional(is_sandbox).unwrap_or(true),
            scopes: fields.optional(scopes).unwrap_or_default(),
            expires_at: fields.optional(expires_at),
        }
    }

    fn example() -> Value {
        json!({ "name": "Web shop", "isSandbox": true, "scopes": ["messages:send"] })
    }
}

/// Rotation of an API key.
struct RotateRequest {
    overlap_hours: Option<i32>,
}

impl FromFields for RotateRequest {
    const NAME: &'static str = "RotateApiKeyRequest";
    const ABOUT: &'static str = "The replacement of an API key.";

    fn from_fields(fields: &mut Fields) -> Self {
        let overlap_hours = field("overlapHours")
            .about(
                "The number of hours for which the present key remains valid; 24 if absent. With 0 \
                 it stops working at once, on every instance within a second.",
            )
            .limits(&[("minimum", 0), ("maximum", 168)]);
        Self { overlap_hours: fields.optional(overlap_hours) }
    }

    fn example() -> Value {
        json!({ "overlapHours": 24 })
    }
}

/// An API key, without the key itself.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiKey)]
#[serde(rename_all = "camelCase")]
struct ApiKeyView {
    id: Uuid,
    /// Name that its owner gave it.
    #[schema(example = "Web shop")]
    name: String,
    /// First characters of the key, for recognition.
    #[schema(example = "ak_test_3f9a")]
    prefix: String,
    /// Scopes of the key.
    #[schema(value_type = Vec<ScopeName>)]
    scopes: Vec<String>,
    /// True if it is a key of the sandbox, whose messages are only simulated.
    is_sandbox: bool,
    /// Time at which it expires; null for never.
    expires_at: Option<Timestamp>,
    /// Time of its last use, to five minutes.
    last_used_at: Option<Timestamp>,
    created_at: Timestamp,
    /// Extension: the user who created it; null if that was not recorded.
    created_by: Option<Uuid>,
}

/// Newly created API key.
#[derive(Serialize, ToSchema)]
#[schema(as = NewApiKey)]
struct NewApiKeyView {
    #[serde(flatten)]
    about: ApiKeyView,
    /// The key itself. It is shown only once and stored nowhere.
    #[schema(example = "ak_test_3f9a6c2f7d10a4c3…")]
    key: String,
}

/// Revoked API key.
#[derive(Serialize, ToSchema)]
#[schema(as = RevokedApiKey)]
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
            created_by: key.created_by.map(Uuid::from),
        }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<ApiKeyView>, ApiError> {
    let ShortPage(page) = query.read()?;
    let keys = api.api_keys.list(&caller).await?;
    Ok(Paginated::new(page.part(keys)))
}

async fn create(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<ApiKeyRequest>,
) -> Result<Created<NewApiKeyView>, ApiError> {
    let (request, faults) = body.read()?;
    let (about, key) = api.api_keys.create(&caller, request, faults).await?;
    Ok(Created::new(NewApiKeyView { about: about.into(), key }))
}

async fn revoke(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<ApiKey>,
) -> Result<Answer<RevokedApiKeyView>, ApiError> {
    let id = id.read()?;
    api.api_keys.revoke(&caller, id).await?;
    Ok(Answer::new(RevokedApiKeyView { id: id.uuid(), revoked: true }))
}

async fn current(
    Program(caller): Program,
    api: Data<Api>,
) -> Result<Answer<CurrentApiKeyView>, ApiError> {
    let current = api.api_keys.current(&caller).await?;
    let rate_limits = api.limits.rate_limits(&caller).await;
    let own = caller.policy.settings.limits;
    Ok(Answer::new(CurrentApiKeyView::of(current, rate_limits, own)))
}

async fn usage(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<ApiKey>,
) -> Result<Listed<KeyDayView>, ApiError> {
    Ok(Listed::new(api.api_keys.usage(&caller, id.read()?).await?))
}

async fn rotate(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<ApiKey>,
    body: Body<RotateRequest>,
) -> Result<Created<NewApiKeyView>, ApiError> {
    let (RotateRequest { overlap_hours }, faults) = body.read()?;
    let id = id.or_unknown();
    let (about, key) = api.api_keys.rotate(&caller, id, overlap_hours, faults).await?;
    Ok(Created::new(NewApiKeyView { about: about.into(), key }))
}
