//! Failures in answers: the one place that knows status codes.

use std::error::Error as StdError;

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use chrono::TimeDelta;
use domain::{
    money::{funds::SpendingLimitReached, wallet::InsufficientBalance},
    shared::{fault::Faults, money::CURRENCY},
};
use ports::shared::store::StoreError;
use serde_json::{Map, Value, json};
use usecases::{Error, Reason, seconds};

use crate::inbound::shared::{
    answers::{self, ErrorView},
    formats::Timestamp,
};

/// Reason for which a request was refused or failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// The use case refused or failed.
    #[error(transparent)]
    Refused(Error),
    /// A session was used without naming an organization.
    #[error("the header X-Organization-Id is required")]
    OrganizationRequired,
    /// No endpoint has the address.
    #[error("there is nothing at this address")]
    UnknownRoute,
    /// The address takes these methods only.
    #[error("this address takes {0} only")]
    MethodNotAllowed(String),
    /// The body is too large.
    #[error("the body must have at most {limit} bytes")]
    BodyTooLarge { limit: usize },
    /// The body has an encoding that is not supported.
    #[error("a body with the content encoding `{0}` cannot be read")]
    UnsupportedEncoding(String),
    /// The service itself failed.
    #[error("the service failed")]
    Broken,
}

/// Time after which to retry while the service is busy or the store is unavailable.
const SOON: TimeDelta = TimeDelta::seconds(1);
const AFTER_OUTAGE: TimeDelta = TimeDelta::seconds(5);
/// The message of every internal error: callers do not see the cause.
const OUR_FAULT: &str = "something went wrong on our side";

