//! Impersonation of organizations by platform administrators.

mod limits;

use acceptance::{Answer, Caller, Tenant, World, unique_email, unique_id};
use adapters_http::outbound::token::JwtIssuer;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta};
use domain::identity::session::Claims;
use ports::identity::auth::TokenIssuer;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use self::limits::{NOT_LENT, OPEN_OUTSIDE};
use crate::{
    identity::roles::{ask, rules},
    providers::mail_server::MailServer,
    shared::{
        document::operations,
        settings::{ONE_SECRET, SECRET},
    },
};

const EXIT: &str = "/admin/exit-impersonation";
const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";

fn path(organization: &str) -> String {
    format!("/admin/tenants/{organization}/impersonate")
}

/// Begins an impersonation of a tenant and returns its session.
async fn begin(admin: &Caller, tenant: &Tenant<'_>) -> Value {
    admin.post(&path(&tenant.id), json!({})).await.data(200).clone()
}

/// Returns a caller with the token of a session, which names the organization itself.
fn with_token(admin: &Caller, session: &Value) -> Caller {
    let token = session["token"].as_str().unwrap();
    admin.with("Authorization", &format!("Bearer {token}"))
}

/// Returns the tenant's audit log, newest first: the action, the request's method and path, and its
/// identifier.
async fn logged(tenant: &Tenant<'_>) -> Vec<[Value; 3]> {
    let answer = tenant.owner().get("/organizations/audit").await;
    let lines = answer.data(200).as_array().unwrap();
    let summary = |line: &Value| {
        let details = &line["details"];
        let request = match (details["method"].as_str(), details["path"].as_str()) {
            (Some(method), Some(path)) => json!(format!("{method} {path}")),
            _ => Value::Null,
        };
        [line["action"].clone(), request, line["requestId"].clone()]
    };
    lines.iter().map(summary).collect()
}

#[tokio::test]
async fn an_administrator_acts_as_the_owner_of_one_tenant_only() {
    let world = World::shared().await;
    let (admin, tenant, other) =
        (world.administrator().await, world.tenant().await, world.tenant().await);

    let session = begin(&admin, &tenant).await;

    let name = tenant.owner().get("/organizations/current").await.data(200)["name"].clone();
    assert_eq!(session["organization"], json!({"id": tenant.id, "name": name}));
    let left = session["expiresAt"].as_str().unwrap().parse::<DateTime<chrono::Utc>>().unwrap();
    let left = left - ports::shared::clock::Clock::now(&app::clock::SystemClock);
    assert!(left <= TimeDelta::minutes(15) && left > TimeDelta::minutes(13), "{left}");
    let acting = with_token(&admin, &session);
    assert_eq!(acting.get("/organizations/current").await.data(200)["id"], tenant.id.as_str());
    let named = acting.with("X-Organization-Id", &tenant.id);
    assert_eq!(named.get("/organizations/current").await.data(200)["id"], tenant.id.as_str());
    for stranger in [other.id.as_str(), UNKNOWN, "", "x"] {
        let elsewhere = acting.with("X-Organization-Id", stranger);
        elsewhere.get("/contacts").await.fails(403, "NOT_A_MEMBER");
    }
    let me = acting.get("/auth/me").await.data(200).clone();
    let own = json!([{"id": tenant.id, "name": name, "role": "TENANT_OWNER", "closedAt": null}]);
    assert_eq!((&me["platformRole"], &me["organizations"]), (&Value::Null, &own));
    for unknown in [UNKNOWN, "00000000-0000-7000-8000-000000000000", "x"] {
        admin.post(&path(unknown), json!({})).await.fails(404, "NOT_FOUND");
    }
    tenant.owner().post(&path(&tenant.id), json!({})).await.fails(403, "FORBIDDEN");
}

