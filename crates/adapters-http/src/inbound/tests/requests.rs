//! Requests that reach the use cases.

use domain::identity::user::PlatformRole;

use super::*;
use crate::inbound::shared::platform_admin::PlatformAdmin;

#[actix_web::test]
async fn reports_every_fault_of_a_message_at_once() {
    let body = json!({
        "channel": "PIGEON", "to": 5, "templateId": "first", "variables": { "n": 1 },
        "countryCode": "Ghana", "async": "yes", "category": "SPAM", "idempotencyKey": "",
        "cost": 0, "status": "DELIVERED",
    });
    let test_api = TestApi::keyed();

    let answer = test_api.answer(with_key(post("/messages/send", &body))).await;

    assert_eq!(
        answer.faulty_fields(),
        [
            "async",
            "category",
            "channel",
            "cost",
            "countryCode",
            "idempotencyKey",
            "status",
            "templateId",
            "to",
            "variables.n"
        ]
    );
    let fields = &answer.json()["error"]["details"]["fieldErrors"];
    assert_eq!(fields["to"], json!(["must be a string"]));
    assert_eq!(fields["templateId"], json!(["is not an identifier"]));
    assert_eq!(fields["cost"], json!(["is not a known field"]));
}

#[actix_web::test]
async fn the_faults_of_a_bulk_request_name_the_message() {
    let body = json!({
        "messages": [
            { "channel": "SMS", "to": "0241234567", "body": "Hello" },
            { "channel": "EMAIL", "to": "nobody", "body": "Hello {{name}}", "price": 1 },
            7,
        ],
        "countryCode": "GH",
    });
    let test_api = TestApi::keyed();

    let answer = test_api.answer(with_key(post("/messages/bulk", &body))).await;

    assert_eq!(
        answer.faulty_fields(),
        [
            "messages.1.body",
            "messages.1.price",
            "messages.1.to",
            "messages.2",
            "messages.2.body",
            "messages.2.channel",
            "messages.2.to"
        ]
    );
}

/// Expects messages to be priced.
fn expect_prices(test_api: &mut TestApi) {
    test_api.prices.expect_price_list().returning(|| {
        Ok(PriceList::new(
            0,
            vec![PricingRule {
                id: Id::floor(NOW),
                organization: None,
                channel: Channel::Sms,
                country: None,
                unit_price: Money::from_micros(35_000),
            }],
        ))
    });
}

#[actix_web::test]
async fn a_message_without_room_is_503_with_a_time_of_retry() {
    let mut test_api = TestApi::keyed();
    expect_prices(&mut test_api);
    test_api.intake.expect_accept().returning(|_| Err(IntakeError::Overloaded));
    let body = json!({ "channel": "SMS", "to": "0241234567", "body": "Hello", "async": true });

    let answer = test_api.answer(with_key(post("/messages/send", &body))).await;

    assert_eq!((answer.status, answer.code().as_str()), (503, "SERVICE_UNAVAILABLE"));
    assert_eq!(answer.header("retry-after"), Some("1"));
}

#[actix_web::test]
async fn an_accepted_message_is_202_and_shows_its_delivery_log() {
    let mut test_api = TestApi::keyed();
    expect_prices(&mut test_api);
    test_api.intake.expect_accept().returning(|submission| {
        let job = |message| Job {
            message,
            lease: Lease::NONE,
            rounds: 0,
            provider_queue: domain::messaging::priority::ProviderQueue::FREE,
            is_scored: false,
        };
        Ok(Receipt::Accepted(submission.messages.into_iter().map(job).collect()))
    });
    let body = json!({ "channel": "SMS", "to": "0241234567", "body": "Hello", "async": true });

    let answer = test_api.answer(with_key(post("/messages/send", &body))).await;

    assert_eq!(answer.status, 202, "{}", answer.text);
    let body = answer.json();
    let id = body["data"]["id"].as_str().unwrap();
    assert_eq!(
        body,
        json!({ "success": true, "data": {
            "id": id, "internalMessageId": format!("msg_{}", id.replace('-', "")),
            "status": "QUEUED", "channel": "SMS", "recipient": "+233241234567", "cost": 0.0,
            "refunded": false, "senderId": null, "templateId": null, "campaignId": null,
            "category": "TRANSACTIONAL", "segments": 1, "subject": null, "body": "Hello",
            "bodyTruncated": false, "countryCode": "GH", "provider": null, "errorCode": null,
            "errorMessage": null, "event": null, "contactId": null, "netCost": 0.0,
            "isSandbox": true, "metadata": {}, "attempts": [], "attemptCount": 0,
            "createdAt": "2023-11-14T22:13:20.123Z", "expiresAt": "2023-11-15T22:13:20.123Z",
            "isScheduled": false, "scheduledAt": null, "notBefore": null, "resentFrom": null,
            "sentAt": null, "deliveredAt": null,
        } })
    );
}

