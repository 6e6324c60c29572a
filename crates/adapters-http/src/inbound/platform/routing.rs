//! Responses to requests that match no route.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    dev::{ResourceDef, ServiceRequest},
    http::Method,
};

use crate::inbound::{platform::docs, shared::error::ApiError};

/// Addresses of endpoints, with their methods.
static ENDPOINTS: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut addresses: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for endpoint in crate::inbound::areas().into_iter().flat_map(|area| area.endpoints) {
        let methods = addresses.entry(endpoint.path).or_default();
        methods.extend(with_head(&endpoint.method));
    }
    addresses
});

/// All addresses, with their methods.
static ADDRESSES: LazyLock<Vec<(ResourceDef, Vec<&'static str>)>> = LazyLock::new(|| {
    let mut addresses = Vec::new();
    for (path, methods) in &*ENDPOINTS {
        addresses.push((ResourceDef::new(*path), methods.clone()));
    }
    for path in docs::PATHS {
        addresses.push((ResourceDef::new(path), vec!["GET", "HEAD"]));
    }
    addresses
});

/// Addresses without variable parts, with their methods.
static LITERALS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut literals = HashMap::new();
    for (path, methods) in ENDPOINTS.iter().filter(|(path, _)| !path.contains('{')) {
        let mut methods = methods.clone();
        methods.sort_unstable();
        literals.insert(*path, methods);
    }
    literals
});

/// Returns the method, and `HEAD` with `GET`.
fn with_head(method: &Method) -> Vec<&'static str> {
    match *method {
        Method::GET => vec!["GET", "HEAD"],
        Method::POST => vec!["POST"],
        Method::PUT => vec!["PUT"],
        Method::PATCH => vec!["PATCH"],
        Method::DELETE => vec!["DELETE"],
        _ => Vec::new(),
    }
}

/// Refuses a request whose address is known and does not take its method. Another endpoint might
/// match it: `GET /messages/send` would look up the message `send`.
pub(crate) fn refused_method(request: &ServiceRequest) -> Option<ApiError> {
    let methods = LITERALS.get(request.path())?;
    let is_taken = methods.contains(&request.method().as_str());
    (!is_taken).then(|| ApiError::MethodNotAllowed(methods.join(", ")))
}

/// Refuses a request: its address is unknown, or does not take its method.
pub(crate) async fn unmatched(request: HttpRequest) -> HttpResponse {
    let path = request.path();
    let matching = ADDRESSES.iter().filter(|(address, _)| address.is_match(path));
    let mut methods: Vec<_> = matching.flat_map(|(_, methods)| methods).copied().collect();
    methods.sort_unstable();
    methods.dedup();
    let failure = if methods.is_empty() {
        ApiError::UnknownRoute
    } else {
        ApiError::MethodNotAllowed(methods.join(", "))
    };
    failure.error_response()
}