#[tokio::test]
async fn every_impersonated_call_is_audited_or_refused() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let acting = with_token(&admin, &begin(&admin, &tenant).await);
    let mut called = vec![json!("began")];
    for (name, allowed, body, status) in &rules() {
        let (method, path) = name.split_once(' ').unwrap();
        let parameters = ["{id}", "{userId}", "{deliveryId}"];
        let path = parameters.iter().fold(path.to_owned(), |path, it| path.replace(it, UNKNOWN));
        let answer = ask(&acting, method.parse().unwrap(), &path, body).await;
        if NOT_LENT.iter().any(|it| name.starts_with(it)) {
            answer.fails(403, "FORBIDDEN");
        } else {
            assert!(allowed.contains('O'), "{name}");
            assert_eq!(answer.status, *status, "{name}: {}", answer.text);
        }
        called.push(json!(format!("{method} {path}")));
    }
    let outside = operations().into_iter().filter(|it| it.takes_session && !it.is_inside);
    for operation in outside.filter(|it| it.path(UNKNOWN) != EXIT) {
        let path = operation.path(UNKNOWN);
        let answer = acting.call(operation.method.clone(), &path, operation.example()).await;
        if OPEN_OUTSIDE.contains(&operation.name().as_str()) {
            assert!([200, 404].contains(&answer.status), "{}", answer.text);
        } else {
            answer.fails(403, "FORBIDDEN");
        }
        called.push(json!(format!("{} {path}", operation.method)));
    }

    let filter = format!("/admin/audit?organization={}&actor=", tenant.id);
    let mut found = Vec::new();
    for page in 1..=called.len().div_ceil(100) {
        let lines = admin.get(&format!("{filter}&page={page}")).await;
        found.extend(lines.data(200).as_array().unwrap().clone());
    }
    found.reverse();
    for (sequence, line) in (1..).zip(&found) {
        assert_eq!(line["sequence"], json!(sequence));
    }
    // Jobs on contacts are recorded besides the call that begins them.
    found.retain(|line| !line["action"].as_str().unwrap().starts_with("contacts."));
    assert_eq!(found.len(), called.len());
    for (line, call) in found.iter().zip(&called) {
        let details = &line["details"];
        let summary = match details["method"].as_str() {
            Some(method) => json!(format!("{method} {}", details["path"].as_str().unwrap())),
            None => json!("began"),
        };
        assert_eq!(&summary, call);
        assert_eq!(line["impersonated"], json!(*call != "began"));
    }
    assert_eq!(tenant.count("delivery_logs").await, 0);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn an_impersonator_may_prepare_but_not_send_a_campaign() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let acting = with_token(&admin, &begin(&admin, &tenant).await);
    let draft = json!({"name": "Sale", "channel": "SMS", "body": "Akwaaba. Reply STOP to opt out"});
    let campaign = acting.post("/campaigns", draft).await.data(201)["id"].clone();
    let campaign = format!("/campaigns/{}", campaign.as_str().unwrap());
    let act = async |caller: &Caller, action: &str| {
        caller.post(&format!("{campaign}/{action}"), json!({})).await
    };

    for schedule in [Value::Null, json!("2999-01-01T09:00:00Z")] {
        let changes = json!({"scheduledAt": schedule});
        acting.call(Method::PATCH, &campaign, Some(changes)).await.data(200);
        act(&acting, "send").await.fails(403, "FORBIDDEN");
    }
    act(&tenant.owner(), "send").await.data(200);
    act(&acting, "cancel").await.fails(403, "FORBIDDEN");
    act(&tenant.owner(), "cancel").await.data(200);
}

#[tokio::test]
async fn an_impersonator_cannot_approve_their_own_text() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let acting = with_token(&admin, &begin(&admin, &tenant).await);
    let template =
        json!({"name": "Due", "channel": "SMS", "body": "Akwaaba", "category": "INSURANCE"});
    acting.post("/templates", template).await.data(201);
    let waiting = admin.get("/admin/approvals").await;
    let waiting = waiting.data(200).as_array().unwrap().clone();
    let approval = waiting.iter().find(|it| it["organizationId"] == tenant.id.as_str()).unwrap();
    let approve = format!("/admin/approvals/{}/approve", approval["id"].as_str().unwrap());

    admin.post(&approve, json!({})).await.fails(403, "FORBIDDEN");

    let another = world.administrator().await;
    another.post(&approve, json!({})).await.data(200);
}

