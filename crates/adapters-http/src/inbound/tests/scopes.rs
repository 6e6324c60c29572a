//! The list of scopes and the endpoints that they open, against the document.

use std::collections::{BTreeMap, BTreeSet};

use domain::identity::scope::Scope;

use super::*;
use crate::inbound::{
    platform::openapi::SCOPE,
    shared::endpoint::scopes::{CLOSED, NEVER_OPEN, open},
};

/// Returns the operations that take a session or a key with a scope, by their methods and paths.
fn operations() -> BTreeMap<String, &'static Value> {
    let mut operations = BTreeMap::new();
    for (path, item) in openapi()["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let mut schemes = operation["security"].as_array().unwrap().iter();
            if schemes.any(|it| it.get("bearer").is_some()) {
                operations.insert(format!("{} {path}", method.to_uppercase()), operation);
            }
        }
    }
    operations
}

fn is_never_open(operation: &str) -> bool {
    let (_, path) = operation.split_once(' ').unwrap();
    NEVER_OPEN.iter().any(|beginning| path.starts_with(beginning))
}

#[test]
fn every_operation_for_sessions_says_which_scope_opens_it_or_none() {
    let opened: BTreeMap<_, _> = open().collect();
    let closed: BTreeSet<_> = CLOSED.iter().copied().collect();
    for (name, operation) in operations() {
        let places = [
            opened.contains_key(name.as_str()),
            closed.contains(name.as_str()),
            is_never_open(&name),
        ];
        let named = places.into_iter().filter(|is_there| *is_there).count();
        assert_eq!(named, 1, "{name}: enter it in `endpoint/scopes.rs`, as open or as closed");
        let scope = opened.get(name.as_str()).map(|scope| scope.as_str());
        assert_eq!(operation.get(SCOPE), Some(&json!(scope)), "{name}");
        let mut schemes = operation["security"].as_array().unwrap().iter();
        assert_eq!(schemes.any(|it| it.get("apiKey").is_some()), scope.is_some(), "{name}");
    }
}

#[test]
fn every_listed_operation_exists_once() {
    let operations = operations();
    let mut seen = BTreeSet::new();
    for name in open().map(|(name, _)| name).chain(CLOSED.iter().copied()) {
        assert!(operations.contains_key(name), "{name} takes no session");
        assert!(seen.insert(name), "{name} is listed twice");
    }
}

#[test]
fn every_scope_opens_something_and_only_scopes_that_write_open_changes() {
    let opening: BTreeSet<_> = open().map(|(_, scope)| scope.as_str()).collect();
    assert_eq!(opening, Scope::ALL.map(Scope::as_str).into());
    for (name, scope) in open().filter(|(_, scope)| scope.opens_endpoints_for_sessions()) {
        let is_preview = name.ends_with("/preview") || name.ends_with("/render");
        let reads = name.starts_with("GET ") || is_preview;
        assert_eq!(scope.as_str().ends_with(":write"), !reads, "{name}");
    }
}

/// Returns the answer to a key with these scopes.
async fn answer(scopes: &[&str], is_sandbox: bool, request: TestRequest) -> Answer {
    let mut test_api = TestApi::default();
    test_api.organizations.expect_settings().returning(|_| Ok(Some(Settings::default())));
    let scopes: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    test_api
        .api_keys
        .expect_find_by_hash()
        .returning(move |_| Ok(Some(ApiKey { scopes: scopes.clone(), is_sandbox, ..key() })));
    test_api.answer(with_key(request)).await
}

#[actix_web::test]
async fn a_key_is_refused_where_its_scopes_open_nothing() {
    let contact = || post("/contacts", &json!({ "phone": "+233241234567" }));
    let me = || TestRequest::get().uri("/auth/me");
    let limits = || TestRequest::get().uri("/organizations/limits");
    let write = &["contacts:write"][..];
    for (scopes, is_sandbox, request, status, code) in [
        (&DEFAULT_SCOPES[..], false, contact(), 401, "SESSION_REQUIRED"),
        (&["contacts:read"][..], false, contact(), 403, "INSUFFICIENT_SCOPE"),
        (write, true, contact(), 403, "LIVE_KEY_REQUIRED"),
        (&DEFAULT_SCOPES[..], false, me(), 401, "SESSION_REQUIRED"),
        (write, false, me(), 403, "FORBIDDEN"),
        (&DEFAULT_SCOPES[..], false, limits(), 401, "SESSION_REQUIRED"),
        (write, false, limits(), 403, "FORBIDDEN"),
    ] {
        let answer = answer(scopes, is_sandbox, request).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{scopes:?}");
    }
}
