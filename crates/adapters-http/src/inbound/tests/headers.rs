//! Headers of requests and answers.

use super::*;

fn with_origins(origin: &'static str) -> (TestApi, TestRequest) {
    let cors_origins = vec!["https://app.example.com".to_owned()];
    let request = TestRequest::get().uri("/health/live").insert_header(("Origin", origin));
    (TestApi { cors_origins, ..TestApi::default() }, request)
}

#[actix_web::test]
async fn pages_of_listed_origins_may_read_answers_and_others_may_not() {
    let (test_api, request) = with_origins("https://app.example.com");
    let answer = test_api.answer(request).await;
    let allowed = answer.header("access-control-allow-origin");
    assert_eq!(allowed, Some("https://app.example.com"));
    let shown = answer.header("access-control-expose-headers").unwrap();
    assert!(shown.contains("X-Request-Id") && shown.contains("Retry-After"), "{shown}");
    assert!(shown.contains("RateLimit, RateLimit-Policy"), "{shown}");
    assert_eq!(answer.header("vary"), Some("Origin"));

    for origin in ["https://evil.example", "https://app.example.com.evil.example", "null"] {
        let (test_api, request) = with_origins(origin);
        let answer = test_api.answer(request).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}");
    }
}

#[actix_web::test]
async fn browsers_that_ask_first_are_answered_for_listed_origins_alone() {
    let ask = |request: TestRequest| {
        let request = request.method(Method::OPTIONS).uri("/messages/send");
        request.insert_header(("Access-Control-Request-Method", "POST"))
    };
    let (test_api, request) = with_origins("https://app.example.com");
    let answer = test_api.answer(ask(request)).await;
    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    assert!(answer.header("access-control-allow-methods").unwrap().contains("POST"));
    assert!(answer.header("access-control-allow-headers").unwrap().contains("X-API-Key"));
    assert!(answer.header("x-request-id").is_some());

    let (test_api, request) = with_origins("https://evil.example");
    let answer = test_api.answer(ask(request)).await;
    assert_eq!((answer.status, answer.code().as_str()), (405, "METHOD_NOT_ALLOWED"));
    let request = TestRequest::get().insert_header(("Origin", "https://app.example.com"));
    assert_eq!(TestApi::default().answer(ask(request)).await.status, 405);
}

#[actix_web::test]
async fn pages_run_no_foreign_scripts_and_are_shown_in_no_frame() {
    let page = TestApi::default().answer(TestRequest::get().uri("/docs/")).await;
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert!(!policy.contains("script-src 'self' 'unsafe"), "{policy}");
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    assert!(!page.text.contains("<script>"), "the policy lets no such script run");

    let other = TestApi::default().answer(TestRequest::get().uri("/health/live")).await;
    assert_eq!(other.header("content-security-policy"), None);
    assert_eq!(other.header("strict-transport-security"), Some("max-age=31536000"));
}

#[actix_web::test]
async fn an_encoded_body_is_refused_as_such() {
    for encoding in ["gzip", "br", "identity, deflate"] {
        let request = post("/auth/login", &json!({}));
        let request = request.insert_header(("Content-Encoding", encoding));
        let answer = TestApi::default().answer(request).await;
        assert_eq!((answer.status, answer.code().as_str()), (415, "UNSUPPORTED_MEDIA_TYPE"));
    }
    let request = post("/auth/login", &json!({})).insert_header(("Content-Encoding", "identity"));
    assert_eq!(TestApi::default().answer(request).await.status, 400);
}

#[actix_web::test]
async fn a_refusal_says_what_is_wrong_with_the_credentials() {
    let message_of = async |test_api: TestApi, request: TestRequest| {
        let answer = test_api.answer(request.uri("/auth/me")).await;
        assert!(matches!(answer.code().as_str(), "UNAUTHORIZED" | "SESSION_REQUIRED"));
        assert_eq!(answer.status, 401);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        answer.json()["error"]["message"].as_str().unwrap().to_owned()
    };
    let bearer = |token: &str| {
        TestRequest::get().insert_header(("Authorization", format!("Bearer {token}")))
    };

    let message = message_of(TestApi::default(), TestRequest::get()).await;
    assert!(message.contains("credentials are required"), "{message}");
    let message = message_of(TestApi::keyed(), with_key(TestRequest::get())).await;
    assert!(message.contains("sign in"), "{message}");
    let message = message_of(TestApi::default(), bearer("ak_live_0")).await;
    assert!(message.contains("X-API-Key"), "{message}");

    let mut tokens = MockTokenIssuer::new();
    tokens.expect_read().returning(|_| Err(ports::identity::auth::TokenError));
    let message = message_of(TestApi { tokens, ..TestApi::default() }, bearer("nonsense")).await;
    assert_eq!(message, "the credentials are not valid");

    let mut gone = MockUserRepository::new();
    gone.expect_find_signed_in().returning(|_| Ok(None));
    let test_api = TestApi { users: gone, ..TestApi::signed_in() };
    let message = message_of(test_api, bearer("old")).await;
    assert_eq!(message, "the session has ended: sign in again");
}

#[actix_web::test]
async fn a_parameter_that_an_operation_does_not_know_is_refused() {
    for (path, field) in
        [("/billing/wallet?currency=GHS", "currency"), ("/organizations/current?full=1", "full")]
    {
        let test_api = TestApi::member(Some(Role::Owner));
        let answer = test_api.answer(with_token(TestRequest::get().uri(path))).await;
        assert_eq!(answer.faulty_fields(), [field]);
    }
}
