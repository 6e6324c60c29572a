//! What is noted of every request, and what every answer carries.

use std::{
    any::Any,
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

use actix_web::{
    Error, HttpResponse, ResponseError,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::{
        Method,
        header::{CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS},
    },
    middleware::Next,
    web::Data,
};
use domain::id::Id;
use futures_util::FutureExt;
use tracing::Instrument;

use super::{Api, error::Failure};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const MAX_REQUEST_ID: usize = 64;

/// A request, as far as it is noted. Never its query, body or credentials.
struct Note {
    method: &'static str,
    route: String,
    began: Instant,
}

/// Gives the request an identifier, notes how it went, and lets no panic out.
pub(super) async fn observe(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse, Error> {
    let note = Note {
        method: known(request.method()),
        route: request.match_pattern().unwrap_or_else(|| "unmatched".to_owned()),
        began: Instant::now(),
    };
    // The connection leaves the body out: it knows the method that was really used.
    if request.method() == Method::HEAD {
        request.head_mut().method = Method::GET;
    }
    let id = request_id(&request)?;
    // At the level of errors, so that no filter takes the identifier from any line.
    let span = tracing::error_span!("request", request_id = %id.to_str().unwrap_or_default());
    let answer = async {
        let answer = AssertUnwindSafe(next.call(request)).catch_unwind().await;
        let mut answer = match answer {
            Ok(Ok(response)) => Ok(response.map_into_boxed_body()),
            Ok(Err(error)) => Err(error.error_response()),
            Err(panic) => Err(broken(panic.as_ref())),
        };
        let (status, headers) = match &mut answer {
            Ok(response) => (response.status(), response.headers_mut()),
            Err(response) => (response.status(), response.headers_mut()),
        };
        add_headers(headers, id);
        note.write(status.as_u16());
        answer
    };
    let answer = answer.instrument(span).await;
    answer.map_err(|response| InternalError::from_response("no answer", response).into())
}

/// A method that is not one of these is a caller's invention, and there is no end to those.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// The identifier that the client gave, if it can be shown in a log; a fresh one otherwise.
fn request_id(request: &ServiceRequest) -> Result<HeaderValue, Error> {
    let given = request.headers().get(&REQUEST_ID);
    if let Some(id) = given.filter(|id| is_request_id(id.as_bytes())) {
        return Ok(id.clone());
    }
    let api = request.app_data::<Data<Api>>().ok_or(Failure::Broken)?;
    let fresh = Id::<Note>::new(api.clock.now()).to_string();
    Ok(HeaderValue::try_from(fresh).map_err(|_| Failure::Broken)?)
}

fn is_request_id(id: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    (1..=MAX_REQUEST_ID).contains(&id.len()) && id.iter().all(is_plain)
}

fn broken(panic: &(dyn Any + Send)) -> HttpResponse {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = text.unwrap_or("without a message"), "the request panicked");
    Failure::Broken.error_response()
}

fn add_headers(headers: &mut HeaderMap, id: HeaderValue) {
    headers.insert(REQUEST_ID, id);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

impl Note {
    fn write(self, status: u16) {
        let Self { method, route, began } = self;
        let took = began.elapsed();
        tracing::info!(method, route, status, duration_ms = millis(took), "request");
        metrics::counter!(
            "atumpan_http_requests_total",
            "method" => method, "route" => route.clone(), "status" => status.to_string(),
        )
        .increment(1);
        metrics::histogram!(
            "atumpan_http_request_duration_seconds", "method" => method, "route" => route,
        )
        .record(took);
    }
}

/// Milliseconds, to the microsecond.
fn millis(took: Duration) -> f64 {
    (took.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