#[actix_web::test]
async fn the_profile_shows_no_secret() {
    let mut test_api = TestApi::signed_in();
    test_api.organizations.expect_memberships().returning(|_| {
        let organization = Id::floor(NOW);
        let (name, role) = ("Kente".into(), Role::Owner);
        Ok(vec![Membership { organization, name, role, closed_at: None }])
    });

    let answer = test_api.answer(with_token(TestRequest::get().uri("/auth/me"))).await;

    let id = "018bcfe5-687b-0000-0000-000000000000";
    assert_eq!(
        answer.json()["data"],
        json!({
            "id": id, "email": "ama@example.com", "emailVerified": false,
            "secondFactor": false, "firstName": "Ama", "lastName": "Mensah",
            "platformRole": null,
            "organizations": [
                { "id": id, "name": "Kente", "role": "TENANT_OWNER", "closedAt": null },
            ],
        })
    );
}

#[actix_web::test]
async fn a_degraded_service_says_so_without_envelope() {
    let answer = TestApi::default().answer(TestRequest::get().uri("/health")).await;

    assert_eq!(answer.status, 503);
    let mut body = answer.json();
    assert!(body["dependencies"]["redis"]["latencyMs"].take().is_u64());
    assert_eq!(
        body,
        json!({
            "status": "degraded", "service": "atumpan", "timestamp": "2023-11-14T22:13:20.123Z",
            "dependencies": {
                "redis": {
                    "status": "error", "latencyMs": null, "message": "Redis does not answer",
                },
                "database": { "status": "ok", "message": "PostgreSQL answers" },
                "workers": {
                    "status": "ok", "message": "no message waits too long",
                    "notificationSend": {
                        "waiting": 0, "active": 0, "completed": 0, "failed": 0, "workers": 0,
                    },
                },
            },
            "tasks": { "failing": [] },
        })
    );
}

#[actix_web::test]
async fn every_answer_carries_an_identifier_and_is_not_kept() {
    let live = || TestRequest::get().uri("/health/live");

    let answer = TestApi::default().answer(live()).await;
    assert!(answer.header("x-request-id").unwrap().starts_with("018bcfe5-687b-7"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));

    for (given, is_taken) in [
        ("trace-1.A_b", true),
        (&*"a".repeat(64), true),
        (&*"a".repeat(65), false),
        ("two words", false),
        ("", false),
    ] {
        let request = live().insert_header(("X-Request-Id", given));
        let answer = TestApi::default().answer(request).await;
        assert_eq!(answer.header("x-request-id") == Some(given), is_taken, "{given}");
    }
}

/// Returns a user with the role and a second factor, which administrators need.
fn administrator(role: Option<PlatformRole>) -> User {
    let second_factor_at = Some(DateTime::UNIX_EPOCH);
    User { platform_role: role, second_factor_at, ..user() }
}

#[actix_web::test]
async fn only_the_platforms_administrators_are_let_in_as_such() {
    for (role, status) in [(None, 403), (Some(PlatformRole::SuperAdmin), 200)] {
        let mut users = MockUserRepository::new();
        users.expect_find_signed_in().returning(move |_| Ok(Some((administrator(role), None))));
        let test_api = TestApi { users, ..TestApi::signed_in() };
        let admin = |PlatformAdmin(admin): PlatformAdmin| async move { admin.id.to_string() };
        let app = App::new().app_data(Data::new(test_api.api())).route("/", web::get().to(admin));
        let app = app.wrap(from_fn(crate::inbound::platform::telemetry::observe));
        let app = test::init_service(app).await;
        let request = with_token(TestRequest::get().uri("/")).to_request();
        let answer = Answer::of(test::call_service(&app, request).await).await;
        assert_eq!(answer.status, status, "{}", answer.text);
    }
}