impl ApiError {
    fn status_and_code(&self) -> (StatusCode, &'static str) {
        use StatusCode as S;

        match self {
            Self::OrganizationRequired => (S::BAD_REQUEST, "ORGANIZATION_REQUIRED"),
            Self::UnknownRoute => (S::NOT_FOUND, "NOT_FOUND"),
            Self::MethodNotAllowed(_) => (S::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED"),
            Self::BodyTooLarge { .. } => (S::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE"),
            Self::UnsupportedEncoding(_) => (S::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE"),
            Self::Broken => (S::INTERNAL_SERVER_ERROR, "INTERNAL_ERROR"),
            Self::Refused(error) => (status(error), error.code()),
        }
    }

    /// Returns a stable name that programs can match on.
    pub(crate) fn code(&self) -> &'static str {
        self.status_and_code().1
    }

    /// True if valid credentials would make the request pass.
    pub(crate) fn asks_for_credentials(&self) -> bool {
        matches!(self.code(), "UNAUTHORIZED" | "SESSION_REQUIRED")
    }

    /// Returns the error in the response.
    pub(crate) fn view(&self) -> ErrorView {
        ErrorView { code: self.code(), message: self.message(), details: self.details() }
    }

    /// True if callers are told what the service lacks at the moment.
    fn names_its_reason(&self) -> bool {
        matches!(self, Self::Refused(Error::Unavailable(_)))
    }

    fn message(&self) -> String {
        match self.status_code() {
            StatusCode::INTERNAL_SERVER_ERROR => OUR_FAULT.to_owned(),
            StatusCode::SERVICE_UNAVAILABLE if !self.names_its_reason() => {
                "the service is overloaded or in trouble; try again in a moment".to_owned()
            }
            _ => self.to_string(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        let details = match self {
            Self::Refused(Error::Invalid(faults)) => by_field(faults),
            Self::Refused(Error::BadRequest(Reason { missing_field: Some(field), .. })) => {
                by_field(&Faults::field(*field, "is required"))
            }
            Self::Refused(Error::InsufficientBalance(missing)) => in_numbers(missing),
            Self::Refused(Error::SpendingLimitReached(reached)) => limit_in_numbers(reached),
            Self::Refused(error) => error.reason().map_or(Value::Null, details_of),
            _ => Value::Null,
        };
        if let Value::Object(details) = details { details } else { Map::new() }
    }

    /// Returns the time to wait before a retry.
    pub(crate) fn retry_after(&self) -> Option<TimeDelta> {
        match self {
            Self::Refused(Error::RateLimited(wait) | Error::Away(wait)) => Some(*wait),
            Self::Refused(Error::InProgress(_) | Error::Overloaded) => Some(SOON),
            Self::Refused(Error::Store(StoreError::Unavailable(_))) => Some(AFTER_OUTAGE),
            _ => None,
        }
    }
}

/// Returns the status code of each class of errors.
fn status(error: &Error) -> StatusCode {
    match error {
        Error::Invalid(_) | Error::BadRequest(_) => StatusCode::BAD_REQUEST,
        Error::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
        Error::InsufficientBalance(_) | Error::SpendingLimitReached(_) => {
            StatusCode::PAYMENT_REQUIRED
        }
        Error::Forbidden(_) => StatusCode::FORBIDDEN,
        Error::NotFound(_) | Error::UnknownReference(_) => StatusCode::NOT_FOUND,
        Error::Conflict(_) | Error::InProgress(_) => StatusCode::CONFLICT,
        Error::Contradiction(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Error::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        Error::RateLimited(_) => StatusCode::TOO_MANY_REQUESTS,
        Error::Away(_)
        | Error::Overloaded
        | Error::Unavailable(_)
        | Error::Store(StoreError::Unavailable(_)) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Internal(_)
        | Error::Store(StoreError::Conflict { .. } | StoreError::Internal(_)) => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

/// Returns the details of a reason by their names.
fn details_of(reason: &Reason) -> Value {
    let mut details = Map::new();
    for (name, value) in &reason.details {
        details.insert((*name).to_owned(), json!(value));
    }
    for (name, things) in &reason.named {
        let things = things.iter().map(|it| json!({ "id": it.id, "name": it.name }));
        details.insert((*name).to_owned(), things.collect());
    }
    Value::Object(details)
}

fn by_field(faults: &Faults) -> Value {
    json!({ "fieldErrors": faults.fields, "formErrors": faults.form })
}

fn in_numbers(missing: &InsufficientBalance) -> Value {
    json!({
        "required": missing.required.to_number(),
        "balance": missing.balance.to_number(),
        "currency": CURRENCY,
    })
}

fn limit_in_numbers(reached: &SpendingLimitReached) -> Value {
    json!({
        "required": reached.required.to_number(),
        "limit": reached.limit.to_number(),
        "spent": reached.spent.to_number(),
        "currency": CURRENCY,
        "resetsAt": Timestamp::from(reached.resets_at).text(),
    })
}

impl From<Error> for ApiError {
    /// Logs internal errors: the response hides their cause.
    fn from(error: Error) -> Self {
        let failure = Self::Refused(error);
        let error = chain(&failure);
        match failure.status_code() {
            StatusCode::INTERNAL_SERVER_ERROR => {
                tracing::error!(%error, "failed to answer a request");
            }
            // A line for each would add to the load. They are counted.
            _ if matches!(failure, Self::Refused(Error::Overloaded)) => {
                tracing::debug!(%error, "refused a request: the service is overloaded");
            }
            StatusCode::SERVICE_UNAVAILABLE if !failure.names_its_reason() => {
                tracing::warn!(%error, "refused a request: the store is away");
            }
            _ => {}
        }
        failure
    }
}

impl From<Faults> for ApiError {
    fn from(faults: Faults) -> Self {
        Self::Refused(faults.into())
    }
}

/// Returns an error and its sources, in one line.
fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.status_and_code().0
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = answers::failure(self.status_code(), self.view());
        let headers = response.headers_mut();
        if let Some(wait) = self.retry_after() {
            headers.insert(RETRY_AFTER, seconds(wait).into());
        }
        if let Self::MethodNotAllowed(methods) = self
            && let Ok(methods) = HeaderValue::from_str(methods)
        {
            headers.insert(ALLOW, methods);
        }
        if self.asks_for_credentials() {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::to_bytes;
    use domain::shared::money::Money;

    async fn shown(failure: ApiError) -> (u16, Option<String>, Value) {
        let response = failure.error_response();
        let header = response.headers().get(RETRY_AFTER);
        let retry_after = header.map(|value| value.to_str().unwrap().to_owned());
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body()).await.unwrap();
        (status, retry_after, serde_json::from_slice(&body).unwrap())
    }

    #[actix_web::test]
    async fn hides_the_cause_of_an_internal_error() {
        let inner = Error::Store(StoreError::Internal("relation \"users\" is gone".into()));
        assert_eq!(chain(&inner), "the store failed: relation \"users\" is gone");

        let (status, _, body) = shown(inner.into()).await;

        let error = json!({ "code": "INTERNAL_ERROR", "message": OUR_FAULT, "details": {} });
        assert_eq!((status, body), (500, json!({ "success": false, "error": error })));
    }

    #[actix_web::test]
    async fn reports_an_empty_wallet_in_numbers() {
        let missing = InsufficientBalance {
            required: Money::from_micros(70_000),
            balance: Money::from_micros(35_000),
        };
        let (status, _, body) = shown(Error::InsufficientBalance(missing).into()).await;

        assert_eq!(status, 402);
        assert_eq!(
            body["error"]["details"],
            json!({ "required": 0.07, "balance": 0.035, "currency": "GHS" })
        );
    }

    #[actix_web::test]
    async fn names_a_missing_part_of_the_service() {
        let lacking = Reason::new("SERVICE_UNAVAILABLE", "there is no payment gateway");
        let (status, _, body) = shown(Error::Unavailable(lacking).into()).await;

        assert_eq!(
            (status, &body["error"]["message"]),
            (503, &json!("there is no payment gateway"))
        );
    }

    #[actix_web::test]
    async fn states_the_time_of_a_retry() {
        let wait = TimeDelta::milliseconds(1_200);
        assert_eq!(shown(Error::RateLimited(wait).into()).await.1.as_deref(), Some("2"));
        let in_progress = Error::InProgress(usecases::messaging::messages::IDEMPOTENCY_IN_PROGRESS);
        assert_eq!(shown(in_progress.into()).await.1.as_deref(), Some("1"));
        assert_eq!(shown(Error::Overloaded.into()).await.0, 503);
    }
}
