//! Whatever is wrong, the answer is the envelope.

use super::*;

async fn answer(request: TestRequest) -> Answer {
    Backstage::default().answer(request).await
}

fn login(body: &'static str, content_type: &'static str) -> TestRequest {
    let request = TestRequest::post().uri("/auth/login").set_payload(body);
    request.insert_header(("Content-Type", content_type))
}

#[actix_web::test]
async fn an_unknown_address_is_404_in_any_method() {
    for method in [Method::GET, Method::POST, Method::OPTIONS, Method::HEAD] {
        for path in ["/nothing", "/messages/send/", "/%ff", "/..//x"] {
            let request = TestRequest::default().method(method.clone()).uri(path);
            let answer = answer(request).await;
            assert_eq!((answer.status, answer.code().as_str()), (404, "NOT_FOUND"), "{path}");
        }
    }
}

#[actix_web::test]
async fn a_known_address_names_the_methods_it_takes() {
    for (method, path, allow) in [
        (Method::PUT, "/messages/send", "POST"),
        (Method::GET, "/messages/send", "POST"),
        (Method::HEAD, "/messages/bulk", "POST"),
        (Method::OPTIONS, "/messages/send", "POST"),
        (Method::DELETE, "/organizations/current", "GET, HEAD, PATCH"),
        (Method::GET, "/auth/login", "POST"),
        (Method::POST, "/openapi.json", "GET, HEAD"),
        (Method::GET, "/api-keys/1", "DELETE"),
        (Method::from_bytes(b"BREW").unwrap(), "/health", "GET, HEAD"),
    ] {
        let answer = answer(TestRequest::default().method(method).uri(path)).await;
        assert_eq!((answer.status, answer.code().as_str()), (405, "METHOD_NOT_ALLOWED"), "{path}");
        assert_eq!(answer.header("allow"), Some(allow), "{path}");
    }
}

#[actix_web::test]
async fn a_body_that_cannot_be_read_is_a_fault_of_the_form() {
    let deep: &'static str = "[".repeat(100_000).leak();
    let nested: &'static str = format!("{}1{}", "{\"a\":".repeat(500), "}".repeat(500)).leak();
    for (body, content_type) in [
        ("{", "application/json"),
        ("[]", "application/json"),
        ("null", "application/json; charset=utf-8"),
        ("email=a%40b.c", "application/x-www-form-urlencoded"),
        ("{}", "text/plain"),
        ("{\"email\":\"\\ud800\"}", "application/json"),
        (deep, "application/json"),
        (nested, "application/json"),
    ] {
        let answer = answer(login(body, content_type)).await;
        assert!(answer.faulty_fields().is_empty(), "{}", answer.text);
        assert_eq!(answer.json()["error"]["details"]["formErrors"].as_array().unwrap().len(), 1);
    }
}

#[actix_web::test]
async fn a_body_of_more_than_a_mebibyte_is_too_large() {
    let body: &'static str = format!("{{\"email\":\"{}\"}}", "a".repeat(1 << 20)).leak();
    let answer = answer(login(body, "application/json")).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "PAYLOAD_TOO_LARGE"));
}

#[actix_web::test]
async fn no_body_is_an_empty_form() {
    let request = TestRequest::post().uri("/auth/login");
    assert_eq!(answer(request).await.faulty_fields(), ["email", "password"]);
    let request = TestRequest::post().uri("/auth/forgot-password");
    assert_eq!(answer(request).await.code(), "EMAIL_REQUIRED");
}

#[actix_web::test]
async fn a_panic_is_500_and_tells_nothing() {
    let metrics: MetricsText = Arc::new(|| panic!("the secret is 42"));
    let backstage = Backstage { metrics, ..Backstage::default() };

    let answer = backstage.answer(TestRequest::get().uri("/metrics")).await;

    assert_eq!((answer.status, answer.code().as_str()), (500, "INTERNAL_ERROR"));
    assert!(!answer.text.contains("secret"));
}

#[actix_web::test]
async fn credentials_come_before_the_body() {
    let request = TestRequest::post().uri("/messages/send").set_payload("{");
    let answer = answer(request).await;
    assert_eq!((answer.status, answer.code().as_str()), (401, "UNAUTHORIZED"));
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
}

#[actix_web::test]
async fn an_api_key_is_refused_where_only_sessions_count() {
    for (method, path) in
        [(Method::GET, "/auth/me"), (Method::GET, "/delivery-logs"), (Method::POST, "/api-keys")]
    {
        let request = with_key(with_token(TestRequest::default().method(method).uri(path)));
        let answer = answer(request).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "UNAUTHORIZED"), "{path}");
    }
}

#[actix_web::test]
async fn a_session_must_say_in_which_organization_it_acts() {
    for (organization, role, expected) in [
        (None, None, (400, "ORGANIZATION_REQUIRED")),
        (Some("nonsense"), None, (403, "NOT_A_MEMBER")),
        (Some("018bcfe5-687b-7000-8000-000000000000"), None, (403, "NOT_A_MEMBER")),
        (Some("018bcfe5-687b-7000-8000-000000000000"), Some(Role::Viewer), (403, "FORBIDDEN")),
    ] {
        let mut request =
            TestRequest::get().uri("/api-keys").insert_header(("Authorization", "bearer  token"));
        if let Some(organization) = organization {
            request = request.insert_header(("X-Organization-Id", organization));
        }
        let backstage = Backstage::member(role);

        let answer = backstage.answer(request).await;

        assert_eq!((answer.status, answer.code().as_str()), expected, "{organization:?}");
    }
}

#[actix_web::test]
async fn too_many_requests_are_told_when_to_come_back() {
    let mut limits = MockRateLimiter::new();
    limits
        .expect_take()
        .withf(|key, rate, _| key.starts_with("guest:") && rate.burst == 600)
        .returning(|_, _, _| {
            let retry_after = std::time::Duration::from_millis(2_500);
            Err(Exceeded { retry_after })
        });
    let backstage = Backstage { rate_limits: Some(limits), ..Backstage::default() };

    let answer = backstage.answer(post("/auth/login", &json!({}))).await;

    assert_eq!((answer.status, answer.code().as_str()), (429, "RATE_LIMITED"));
    assert_eq!(answer.header("retry-after"), Some("3"));
    assert_eq!(answer.json()["error"]["message"], "too many requests; try again in 3 s");
}
