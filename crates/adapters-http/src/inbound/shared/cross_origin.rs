//! Cross-origin requests to the API from browsers.

use actix_web::{
    HttpResponse,
    dev::ServiceRequest,
    http::{
        Method,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
            ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
            ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, ORIGIN, VARY,
        },
    },
    web::Data,
};

use crate::inbound::Api;

const ALLOWED_METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE";
/// Headers that requests may carry beside the usual ones.
const ALLOWED_HEADERS: &str = "Authorization, Content-Type, Idempotency-Key, X-API-Key, X-Organization-Id, \
                    X-Request-Id";
/// Headers of answers that pages may read beside the usual ones.
const EXPOSED_HEADERS: &str = "Allow, Content-Disposition, Idempotent-Replayed, Location, RateLimit, \
                     RateLimit-Policy, Retry-After, X-Request-Id";
/// Number of seconds for which a browser need not ask again.
const MAX_AGE: &str = "3600";

/// The CORS headers for the origin of a page.
pub(crate) struct Origin {
    /// The origin; `None` if it may not call.
    allowed: Option<HeaderValue>,
    /// True if there are origins that may call, so that answers depend on the origin.
    varies: bool,
}

impl Origin {
    /// Returns the origin of the page that the request comes from. Credentials are allowed in
    /// headers only: the API has no cookies.
    pub(crate) fn of(request: &ServiceRequest) -> Self {
        let api = request.app_data::<Data<Api>>();
        let origins = api.map(|api| &*api.cors_origins).unwrap_or_default();
        let origin = request.headers().get(ORIGIN);
        let is_allowed = |origin: &&HeaderValue| {
            origins.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes())
        };
        Self { allowed: origin.filter(is_allowed).cloned(), varies: !origins.is_empty() }
    }

    /// Returns the answer to a preflight request; `None` for all other requests.
    pub(crate) fn preflight(&self, request: &ServiceRequest) -> Option<HttpResponse> {
        let asks = request.method() == Method::OPTIONS
            && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        (asks && self.allowed.is_some()).then(|| {
            HttpResponse::NoContent()
                .insert_header((ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS))
                .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS))
                .insert_header((ACCESS_CONTROL_MAX_AGE, MAX_AGE))
                .finish()
        })
    }

    /// Adds the headers that let the page read the response.
    pub(crate) fn add_headers(self, headers: &mut HeaderMap) {
        if self.varies {
            headers.append(VARY, HeaderValue::from_static("Origin"));
        }
        if let Some(origin) = self.allowed {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers
                .insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
        }
    }
}