#[tokio::test]
async fn an_exited_token_is_rejected_on_every_instance() {
    let (one, other) = World::shared_pair(ONE_SECRET).await;
    let (admin, tenant) = (one.administrator().await, one.tenant().await);
    let session = begin(&admin, &tenant).await;
    let token = format!("Bearer {}", session["token"].as_str().unwrap());
    let acting = with_token(&admin, &session);
    let elsewhere = tenant.at(&other).owner().with("Authorization", &token);
    assert_eq!(elsewhere.get("/contacts").await.status, 200);

    let restored = acting.with("X-Request-Id", "exit-1").post(EXIT, json!({})).await;

    for acting in [&acting, &elsewhere] {
        for path in ["/contacts", "/auth/me"] {
            let refused = acting.get(path).await;
            refused.fails(401, "UNAUTHORIZED");
            assert!(refused.text.contains("the session has ended"), "{}", refused.text);
        }
        acting.post(EXIT, json!({})).await.fails(401, "UNAUTHORIZED");
    }
    let restored = with_token(&admin, restored.data(200));
    restored.get("/admin/approvals").await.data(200);
    assert_eq!(restored.get("/auth/me").await.data(200)["platformRole"], "PLATFORM_SUPER_ADMIN");
    restored.post(EXIT, json!({})).await.fails(400, "NOT_IMPERSONATING");
    let summary = |text: &str| json!(format!("impersonation.{text}"));
    let lines = logged(&tenant).await;
    let [ended, acted, began] = <[[Value; 3]; 3]>::try_from(lines).unwrap();
    assert_eq!(ended, [summary("ended"), Value::Null, json!("exit-1")]);
    assert_eq!(acted[..2], [summary("acted"), json!("GET /contacts")]);
    assert_eq!(began[0], summary("began"));
}

#[tokio::test]
async fn exit_fails_without_an_impersonation() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    for caller in [admin, tenant.owner()] {
        caller.post(EXIT, json!({})).await.fails(400, "NOT_IMPERSONATING");
        caller.get("/auth/me").await.data(200);
    }
    let nobody = world.post(EXIT, json!({})).await;
    nobody.fails(401, "UNAUTHORIZED");
    tenant.live_key().await.post(EXIT, json!({})).await.fails(401, "SESSION_REQUIRED");
}

