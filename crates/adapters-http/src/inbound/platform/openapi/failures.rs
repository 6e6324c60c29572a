//! The error responses of operations, with examples.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{
    content::compliance::APPROVAL_THRESHOLD,
    identity::{
        caller::Denied,
        organization::{Holding, RoleRefused},
    },
    shared::{fault::Faults, id::Id},
};
use serde_json::{Map, Value, json};
use usecases::{
    Error,
    audience::imports::TOO_MANY_IMPORTS,
    content::{templates::CONTENT_CHANGED, writing::CONTENT_WRITER_NOT_CONFIGURED},
    identity::{
        auth::{NO_CREDENTIALS, NOT_A_MEMBER, SESSION_REQUIRED},
        members::USER_NOT_FOUND,
        second_factors::{SECOND_FACTOR_MISSING, SECOND_FACTOR_REQUIRED},
    },
    messaging::messages::{IDEMPOTENCY_IN_PROGRESS, template_not_approved, template_not_found},
    money::{
        invoices::invoice_limit_reached,
        top_ups::{REFERENCE_REQUIRED, TOO_MANY_TOP_UPS},
    },
    outreach::{
        campaigns::{approval_required, segment_not_found},
        events::{
            CONTACT_NOT_FOUND, event_inactive, event_limit_reached, event_not_found, slug_exists,
        },
    },
    webhooks::webhook_endpoints::{
        WEBHOOK_ENDPOINT_BUSY, WEBHOOK_ENDPOINT_INACTIVE, active_limit_reached,
    },
};

use super::{
    Description, Endpoint, add_rate_limits,
    codes::{self, Sample},
    header, is_limited,
};
use crate::inbound::{
    money::refusals::{
        invoice_amount_differs, invoice_credited, invoice_not_open, payment_failed,
        reference_taken, unknown_invoice,
    },
    shared::{
        body::MAX_BODY,
        endpoint::{
            Area,
            callers::{API_KEY, MEMBER_OR_KEY, ORGANIZATION},
            refusals::{
                EXAMPLE, SLUG, address_taken, holding_full, insufficient_balance,
                spending_limit_reached, unfit_campaign,
            },
            schemas::{Schemas, reference},
        },
        error::ApiError,
    },
};

const SCHEMA: &str = "Failure";

