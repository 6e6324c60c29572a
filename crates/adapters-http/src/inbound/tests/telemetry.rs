//! Logging of requests.

use std::{
    io::{self, Write},
    sync::Mutex,
};

use ports::shared::store::StoreError;

use super::*;

/// Log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the lines that are logged while `test_api` answers `request`.
async fn lines(test_api: TestApi, request: TestRequest) -> Vec<String> {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .with_writer(move || writer.clone());
    let guard = tracing::subscriber::set_default(subscriber.finish());
    test_api.answer(request.insert_header(("X-Request-Id", "mine"))).await;
    drop(guard);
    let bytes = log.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

#[actix_web::test]
async fn a_request_is_one_line_without_its_query() {
    let request = TestRequest::get().uri("/messages/abc?token=secret");

    let lines = lines(TestApi::default(), request).await;

    let [line] = lines.as_slice() else { panic!("not one line: {lines:?}") };
    for part in ["INFO", "request_id=mine", "GET", "/messages/{id}", "status=401", "duration_ms="] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(!line.contains("secret"), "{line}");
}

#[actix_web::test]
async fn a_request_is_logged_with_the_address_of_its_client() {
    let request = || {
        let peer = "203.0.113.7:4000".parse().unwrap();
        TestRequest::get().uri("/health/ready").peer_addr(peer)
    };
    let lines_of_client = lines(TestApi::default(), request()).await;
    let line = &lines_of_client[0];
    assert!(line.contains("client_address=203.0.113.7"), "{line}");

    let trusted_proxies: TrustedProxies = "203.0.113.0/24".parse().unwrap();
    let request = request().insert_header(("X-Forwarded-For", "6.6.6.6, 2001:db8::9"));
    let lines = lines(TestApi { trusted_proxies, ..TestApi::default() }, request).await;
    let line = &lines[0];
    assert!(line.contains("client_address=2001:db8::9"), "{line}");
}

#[actix_web::test]
async fn logs_an_internal_error_with_its_cause_and_request() {
    let mut test_api = TestApi::default();
    test_api
        .api_keys
        .expect_find_by_hash()
        .returning(|_| Err(StoreError::Internal("column \"scopes\" does not exist".into())));
    let request = with_key(TestRequest::get().uri("/messages/abc"));

    let lines = lines(test_api, request).await;

    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("ERROR") && lines[0].contains("request_id=mine"));
    assert!(lines[0].contains("the store failed: column \"scopes\" does not exist"));
    assert!(lines[1].contains("status=500"));
}

#[actix_web::test]
async fn an_unknown_address_is_not_named() {
    let request = TestRequest::get().uri("/reset/5e884898da28");
    let lines = lines(TestApi::default(), request).await;
    assert!(lines[0].contains("unmatched") && !lines[0].contains("5e88"), "{lines:?}");
}
