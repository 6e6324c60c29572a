//! Failures in their envelope.

use super::*;

async fn answer(request: TestRequest) -> Answer {
    TestApi::default().answer(request).await
}

fn login(body: &'static str, content_type: &'static str) -> TestRequest {
    let request = TestRequest::post().uri("/auth/login").set_payload(body);
    request.insert_header(("Content-Type", content_type))
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
async fn no_body_is_an_empty_form() {
    let request = TestRequest::post().uri("/auth/login");
    assert_eq!(answer(request).await.faulty_fields(), ["email", "password"]);
    let request = TestRequest::post().uri("/auth/forgot-password");
    assert_eq!(answer(request).await.code(), "EMAIL_REQUIRED");
}

#[actix_web::test]
async fn a_panic_is_500_without_details() {
    let metrics: MetricsText = Arc::new(|| panic!("the secret is 42"));
    let test_api = TestApi { metrics, ..TestApi::default() };

    let answer = test_api.answer(TestRequest::get().uri("/metrics")).await;

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
        let test_api = TestApi::member(role);

        let answer = test_api.answer(request).await;

        assert_eq!((answer.status, answer.code().as_str()), expected, "{organization:?}");
    }
}

#[actix_web::test]
async fn too_many_requests_get_a_time_of_retry() {
    let mut limits = MockRateLimiter::new();
    limits
        .expect_take()
        .withf(|key, rate, _| key.starts_with("guest:") && rate.burst == 600)
        .returning(|_, rate, _| {
            let retry_after = std::time::Duration::from_millis(2_500);
            Err(Exceeded { retry_after, level: rate.level(rate.span()) })
        });
    let test_api = TestApi { rate_limits: Some(limits), ..TestApi::default() };

    let answer = test_api.answer(post("/auth/login", &json!({}))).await;

    assert_eq!((answer.status, answer.code().as_str()), (429, "RATE_LIMITED"));
    assert_eq!(answer.header("retry-after"), Some("3"));
    assert_eq!(answer.header("ratelimit-policy"), Some("\"guests\";q=600;w=60"));
    assert_eq!(answer.header("ratelimit"), Some("\"guests\";r=0;t=3"));
    assert_eq!(answer.json()["error"]["message"], "too many requests; try again in 3 s");
}
