//! What is answered where no route matches.

use std::{collections::HashMap, sync::LazyLock};

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    dev::{ResourceDef, ServiceRequest},
};
use utoipa::openapi::PathItem;

use super::{docs, error::Failure, openapi::openapi};

/// All addresses, with the methods that they take.
static ADDRESSES: LazyLock<Vec<(ResourceDef, Vec<&'static str>)>> = LazyLock::new(|| {
    let documented = openapi().paths.paths.into_iter();
    let documented = documented.map(|(path, item)| (ResourceDef::new(path), methods(&item)));
    let others = docs::PATHS.map(|path| (ResourceDef::new(path), vec!["GET", "HEAD"]));
    documented.chain(others).collect()
});

fn methods(item: &PathItem) -> Vec<&'static str> {
    let methods = [
        ("DELETE", item.delete.is_some()),
        ("GET", item.get.is_some()),
        ("HEAD", item.get.is_some()),
        ("PATCH", item.patch.is_some()),
        ("POST", item.post.is_some()),
        ("PUT", item.put.is_some()),
    ];
    methods.into_iter().filter(|(_, is_taken)| *is_taken).map(|(method, _)| method).collect()
}

/// The addresses without variable parts, with the methods that they take.
static LITERALS: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let documented = openapi().paths.paths.into_iter();
    let literal = documented.filter(|(path, _)| !path.contains('{'));
    literal.map(|(path, item)| (path, methods(&item))).collect()
});

/// Refuses a request whose address is known and does not take its method. Without this it might be
/// taken for another's: `GET /messages/send` for the message `send`.
pub(super) fn refused_method(request: &ServiceRequest) -> Option<Failure> {
    let methods = LITERALS.get(request.path())?;
    let is_taken = methods.contains(&request.method().as_str());
    (!is_taken).then(|| Failure::MethodNotAllowed(methods.join(", ")))
}

/// Refuses a request: its address is unknown, or does not take its method.
pub(super) async fn unmatched(request: HttpRequest) -> HttpResponse {
    let path = request.path();
    let matching = ADDRESSES.iter().filter(|(address, _)| address.is_match(path));
    let mut methods: Vec<_> = matching.flat_map(|(_, methods)| methods).copied().collect();
    methods.sort_unstable();
    methods.dedup();
    let failure = if methods.is_empty() {
        Failure::UnknownRoute
    } else {
        Failure::MethodNotAllowed(methods.join(", "))
    };
    failure.error_response()
}
