//! The error responses of operations, with examples.

use std::collections::BTreeMap;

use actix_web::{ResponseError, http::StatusCode};
use chrono::{DateTime, TimeDelta};
use domain::{
    content::compliance::APPROVAL_THRESHOLD,
    identity::{
        caller::Denied,
        organization::{Holding, HoldingFull, RoleRefused},
    },
    money::{
        funds::SpendingLimitReached,
        invoice::{InvoiceNumber, InvoiceRefused, InvoiceStatus},
        pricing::ChangeRefused,
        wallet::InsufficientBalance,
    },
    outreach::campaign::CampaignStatus,
    shared::{fault::Faults, id::Id, money::Money},
};
use ports::audience::contacts::{TakenAddress, UniqueField};
use serde_json::{Map, Value, json};
use usecases::{
    Error,
    audience::{
        contacts::contact_exists,
        imports::TOO_MANY_IMPORTS,
        segments::{SEGMENT_IN_USE, segment_limit_reached},
    },
    content::{
        sender_names::{SENDER_NAME_IN_PROGRESS, SENDER_NAME_TAKEN, TOO_MANY_SENDER_NAMES},
        templates::CONTENT_CHANGED,
        writing::CONTENT_WRITER_NOT_CONFIGURED,
    },
    identity::{
        api_keys::NAME_REQUIRED,
        auth::{
            EMAIL_EXISTS, EMAIL_REQUIRED, INVALID_CREDENTIALS, NO_CREDENTIALS, NOT_A_MEMBER,
            NOT_IMPERSONATING, REGISTRATION_CLOSED, SESSION_REQUIRED,
        },
        organizations::USER_NOT_FOUND,
    },
    messaging::messages::{
        IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, template_not_approved, template_not_found,
    },
    money::{
        invoices::{invoice_limit_reached, reference_taken, unknown_invoice},
        pricing::{PLAN_EXISTS, PRICING_RULE_EXISTS},
        top_ups::{NO_GATEWAY, REFERENCE_REQUIRED, TOO_MANY_TOP_UPS, payment_failed},
    },
    outreach::{
        campaigns::{
            approval_required, campaign_limit_reached, segment_not_found, unfit_campaign_status,
        },
        events::{
            CONTACT_NOT_FOUND, EVENT_CHANGED, event_inactive, event_limit_reached, event_not_found,
            slug_exists,
        },
    },
    shared::{
        bounds::limit_reached,
        refusals::{ALREADY_DECIDED, INVALID_SIGNATURE},
    },
    webhooks::webhook_endpoints::{
        URL_REQUIRED, WEBHOOK_ENDPOINT_BUSY, WEBHOOK_ENDPOINT_INACTIVE, active_limit_reached,
    },
};
use uuid::uuid;

use super::{Description, Endpoint, add_rate_limits, header, is_limited};
use crate::inbound::shared::{
    body::MAX_BODY,
    endpoint::{
        callers::{API_KEY, ORGANIZATION},
        schemas::{Schemas, reference},
    },
    error::ApiError,
};

const SCHEMA: &str = "Failure";

/// Returns a failure of every code.
fn samples() -> Vec<ApiError> {
    let template = Id::from(uuid!("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b"));
    let refused = [
        Error::Invalid(Faults::field("to", "is required")),
        Error::BadRequest(EMAIL_REQUIRED),
        Error::BadRequest(NAME_REQUIRED),
        Error::BadRequest(URL_REQUIRED),
        Error::BadRequest(NOT_IMPERSONATING),
        Error::Unauthenticated(INVALID_CREDENTIALS),
        Error::Unauthenticated(NO_CREDENTIALS),
        Error::Unauthenticated(SESSION_REQUIRED),
        Error::Unauthenticated(INVALID_SIGNATURE),
        Error::Forbidden(NOT_A_MEMBER),
        Error::Forbidden(REGISTRATION_CLOSED),
        Denied::Role.into(),
        Denied::Scope("messages:send").into(),
        Denied::Suspended.into(),
        Error::NotFound("resource"),
        Error::UnknownReference(USER_NOT_FOUND),
        template_not_found(template),
        segment_not_found(Id::from(template.uuid())),
        RoleRefused::LastOwner.into(),
        Error::Conflict(EMAIL_EXISTS),
        segment_limit_reached(),
        Error::Conflict(SEGMENT_IN_USE),
        campaign_limit_reached(),
        unfit_campaign_status(CampaignStatus::Sending, &[CampaignStatus::Draft], "sent"),
        approval_required(Id::from(template.uuid()), APPROVAL_THRESHOLD),
        Error::UnknownReference(CONTACT_NOT_FOUND),
        event_not_found("parcel.arrived"),
        event_inactive("parcel.arrived"),
        event_limit_reached(),
        slug_exists("parcel.arrived"),
        Error::Conflict(EVENT_CHANGED),
        Error::Conflict(TOO_MANY_IMPORTS),
        Error::Conflict(ALREADY_DECIDED),
        Error::Conflict(CONTENT_CHANGED),
        template_not_approved(template),
        contact_exists(TakenAddress {
            field: UniqueField::Phone,
            contact: Id::from(template.uuid()),
        }),
        Error::Conflict(PRICING_RULE_EXISTS),
        Error::Conflict(PLAN_EXISTS),
        ChangeRefused::Ended.into(),
        ChangeRefused::General.into(),
        Error::Conflict(SENDER_NAME_TAKEN),
        Error::Conflict(TOO_MANY_SENDER_NAMES),
        Error::InProgress(SENDER_NAME_IN_PROGRESS),
        active_limit_reached(),
        Error::Conflict(WEBHOOK_ENDPOINT_INACTIVE),
        Error::InProgress(WEBHOOK_ENDPOINT_BUSY),
        Error::InProgress(IDEMPOTENCY_IN_PROGRESS),
        Error::Contradiction(IDEMPOTENCY_KEY_REUSED),
        Error::RateLimited(TimeDelta::seconds(2)),
        Error::Overloaded,
        Error::Unavailable(CONTENT_WRITER_NOT_CONFIGURED),
    ];
    refused
        .into_iter()
        .chain(refusals_of_more())
        .chain(refusals_over_money())
        .map(ApiError::Refused)
        .chain(refusals_of_requests())
        .collect()
}

