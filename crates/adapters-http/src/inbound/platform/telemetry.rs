//! Log lines of requests, and headers of all answers.

use std::{
    any::Any,
    net::IpAddr,
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

use actix_web::{
    Error, HttpMessage, HttpResponse, ResponseError,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::{
        ConnectionType, Method, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName,
            HeaderValue, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
        },
    },
    middleware::Next,
    web::Data,
};
use chrono::{DateTime, Utc};
use domain::{
    identity::actor::RequestId,
    shared::id::{Id, Unowned},
};
use futures_util::FutureExt;
use tracing::Instrument;
use usecases::shared::limits::RateLimitSlot;

use crate::inbound::{
    Api, areas,
    platform::{
        call_records::{self, AnsweredCall},
        request_metrics::{self, durations, requests},
        routing,
    },
    shared::{
        caller::client_address, compression::Compression, cross_origin::Origin, error::ApiError,
        flow, known_caller::CallerSlot, rate_limits, request_span::RequestSpan,
    },
};
use crate::{log_throttle::LogThrottle, server::pace::Pace};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const MAX_REQUEST_ID: usize = 64;
/// Endpoint that sends a message.
const SENDING: &str = "/messages/send";
/// Time for which browsers call this host over HTTPS only, in seconds.
const ONE_YEAR: &str = "max-age=31536000";
/// Content security policy of pages: they may use their own scripts and call this API. The page of
/// the documentation creates styles and pictures while it runs.
const OWN_CONTENT: &str = "default-src 'none'; script-src 'self'; style-src 'self' \
                           'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; \
                           connect-src 'self'; base-uri 'none'; form-action 'self'; \
                           frame-ancestors 'none'";

/// Throttle of lines about requests that are refused because there were too many.
static THROTTLED: LogThrottle = LogThrottle::new();

/// Request, as far as it is logged. Never its query, body or credentials.
struct RequestLog {
    method: &'static str,
    route: String,
    client_address: Option<IpAddr>,
    began: Instant,
    span: Option<RequestSpan>,
}

impl Unowned for RequestLog {}