/// Returns a failure of every code that several endpoints have, or none by `refuses`.
fn samples() -> Vec<ApiError> {
    let template = Id::of(EXAMPLE);
    let refused = [
        Error::Invalid(Faults::field("to", "is required")),
        Error::Unauthenticated(NO_CREDENTIALS),
        Error::Unauthenticated(SESSION_REQUIRED),
        Error::Unauthenticated(SECOND_FACTOR_REQUIRED),
        Error::Forbidden(NOT_A_MEMBER),
        Error::Forbidden(SECOND_FACTOR_MISSING),
        Denied::Role.into(),
        Denied::Scope("messages:send").into(),
        Denied::Suspended.into(),
        Denied::Closed.into(),
        Error::NotFound("resource"),
        Error::UnknownReference(USER_NOT_FOUND),
        template_not_found(template),
        segment_not_found(Id::of(EXAMPLE)),
        RoleRefused::LastOwner.into(),
        unfit_campaign(),
        approval_required(Id::of(EXAMPLE), APPROVAL_THRESHOLD),
        Error::UnknownReference(CONTACT_NOT_FOUND),
        event_not_found(SLUG),
        event_inactive(SLUG),
        event_limit_reached(),
        slug_exists(SLUG),
        Error::Conflict(TOO_MANY_IMPORTS),
        Error::Conflict(CONTENT_CHANGED),
        template_not_approved(template),
        address_taken(),
        active_limit_reached(),
        Error::Conflict(WEBHOOK_ENDPOINT_INACTIVE),
        Error::InProgress(WEBHOOK_ENDPOINT_BUSY),
        Error::InProgress(IDEMPOTENCY_IN_PROGRESS),
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
    Holding::ALL.map(holding_full)
}

/// Returns the refusals to move money.
fn refusals_over_money() -> Vec<Error> {
    vec![
        Error::BadRequest(REFERENCE_REQUIRED),
        payment_failed(),
        Error::Conflict(TOO_MANY_TOP_UPS),
        invoice_amount_differs(),
        invoice_limit_reached(),
        reference_taken(),
        unknown_invoice(),
        invoice_credited(),
        invoice_not_open(),
        insufficient_balance(),
        spending_limit_reached(),
    ]
}

/// Failures of all operations.
pub(super) struct Failures {
    samples: Vec<Sample>,
}

impl Failures {
    /// Creates them from the codes that all areas share, and from those of the endpoints.
    pub(super) fn of(areas: &[Area]) -> Self {
        let common = samples();
        let endpoints = areas.iter().flat_map(|area| &area.endpoints);
        let own = endpoints.flat_map(|endpoint| &endpoint.refusals).map(|refusal| &refusal.error);
        let mut found: Vec<Sample> = Vec::new();
        for sample in common.iter().chain(own).map(Sample::from) {
            let same = |other: &Sample| (other.status, other.code) == (sample.status, sample.code);
            if !found.iter().any(same) {
                found.push(sample);
            }
        }
        Self { samples: found }
    }

    /// Adds the schemas of failures.
    pub(super) fn add_schemas(&self, schemas: &mut Schemas) {
        let code = codes::add_schema(schemas, &self.samples);
        let error = schemas.add("Error", error(&code));
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

    /// Returns the failures of an operation by status: its own, and those that do not depend on the
    /// operation.
    pub(super) fn of_operation(
        &self,
        area: &str,
        endpoint: &Endpoint,
        operation: &Description,
    ) -> BTreeMap<u16, Value> {
        let mut texts = BTreeMap::new();
        for (status, description) in &endpoint.failures {
            texts.insert(*status, (*description).to_owned());
        }
        for (status, description) in common(is_limited(area), operation) {
            texts.entry(status).or_insert(description);
        }
        let mut own = Vec::new();
        for refusal in &endpoint.refusals {
            let sample = Sample::from(&refusal.error);
            let text = texts.entry(sample.status).or_default();
            let separator = if text.is_empty() { "" } else { " " };
            *text = format!("{text}{separator}{}", sample.description(refusal.when.as_deref()));
            own.push(sample);
        }
        if let Some(&name) = operation.identified.first() {
            own.push(Sample::from(&ApiError::Refused(Error::NotFound(name))));
        }
        let mut failures: BTreeMap<_, _> = texts
            .into_iter()
            .map(|(status, description)| (status, self.failure(status, &description, &own)))
            .collect();
        if let Some(refusal) = failures.get_mut(&429).filter(|_| operation.is_counted) {
            add_rate_limits(&mut refusal["headers"]);
        }
        failures
    }

    /// Returns a failure with the codes that the description names. Examples are those of the
    /// operation, if it has some.
    fn failure(&self, status: u16, description: &str, own: &[Sample]) -> Value {
        let mut examples = Map::new();
        let mut headers = json!({ "X-Request-Id": header("X-Request-Id") });
        for sample in self.samples.iter().chain(own) {
            let is_meant =
                sample.status == status && description.contains(&format!("`{}`", sample.code));
            if is_meant {
                examples.insert(sample.code.to_owned(), json!({ "value": sample.answer }));
                if sample.has_retry_after {
                    headers["Retry-After"] = header("Retry-After");
                }
                if sample.asks_for_credentials {
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
}

/// Returns the schema of an error with such codes.
fn error(code: &Value) -> Value {
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
    })
}

/// Returns the failures that follow from the signature of an operation. The first one of a status
/// counts.
fn common(is_limited: bool, operation: &Description) -> Vec<(u16, String)> {
    let has_body = operation.body.is_some();
    let has_query = operation.parameters.iter().any(|parameter| parameter["in"] == "query");
    let is_secured = !operation.security.is_empty();
    let takes_key = operation.security.iter().any(|schemes| schemes.contains(&API_KEY));
    let is_inside = operation.security.iter().any(|schemes| schemes.contains(&ORGANIZATION));
    let missing = format!("There is no such {}: `NOT_FOUND`.", operation.identified.join(" or "));
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
        (
            401,
            operation.security == MEMBER_OR_KEY,
            "Valid credentials are required: `UNAUTHORIZED`; API keys need a scope beyond messages \
             and the triggering of events: `SESSION_REQUIRED`.",
        ),
        (401, is_secured, "Valid credentials are required: `UNAUTHORIZED`."),
        (
            403,
            takes_key,
            "The caller may not do this: `FORBIDDEN`, `NOT_A_MEMBER`, or `INSUFFICIENT_SCOPE`; or the \
             organization is closed: `ORGANIZATION_CLOSED`.",
        ),
        (
            403,
            is_inside,
            "The caller may not do this: `FORBIDDEN`, or `NOT_A_MEMBER`; or the organization is \
             closed: `ORGANIZATION_CLOSED`.",
        ),
        (
            403,
            is_secured,
            "The caller may not do this: `FORBIDDEN`; or is a platform administrator without a \
             second factor, in production: `SECOND_FACTOR_REQUIRED`.",
        ),
        (404, !operation.identified.is_empty(), missing.as_str()),
        (413, has_body, "The body is larger than 1 MiB: `PAYLOAD_TOO_LARGE`."),
        (415, has_body, "The body has a content encoding: `UNSUPPORTED_MEDIA_TYPE`."),
        (429, is_limited, "Too many requests: `RATE_LIMITED`."),
        (500, true, "The service failed: `INTERNAL_ERROR`."),
        (503, is_limited, "Try again soon: `SERVICE_UNAVAILABLE`."),
    ];
    let those = common.into_iter().filter(|(_, applies, _)| *applies);
    those.map(|(status, _, description)| (status, description.to_owned())).collect()
}