/// Returns the refusals of requests before they are understood.
fn refusals_of_requests() -> [ApiError; 5] {
    [
        ApiError::OrganizationRequired,
        ApiError::MethodNotAllowed("GET, HEAD".to_owned()),
        ApiError::BodyTooLarge { limit: MAX_BODY },
        ApiError::UnsupportedEncoding("gzip".to_owned()),
        ApiError::Broken,
    ]
}

/// Returns the refusals for each limit on the things that an organization keeps.
fn refusals_of_more() -> [Error; Holding::ALL.len()] {
    Holding::ALL.map(|holding| {
        let limit = holding.limit(false);
        limit_reached(HoldingFull { holding, limit, grows: limit < holding.limit(true) })
    })
}

/// Returns the refusals to move money.
fn refusals_over_money() -> Vec<Error> {
    vec![
        Error::BadRequest(REFERENCE_REQUIRED),
        payment_failed(
            "nothing is paid so far: the gateway says `abandoned`; ask again when the payment is made",
        ),
        Error::Conflict(TOO_MANY_TOP_UPS),
        Error::Unavailable(NO_GATEWAY),
        InvoiceRefused::OtherAmount { number: InvoiceNumber(3), amount: Money::from_cedis(50) }
            .into(),
        invoice_limit_reached(),
        reference_taken("transfer-7", Money::from_cedis(50)),
        unknown_invoice("INV-7"),
        InvoiceRefused::Credited { number: InvoiceNumber(3) }.into(),
        InvoiceRefused::NotOpen { number: InvoiceNumber(3), status: InvoiceStatus::Void }.into(),
        Error::InsufficientBalance(InsufficientBalance {
            required: Money::from_micros(35_000),
            balance: Money::from_micros(12_000),
        }),
        Error::SpendingLimitReached(SpendingLimitReached {
            required: Money::from_micros(35_000),
            limit: Money::from_cedis(20),
            spent: Money::from_micros(19_990_000),
            resets_at: DateTime::UNIX_EPOCH + TimeDelta::days(20_780),
        }),
    ]
}

/// Describes each code, and if the request may be repeated.
fn about_codes(samples: &[ApiError]) -> String {
    let line = |sample: &ApiError| {
        let again = match sample.status_code() {
            _ if sample.retry_after().is_some() => " Try again after `Retry-After`.",
            StatusCode::INTERNAL_SERVER_ERROR => " Try again later.",
            _ => "",
        };
        let (status, view) = (sample.status_code().as_u16(), sample.view());
        format!("- `{}` ({status}): {}.{again}", view.code, view.message)
    };
    let lines: Vec<_> = samples.iter().map(line).collect();
    format!("{ABOUT_CODES}\n\n{}", lines.join("\n"))
}

const ABOUT_CODES: &str = "\
A stable name that programs can match on. A refused request has the same result if it is repeated unchanged, \
unless the description of its code names a retry; repeat requests that create something with the same \
`Idempotency-Key`.";

