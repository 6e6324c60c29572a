//! Accounts of signed-in users: sessions, names, passwords, and who may register.

use std::collections::BTreeSet;

use acceptance::{Answer, Caller, World, fresh_database_url, unique_email};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{providers::mail_server::MailServer, shared::settings::ONE_SECRET};

const PASSWORD: &str = "correct horse";
const NEW_PASSWORD: &str = "staple and stable";
const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";

fn bearer(world: &World, session: &Value) -> Caller {
    let token = session["token"].as_str().unwrap();
    world.guest().with("Authorization", &format!("Bearer {token}"))
}

async fn try_login(world: &World, email: &str, password: &str) -> Answer {
    let client = world.guest().with("User-Agent", "dashboard/1.0");
    client.post("/auth/login", json!({"email": email, "password": password})).await
}

/// Signs in, and returns the user with the new session.
async fn login(world: &World, email: &str) -> Caller {
    let answer = try_login(world, email, PASSWORD).await;
    bearer(world, answer.data(200))
}

/// Registers a user, and returns the address and the user with the session.
async fn registered(world: &World) -> (String, Caller) {
    let email = unique_email("kofi");
    let user = world.user(&email).await;
    let caller = bearer(world, &user);
    (email, caller)
}

async fn sessions(caller: &Caller) -> Vec<Value> {
    caller.get("/auth/sessions").await.data(200).as_array().unwrap().clone()
}

async fn post(caller: &Caller, path: &str) -> Answer {
    caller.call(Method::POST, path, None).await
}

async fn end(caller: &Caller, id: &str) -> Answer {
    caller.call(Method::DELETE, &format!("/auth/sessions/{id}"), None).await
}

/// Asserts that every one of these sessions has ended.
async fn assert_ended(callers: &[&Caller]) {
    for caller in callers {
        caller.get("/auth/me").await.fails(401, "UNAUTHORIZED");
    }
}