/// Gives the request an identifier, logs its result, and catches panics.
pub(crate) async fn observe(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse, Error> {
    let method = method_label(request.method());
    let route = request.match_pattern().unwrap_or_else(|| "unmatched".to_owned());
    let log = RequestLog {
        span: RequestSpan::begin(&request, method, &route),
        method,
        route,
        client_address: request
            .app_data::<Data<Api>>()
            .map(|api| client_address(api, request.request())),
        began: Instant::now(),
    };
    // The connection leaves the body out: it knows the actual method.
    if request.method() == Method::HEAD {
        request.head_mut().method = Method::GET;
    }
    let pace = request.request().conn_data::<Pace>().cloned();
    let answering = pace.as_ref().map(Pace::begin);
    if let Some(pace) = &pace {
        flow::read_as_asked(&mut request, pace);
    }
    let api = request.app_data::<Data<Api>>().cloned();
    let began_at = api.as_ref().map(|api| api.clock.now());
    let id = request_id(&request, began_at)?;
    let request_id = RequestId::new(id.to_str().unwrap_or_default());
    request.extensions_mut().insert(request_id.clone());
    let rate_limit = RateLimitSlot::begin();
    request.extensions_mut().insert(rate_limit.clone());
    let caller = CallerSlot::default();
    request.extensions_mut().insert(caller.clone());
    let (origin, is_https) = (Origin::of(&request), is_https(&request));
    let compression = Compression::of(&request);
    // At the level of errors, so that no filter removes the identifier from any line.
    let span = tracing::error_span!("request", request_id = %id.to_str().unwrap_or_default());
    let answer = async {
        let mut answer = match answer_early(&request, &origin) {
            Some(response) => Err(response),
            None => match AssertUnwindSafe(next.call(request)).catch_unwind().await {
                Ok(Ok(response)) => Ok(response.map_body(|head, body| {
                    flow::in_pieces(compression.apply(head, body.boxed()), answering)
                })),
                Ok(Err(error)) => Err(error.error_response()),
                Err(panic) => Err(panicked(panic.as_ref())),
            },
        };
        end_connection_if_draining(api.as_ref(), &mut answer);
        let (status, headers) = match &mut answer {
            Ok(response) => (response.status(), response.headers_mut()),
            Err(response) => (response.status(), response.headers_mut()),
        };
        add_headers(headers, id, is_https);
        rate_limits::add_headers(&rate_limit, headers);
        origin.add_headers(headers);
        if let (Some(api), Some(began_at)) = (api, began_at)
            && let (Some(caller), Some(address)) = (caller.get(), log.client_address)
        {
            let (path, error) = match &answer {
                Ok(response) => (response.request().path(), response.response().error()),
                // A handler that panicked took the request with it.
                Err(response) => (log.route.as_str(), response.error()),
            };
            let (request, method) = (&request_id, log.method);
            let call = AnsweredCall { request, began_at, method, path, status, error, address };
            call_records::record(&api, caller, &call);
        }
        log.write(status.as_u16());
        answer
    };
    let answer = answer.instrument(span).await;
    answer.map_err(|response| InternalError::from_response("no answer", response).into())
}

/// Returns the answer to a request that is not passed on.
fn answer_early(request: &ServiceRequest, origin: &Origin) -> Option<HttpResponse> {
    let refused = || routing::refused_method(request).map(|failure| failure.error_response());
    origin.preflight(request).or_else(refused)
}

/// Ends the connection with this answer if the instance is about to stop. A proxy then has no idle connection
/// to it, on which it could send a request while the instance closes it.
fn end_connection_if_draining<B>(
    api: Option<&Data<Api>>,
    answer: &mut Result<ServiceResponse<B>, HttpResponse>,
) {
    if !api.is_some_and(|api| api.health.is_draining()) {
        return;
    }
    let head = match answer {
        Ok(response) => response.response_mut().head_mut(),
        Err(response) => response.head_mut(),
    };
    head.set_connection_type(ConnectionType::Close);
}

/// True if the service is called over HTTPS from outside.
fn is_https(request: &ServiceRequest) -> bool {
    let api = request.app_data::<Data<Api>>();
    api.is_some_and(|api| api.public_url.starts_with("https://"))
}

/// Returns the label of a method. All unknown methods share one, because callers can invent any number.
fn method_label(method: &Method) -> &'static str {
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

/// Returns the identifier that the client gave, if a log can show it; else a new one.
fn request_id(
    request: &ServiceRequest,
    began_at: Option<DateTime<Utc>>,
) -> Result<HeaderValue, Error> {
    let given = request.headers().get(&REQUEST_ID);
    if let Some(id) = given.filter(|id| is_request_id(id.as_bytes())) {
        return Ok(id.clone());
    }
    let began_at = began_at.ok_or(ApiError::Broken)?;
    let fresh = Id::<RequestLog>::new(began_at).to_string();
    Ok(HeaderValue::try_from(fresh).map_err(|_| ApiError::Broken)?)
}

fn is_request_id(id: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    (1..=MAX_REQUEST_ID).contains(&id.len()) && id.iter().all(is_plain)
}

fn panicked(panic: &(dyn Any + Send)) -> HttpResponse {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = text.unwrap_or("without a message"), "a request handler panicked");
    ApiError::Broken.error_response()
}

fn add_headers(headers: &mut HeaderMap, id: HeaderValue, is_https: bool) {
    headers.insert(REQUEST_ID, id);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if is_https {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(ONE_YEAR));
    }
    let media_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    if media_type.starts_with(b"text/html") {
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        if !headers.contains_key(CONTENT_SECURITY_POLICY) {
            headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(OWN_CONTENT));
        }
    }
}

impl RequestLog {
    fn write(self, status: u16) {
        let Self { method, route, client_address, began, span } = self;
        if let Some(span) = span {
            span.end(status);
        }
        let client_address = client_address.map(tracing::field::display);
        let took = began.elapsed();
        if status == StatusCode::TOO_MANY_REQUESTS.as_u16()
            && let Some(times) = THROTTLED.count()
        {
            tracing::warn!(times, method, route, client_address, "throttled requests");
        }
        let duration_ms = millis(took);
        tracing::info!(method, route, status, duration_ms, client_address, "request");
        request_metrics::record(method, &route, status, took);
    }
}

/// Registers what is known before the first request: the failures of each endpoint, and the durations
/// of the one that sends.
pub(crate) fn register() {
    for endpoint in areas().iter().flat_map(|area| &area.endpoints) {
        let method = method_label(&endpoint.method);
        for status in [StatusCode::INTERNAL_SERVER_ERROR, StatusCode::SERVICE_UNAVAILABLE] {
            requests(method, endpoint.path, status.as_u16()).increment(0);
        }
        if endpoint.path == SENDING {
            drop(durations(method, endpoint.path));
        }
    }
}

/// Returns milliseconds, to the microsecond.
fn millis(took: Duration) -> f64 {
    (took.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