/// Adds the schemas of failures.
pub(super) fn add_schemas(schemas: &mut Schemas) {
    let samples = samples();
    let codes: Vec<_> = samples.iter().map(ApiError::code).collect();
    let code = schemas.add(
        "ErrorCode",
        json!({
            "type": "string", "enum": codes,
            "description": about_codes(&samples),
        }),
    );
    let error = schemas.add(
        "Error",
        json!({
            "type": "object",
            "description": "An error.",
            "required": ["code", "message", "details"],
            "properties": {
                "code": code,
                "message": { "type": "string", "description": "One sentence for people." },
                "details": {
                    "type": "object", "additionalProperties": true,
                    "description": "Further details. For `VALIDATION_ERROR`: `fieldErrors` and \
                                    `formErrors`.",
                },
            },
        }),
    );
    schemas.add(
        SCHEMA,
        json!({
            "type": "object",
            "description": "An answer to a request that was refused or failed.",
            "required": ["success", "error"],
            "properties": { "success": { "type": "boolean", "const": false }, "error": error },
        }),
    );
}

/// Returns the failures of an operation by status: its own, then those that do not depend on the
/// operation.
pub(super) fn of(area: &str, endpoint: &Endpoint, operation: &Description) -> BTreeMap<u16, Value> {
    let has_body = operation.body.is_some();
    let has_query = operation.parameters.iter().any(|parameter| parameter["in"] == "query");
    let is_secured = !operation.security.is_empty();
    let takes_key = operation.security.iter().any(|schemes| schemes.contains(&API_KEY));
    let is_inside = operation.security.iter().any(|schemes| schemes.contains(&ORGANIZATION));
    let is_limited = is_limited(area);
    let common = [
        (
            400,
            has_body && is_inside,
            "The request is invalid: `VALIDATION_ERROR`; or it names no organization: \
             `ORGANIZATION_REQUIRED`.",
        ),
        (400, has_body, "The request is invalid: `VALIDATION_ERROR`."),
        (
            400,
            has_query && is_inside,
            "A parameter is invalid: `VALIDATION_ERROR`; or the request names no organization: \
             `ORGANIZATION_REQUIRED`.",
        ),
        (
            400,
            is_inside,
            "The request names no organization: `ORGANIZATION_REQUIRED`; or it has a parameter that is \
             not known: `VALIDATION_ERROR`.",
        ),
        (400, has_query && is_secured, "A parameter is invalid: `VALIDATION_ERROR`."),
        (400, is_secured, "The request has a parameter that is not known: `VALIDATION_ERROR`."),
        (
            401,
            is_secured && !takes_key,
            "Valid credentials are required: `UNAUTHORIZED`; API keys are not accepted: \
             `SESSION_REQUIRED`.",
        ),
        (401, is_secured, "Valid credentials are required: `UNAUTHORIZED`."),
        (
            403,
            takes_key,
            "The caller may not do this: `FORBIDDEN`, `NOT_A_MEMBER`, or `INSUFFICIENT_SCOPE`.",
        ),
        (403, is_inside, "The caller may not do this: `FORBIDDEN`, or `NOT_A_MEMBER`."),
        (403, is_secured, "The caller may not do this: `FORBIDDEN`."),
        (413, has_body, "The body is larger than 1 MiB: `PAYLOAD_TOO_LARGE`."),
        (415, has_body, "The body has a content encoding: `UNSUPPORTED_MEDIA_TYPE`."),
        (429, is_limited, "Too many requests: `RATE_LIMITED`."),
        (500, true, "The service failed: `INTERNAL_ERROR`."),
        (503, is_limited, "Try again soon: `SERVICE_UNAVAILABLE`."),
    ];
    let mut failures: BTreeMap<u16, Value> = BTreeMap::new();
    for (status, description) in &endpoint.failures {
        failures.insert(*status, failure(*status, description));
    }
    for (status, applies, description) in common {
        if applies {
            failures.entry(status).or_insert_with(|| failure(status, description));
        }
    }
    if let Some(refusal) = failures.get_mut(&429).filter(|_| operation.is_counted) {
        add_rate_limits(&mut refusal["headers"]);
    }
    failures
}

/// Returns a failure with the codes that the description names.
fn failure(status: u16, description: &str) -> Value {
    let mut examples = Map::new();
    let mut headers = json!({ "X-Request-Id": header("X-Request-Id") });
    for sample in samples() {
        let is_meant = sample.status_code().as_u16() == status
            && description.contains(&format!("`{}`", sample.code()));
        if is_meant {
            let value = json!({ "success": false, "error": sample.view() });
            examples.insert(sample.code().to_owned(), json!({ "value": value }));
            if sample.retry_after().is_some() {
                headers["Retry-After"] = header("Retry-After");
            }
            if sample.asks_for_credentials() {
                headers["WWW-Authenticate"] = header("WWW-Authenticate");
            }
        }
    }
    json!({
        "description": description,
        "headers": headers,
        "content": {
            "application/json": { "schema": reference(SCHEMA), "examples": examples },
        },
    })
}