#[tokio::test]
async fn an_impersonation_ends_when_the_password_or_role_changes() {
    let world = World::shared().await;
    for change in ["session_version = session_version + 1", "platform_role = NULL"] {
        let tenant = world.tenant().await;
        let email = unique_email("efua");
        let user = world.user(&email).await;
        world.promote(&email).await;
        let admin = with_token(&world.administrator().await, &user);
        let acting = with_token(&admin, &begin(&admin, &tenant).await);
        acting.get("/contacts").await.data(200);

        world.sql(&format!("UPDATE users SET {change} WHERE email = '{email}'")).await;

        for path in ["/contacts", "/auth/me"] {
            acting.get(path).await.fails(401, "UNAUTHORIZED");
        }
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_audited_is_not_executed() {
    let world = World::start().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let acting = with_token(&admin, &begin(&admin, &tenant).await);
    world
        .sql(
            "CREATE TRIGGER full_up BEFORE INSERT ON audit_log \
             FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
        )
        .await;

    acting.post("/contacts", json!({"firstName": "Ama"})).await.fails(503, "SERVICE_UNAVAILABLE");
    acting.get("/contacts").await.fails(503, "SERVICE_UNAVAILABLE");
    assert!(admin.post(&path(&tenant.id), json!({})).await.status >= 500);
    assert!(acting.post(EXIT, json!({})).await.status >= 500);

    assert_eq!(tenant.count("contacts").await, 0);
    world.sql("DROP TRIGGER full_up ON audit_log").await;
    acting.get("/contacts").await.data(200);
}

#[tokio::test]
async fn the_owners_are_notified_by_mail() {
    let (mut server, world) = MailServer::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    tenant.verify_email().await;

    begin(&admin, &tenant).await;

    let mail = server.received_by(&tenant.email).await;
    assert_eq!(mail["recipients"], json!([tenant.email]));
    let content = mail["content"].as_str().unwrap().replace("=\r\n", "");
    let is_notified = content.contains(&tenant.id) && content.contains("Subject: An administrator");
    assert!(is_notified && !content.contains("Kente"), "{content}");
}

#[tokio::test]
async fn forged_expired_and_borrowed_tokens_are_rejected() {
    let world = World::shared_with(ONE_SECRET).await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let session = begin(&admin, &tenant).await;
    let token = session["token"].as_str().unwrap();
    let [_, claims, signature] =
        <[&str; 3]>::try_from(token.split('.').collect::<Vec<_>>()).unwrap();
    let encoded = |json: Value| BASE64_URL_SAFE_NO_PAD.encode(json.to_string());
    let [none, rs] = ["none", "RS256"].map(|alg| encoded(json!({"typ": "JWT", "alg": alg})));
    let issuer = JwtIssuer::new(SECRET.as_bytes());
    let read = issuer.read(token).unwrap();
    let ended = read.issued_at - TimeDelta::minutes(16);
    let expired = Claims {
        id: Uuid::from_u128(read.id.as_u128() + 1),
        issued_at: ended,
        expires_at: ended + TimeDelta::minutes(15),
        ..read.clone()
    };
    let elsewhere = Claims { impersonation: None, user: read.id.into(), ..read };
    for forged in [
        format!("{none}.{claims}."),
        format!("{none}.{claims}.{signature}"),
        format!("{rs}.{claims}.{signature}"),
        issuer.issue(&expired).unwrap(),
        issuer.issue(&elsewhere).unwrap(),
        JwtIssuer::new(b"another secret of thirty-two bytes").issue(&expired).unwrap(),
    ] {
        let forger = with_token(&admin, &json!({"token": forged}));
        for path in ["/contacts", "/admin/approvals", "/admin/audit", "/auth/me"] {
            forger.get(path).await.fails(401, "UNAUTHORIZED");
        }
        forger.post(EXIT, json!({})).await.fails(401, "UNAUTHORIZED");
    }
    with_token(&admin, &session).get("/admin/audit").await.fails(403, "FORBIDDEN");
}

#[tokio::test]
async fn a_tenant_sees_only_its_own_part_of_the_audit_log() {
    let world = World::shared().await;
    let (admin, tenant, other) =
        (world.administrator().await, world.tenant().await, world.tenant().await);
    let request = unique_id();
    let begun = admin.with("X-Request-Id", &request).post(&path(&tenant.id), json!({})).await;
    let acting = with_token(&admin, begun.data(200));
    acting.get("/contacts?search=secret").await.data(200);
    let me = admin.get("/auth/me").await.data(200).clone();
    let search = async |query: &str| -> Answer {
        admin.get(&format!("/admin/audit?organization={}{query}", tenant.id)).await
    };

    let answer = search("").await;

    let [acted, began] = answer.data(200).as_array().unwrap().as_slice() else {
        panic!("{}", answer.text)
    };
    assert_eq!(
        *began,
        json!({
            "id": began["id"], "at": began["at"], "action": "impersonation.began",
            "actor": {"id": me["id"], "email": me["email"]}, "organizationId": tenant.id,
            "resourceType": "ORGANIZATION", "resourceId": tenant.id, "requestId": request,
            "impersonated": false, "details": {"expiresAt": began["details"]["expiresAt"]},
            "sequence": 1, "hash": began["hash"],
        })
    );
    assert_eq!(acted["details"], json!({"method": "GET", "path": "/contacts"}));
    assert_eq!(answer.body["pagination"]["total"], 2);
    let (actor, at) = (me["id"].as_str().unwrap(), acted["at"].as_str().unwrap());
    for (query, total) in [
        (format!("&actor={actor}"), 2),
        (format!("&actor={UNKNOWN}"), 0),
        ("&action=impersonation.acted".into(), 1),
        ("&from=2000-01-01T00:00:00Z&to=2999-01-01T00:00:00Z".into(), 2),
        (format!("&from={at}&to={at}"), 0),
        ("&page=2&limit=1".into(), 2),
    ] {
        assert_eq!(search(&query).await.body["pagination"]["total"], total, "{query}");
    }
    let faulty = search("&actor=x&from=yesterday&limit=0&path=y").await;
    let faults = faulty.fails(400, "VALIDATION_ERROR")["fieldErrors"].as_object().unwrap().clone();
    assert_eq!(faults.keys().collect::<Vec<_>>(), ["actor", "from", "limit", "path"]);

    let own = tenant.owner().get("/organizations/audit?limit=1").await;
    assert_eq!(
        (own.data(200)[0]["id"].clone(), &own.body["pagination"]["total"]),
        (acted["id"].clone(), &json!(2))
    );
    assert_eq!(own.data(200)[0]["actor"], json!({"id": me["id"], "email": null}));
    assert_eq!(*other.owner().get("/organizations/audit").await.data(200), json!([]));
    tenant.owner().get("/admin/audit").await.fails(403, "FORBIDDEN");
}