#[tokio::test]
async fn lists_the_sessions_of_the_user_only() {
    let world = World::shared().await;
    let ((email, first), (_, stranger)) = (registered(&world).await, registered(&world).await);
    let second = login(&world, &email).await;

    let listed = sessions(&second).await;

    assert_eq!(listed.len(), 2);
    let fields = listed[0].as_object().unwrap().keys().map(String::as_str);
    let expected = ["address", "createdAt", "id", "isCurrent", "lastUsedAt", "userAgent"];
    assert_eq!(fields.collect::<BTreeSet<_>>(), BTreeSet::from(expected));
    assert_eq!(listed[0]["isCurrent"], true);
    assert_eq!(
        (&listed[0]["address"], &listed[0]["userAgent"]),
        (&json!("127.0.0.1"), &json!("dashboard/1.0"))
    );
    assert_eq!((&listed[1]["isCurrent"], &listed[1]["userAgent"]), (&json!(false), &Value::Null));
    assert_eq!(sessions(&first).await[0]["id"], listed[1]["id"]);

    let id = listed[0]["id"].as_str().unwrap();
    for wrong in [id, UNKNOWN, "x"] {
        end(&stranger, wrong).await.fails(404, "NOT_FOUND");
    }
    second.get("/auth/me").await.data(200);
    world.get("/auth/sessions").await.fails(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn an_ended_session_is_refused_on_every_instance() {
    let (one, other) = World::shared_pair(ONE_SECRET).await;
    let (email, first) = registered(&one).await;
    let answer = try_login(&one, &email, PASSWORD).await;
    let [second, elsewhere] = [&one, &other].map(|world| bearer(world, answer.data(200)));
    elsewhere.get("/auth/me").await.data(200);
    let id = sessions(&second).await[0]["id"].as_str().unwrap().to_owned();

    let answer = end(&first, &id).await;

    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    assert_ended(&[&elsewhere, &second]).await;
    end(&first, &id).await.fails(404, "NOT_FOUND");
    assert_eq!(sessions(&first).await.len(), 1);
}

#[tokio::test]
async fn signing_out_ends_one_session_or_all() {
    let world = World::shared().await;
    let (email, first) = registered(&world).await;
    let (second, third) = (login(&world, &email).await, login(&world, &email).await);

    post(&first, "/auth/logout").await.data(200);
    assert_ended(&[&first]).await;
    assert_eq!(sessions(&second).await.len(), 2);

    post(&second, "/auth/logout-everywhere").await.data(200);
    assert_ended(&[&first, &second, &third]).await;
    assert_eq!(sessions(&login(&world, &email).await).await.len(), 1);
}

#[tokio::test]
async fn an_impersonation_ends_with_the_session_of_the_administrator() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let admin = world.administrator().await;
    let path = format!("/admin/tenants/{}/impersonate", tenant.id);
    let acting = bearer(&world, admin.post(&path, json!({})).await.data(200));
    acting.get("/auth/me").await.data(200);
    for path in ["/auth/logout", "/auth/logout-everywhere", "/auth/verify-email/resend"] {
        post(&acting, path).await.fails(403, "FORBIDDEN");
    }
    acting.get("/auth/sessions").await.fails(403, "FORBIDDEN");
    assert_eq!(sessions(&admin).await.len(), 1);

    post(&admin, "/auth/logout").await.data(200);

    assert_ended(&[&acting, &admin]).await;
    post(&acting, "/admin/exit-impersonation").await.fails(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn a_new_password_ends_the_other_sessions() {
    let world = World::shared().await;
    let (email, first) = registered(&world).await;
    let (second, third) = (login(&world, &email).await, login(&world, &email).await);
    let change = json!({"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD});

    second.post("/auth/change-password", change.clone()).await.data(200);

    assert_ended(&[&first, &third]).await;
    second.get("/auth/me").await.data(200);
    assert_eq!(sessions(&second).await.len(), 1);
    try_login(&world, &email, PASSWORD).await.fails(401, "INVALID_CREDENTIALS");
    let session = try_login(&world, &email, NEW_PASSWORD).await;
    bearer(&world, session.data(200)).get("/auth/me").await.data(200);
    let again = second.post("/auth/change-password", change).await;
    assert!(again.fails(400, "VALIDATION_ERROR")["fieldErrors"]["currentPassword"].is_array());
    // The kept session ends like any other.
    post(&second, "/auth/logout-everywhere").await.data(200);
    assert_ended(&[&second]).await;
}

#[tokio::test]
async fn wrong_present_passwords_count_as_failed_logins() {
    let world = World::shared().await;
    let (email, user) = registered(&world).await;
    let change = async |current: &str, new: &str| {
        let body = json!({"currentPassword": current, "newPassword": new});
        user.post("/auth/change-password", body).await
    };
    for _ in 0..11 {
        // Nothing is guessed with a faulty request.
        let answer = change("wrong horse", "short").await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["newPassword"].is_array());
    }
    for _ in 0..10 {
        let answer = change("wrong horse", NEW_PASSWORD).await;
        let fields = answer.fails(400, "VALIDATION_ERROR")["fieldErrors"].clone();
        assert_eq!(fields, json!({"currentPassword": ["is wrong"]}));
    }

    change(PASSWORD, NEW_PASSWORD).await.fails(429, "RATE_LIMITED");

    try_login(&world, &email, PASSWORD).await.fails(429, "RATE_LIMITED");
    user.get("/auth/me").await.data(200);
}

#[tokio::test]
async fn weak_passwords_are_field_errors() {
    let world = World::shared().await;
    let email = unique_email("kwabena");
    let (local, _) = email.split_once('@').unwrap();
    let user = bearer(&world, &world.user(&email).await);
    let (upper, longer) = (email.to_uppercase(), format!("my {local}!"));
    for password in ["Password123", upper.as_str(), longer.as_str()] {
        let body = json!({
            "email": email, "password": password, "firstName": "Kwabena", "lastName": "Boateng",
        });
        let answer = world.post("/auth/register", body).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["password"].is_array());
        let body = json!({"currentPassword": PASSWORD, "newPassword": password});
        let answer = user.post("/auth/change-password", body).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["newPassword"].is_array());

        world
            .sql(&format!(
                "INSERT INTO password_reset_tokens (hash, user_id, expires_at) \
                 SELECT sha256('reset of {email}'), id, now() + interval '1 hour' FROM users \
                 WHERE email = '{email}' ON CONFLICT DO NOTHING"
            ))
            .await;
        let body = json!({"token": format!("reset of {email}"), "password": password});
        let answer = world.post("/auth/reset-password", body).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["password"].is_array());
    }
    // A refused password uses no token up.
    let body = json!({"token": format!("reset of {email}"), "password": NEW_PASSWORD});
    world.post("/auth/reset-password", body).await.data(200);
}

#[tokio::test]
async fn a_user_changes_their_names() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let change = async |body: Value| owner.call(Method::PATCH, "/auth/me", Some(body)).await;

    let answer = change(json!({"firstName": " Esi "})).await;

    let names = |user: &Value| (user["firstName"].clone(), user["lastName"].clone());
    assert_eq!(names(answer.data(200)), (json!("Esi"), json!("Mensah")));
    assert_eq!(*owner.get("/auth/me").await.data(200), *answer.data(200));
    let members = owner.get("/organizations/members").await;
    assert_eq!(members.data(200)[0]["firstName"], "Esi");
    for (body, field) in [
        (json!({"firstName": " "}), "firstName"),
        (json!({"lastName": "a".repeat(101)}), "lastName"),
        (json!({"lastName": 7}), "lastName"),
        (json!({"email": "esi@example.com"}), "email"),
    ] {
        let answer = change(body).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"][field].is_array());
    }
}

#[tokio::test]
async fn another_verification_link_is_mailed_at_most_five_times_an_hour() {
    let mut server = MailServer::start().await;
    let (world, _folder) = server.world().await;
    let user = bearer(&world, &world.user("ama@example.com").await);

    post(&user, "/auth/verify-email/resend").await.data(200);

    let mail = server.received().await;
    assert_eq!(mail["recipients"], json!(["ama@example.com"]));
    let content = mail["content"].as_str().unwrap().replace("=\r\n", "").replace("=3D", "=");
    let (_, token) = content.split_once("/app/verify?token=").unwrap();
    for _ in 0..4 {
        post(&user, "/auth/verify-email/resend").await.data(200);
    }
    let answer = post(&user, "/auth/verify-email/resend").await;
    answer.fails(429, "RATE_LIMITED");
    assert_eq!(answer.header("retry-after"), "3600");

    world.post("/auth/verify-email", json!({"token": token[..64]})).await.data(200);
    post(&user, "/auth/verify-email/resend").await.data(200);
}

#[tokio::test]
async fn registration_needs_an_invitation_where_the_operator_says_so() {
    let database = fresh_database_url().await;
    for rule in ["invited", "closed"] {
        let settings = [("ATUMPAN_REGISTRATION", rule)];
        let world = World::start_on(database.clone(), &settings).await;
        let body = json!({
            "email": unique_email("kofi"), "password": PASSWORD, "firstName": "Kofi",
            "lastName": "Boateng",
        });

        let answer = world.post("/auth/register", body).await;

        answer.fails(403, "REGISTRATION_CLOSED");
        let is_of_invitations = answer.text.contains("invitation");
        assert_eq!(is_of_invitations, rule == "invited", "{}", answer.text);
        assert_eq!(world.value("SELECT count(*) FROM users").await, 0);
    }
}
