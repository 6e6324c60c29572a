//! `/requests`

use std::str::FromStr;

use actix_web::web::Data;
use domain::{
    platform::refused_call::{RefusedCall, RefusedCallFilter},
    shared::id::Id,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        caller::Member,
        cursor::{self, Cursor, Part},
        endpoint::{Area, get, schemas::Schemas},
        error::ApiError,
        formats::Timestamp,
        json_fields::JsonSchema,
        query::{FromQuery, Parameters, Query},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Requests",
        about: "Requests that were answered with an error.",
        endpoints: vec![
            get("/requests", "listRefusedRequests", list)
                .extension()
                .summary("List requests that were answered with an error.")
                .description(
                    "Requests of the last seven days whose caller was authenticated in the \
                     organization, newest first. They appear within some seconds, and may be lost \
                     if an instance of the service crashes. Beyond 1,000 in an hour, each instance \
                     keeps one of ten, and ever fewer: `sampled` is true for those. For owners, \
                     administrators and developers.",
                )
                .answers("A part of the list."),
        ],
    }
}

/// Error for a text that cannot be looked for.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unfit(&'static str);

/// Identifier of a request, or the code of an error.
struct Word<const CODE: bool>(String);

impl<const CODE: bool> FromStr for Word<CODE> {
    type Err = Unfit;

    fn from_str(text: &str) -> Result<Self, Unfit> {
        let is_fit = |byte: u8| {
            if CODE {
                byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
            } else {
                byte.is_ascii_alphanumeric() || b"._-".contains(&byte)
            }
        };
        if text.len() <= 64 && text.bytes().all(is_fit) {
            return Ok(Self(text.to_owned()));
        }
        Err(Unfit(if CODE { "is not a code" } else { "is not the identifier of a request" }))
    }
}

impl<const CODE: bool> JsonSchema for Word<CODE> {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string", "maxLength": 64 })
    }
}

/// Status of an error.
struct ErrorStatus(u16);

impl FromStr for ErrorStatus {
    type Err = Unfit;

    fn from_str(text: &str) -> Result<Self, Unfit> {
        let status = text.parse::<u16>().ok().filter(|status| (400..=599).contains(status));
        // `+404` is a number, but no status.
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        status.filter(|_| is_plain).map(Self).ok_or(Unfit("must be a status from 400 to 599"))
    }
}

impl JsonSchema for ErrorStatus {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string", "pattern": "^[45][0-9][0-9]$" })
    }
}

/// Filter and part of the list.
struct RefusedCallQuery {
    filter: RefusedCallFilter,
    after: Option<Id<RefusedCall>>,
    limit: u32,
}

impl FromQuery for RefusedCallQuery {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let status = parameters.optional("status", "Only requests with this status.");
        let code = parameters.optional("code", "Only requests with this code of the error.");
        let key = parameters.optional("apiKeyId", "Only requests with this API key.");
        let request = parameters.optional("id", "Only the requests with this identifier.");
        let after = parameters.optional("after", cursor::ABOUT).map(|Cursor(after)| after);
        let limit = parameters.limit()?;
        let filter = RefusedCallFilter {
            request: request.map(|Word::<false>(id)| id),
            status: status.map(|ErrorStatus(status)| status),
            code: code.map(|Word::<true>(code)| code),
            key,
        };
        Some(Self { filter, after, limit })
    }
}

/// Request that was answered with an error.
#[derive(Serialize, ToSchema)]
#[schema(as = RefusedRequest)]
#[serde(rename_all = "camelCase")]
struct RefusedCallView {
    /// `X-Request-Id` of the answer. Not unique, if the client sent it more than once.
    #[schema(example = "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b")]
    id: String,
    #[schema(example = "POST")]
    method: String,
    /// Path without the query; its first 255 characters.
    #[schema(example = "/messages/send")]
    path: String,
    /// Status of the answer.
    #[schema(example = 402)]
    status: u16,
    /// Code of the error.
    #[schema(example = "INSUFFICIENT_BALANCE")]
    code: String,
    /// Message of the error; its first 255 characters.
    #[schema(example = "the balance is insufficient")]
    message: String,
    /// API key with which it was made; null for a session.
    api_key_id: Option<Uuid>,
    /// User who made it; null for an API key.
    user_id: Option<Uuid>,
    /// Network address of the client.
    #[schema(example = "192.0.2.1")]
    address: String,
    /// True if it stands for several requests, which were not kept.
    sampled: bool,
    /// Time of the answer.
    at: Timestamp,
}

impl From<RefusedCall> for RefusedCallView {
    fn from(call: RefusedCall) -> Self {
        Self {
            id: call.request.to_string(),
            method: call.method,
            path: call.path,
            status: call.status,
            code: call.code,
            message: call.message,
            api_key_id: call.key.map(Uuid::from),
            user_id: call.user.map(Uuid::from),
            address: call.address,
            sampled: call.is_sampled,
            at: call.at.into(),
        }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<RefusedCallQuery>,
) -> Result<Part<RefusedCallView>, ApiError> {
    let RefusedCallQuery { filter, after, limit } = query.read()?;
    let part = api.refused_calls.list(&caller, &filter, after, limit).await?;
    Ok(Part::new(part.calls, limit, part.next.map(|next| next.to_string())))
}
