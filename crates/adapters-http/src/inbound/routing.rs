//! What is answered where no route matches.

use std::sync::LazyLock;

use actix_web::{HttpRequest, HttpResponse, ResponseError, dev::ResourceDef};
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
