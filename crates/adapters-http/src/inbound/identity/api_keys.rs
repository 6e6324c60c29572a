//! `/api-keys`

use actix_web::web::Data;
use domain::identity::api_key::{ApiKey, ApiKeyRequest, SCOPES};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, Paginated},
        body::Body,
        caller::Member,
        endpoint::{Area, delete, get, post},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        json_fields::{Fields, FromFields, JsonSchema, Rfc3339, field},
        path_id::{Identified, PathId},
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
            post("/api-keys", "createApiKey", create)
                .summary("Create an API key.")
                .description("The full key is in this answer only.")
                .answers("The key, shown only once.")
                .fails(400, "`NAME_REQUIRED`, `VALIDATION_ERROR`, or `ORGANIZATION_REQUIRED`."),
            delete("/api-keys/{id}", "revokeApiKey", revoke)
                .extension()
                .summary("Revoke an API key.")
                .description("The key stops working at once, on every instance within a second.")
                .answers("The key is revoked.")
                .fails(404, "There is no such key: `NOT_FOUND`."),
        ],
    }
}

/// Scope of an API key.
struct Scope;

type ScopeName = Names<Scope>;

impl Vocabulary for Scope {
    const TITLE: &'static str = "Scope";
    const DESCRIPTION: &'static str = "A permission of an API key.";

    fn names() -> Vec<&'static str> {
        SCOPES.into()
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
             and `events:trigger`. No endpoint accepts `contacts:read` yet.",
        );
        let expires_at = field("expiresAt").about("The time at which it expires; never if absent.");
        Self {
            name: fields.required(name).unwrap_or_default(),
            is_sandbox: fields.optional(is_sandbox).unwrap_or(true),
            scopes: fields.optional(scopes).unwrap_or_default(),
            expires_at: fields.optional(expires_at).map(|Rfc3339(at)| at),
        }
    }

    fn example() -> Value {
        json!({ "name": "Web shop", "isSandbox": true, "scopes": ["messages:send"] })
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
