//! Registration, login and password reset.

use acceptance::{Answer, World, unique_email, until};
use serde_json::{Value, json};

use crate::{money::gateway::with_gateway, providers::mail_server::MailServer};

const PLATFORM: &str = "00000000-0000-7000-8000-000000000000";

fn credentials(email: &str, password: &str) -> Value {
    json!({"email": email, "password": password})
}

async fn login(world: &World, email: &str, password: &str) -> Answer {
    world.post("/auth/login", credentials(email, password)).await
}

async fn me(world: &World, token: &str) -> Answer {
    let request = world.http.get(format!("{}/auth/me", world.url));
    crate::shared::wire::answer(request.bearer_auth(token)).await
}

#[tokio::test]
async fn registration_creates_the_organization_and_its_wallet() {
    let world = World::shared().await;
    let email = unique_email("ama");
    let body = json!({
        "email": email.replace("ama", "Ama").replace("example", "Example"), "password": "correct horse", "firstName": "Ama",
        "lastName": "Mensah", "organizationName": "Kente Online",
    });

    let answer = world.post("/auth/register", body).await;

    let data = answer.data(201);
    assert!(data["expiresAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(data["user"]["firstName"], "Ama");
    assert_eq!(data["user"]["lastName"], "Mensah");
    assert_eq!(data["user"]["platformRole"], Value::Null);
    assert!(data["user"].get("passwordHash").is_none());
    assert_eq!(data["organization"]["name"], "Kente Online");
    let profile = me(&world, data["token"].as_str().unwrap()).await;
    let profile = profile.data(200);
    assert_eq!(profile["id"], data["user"]["id"]);
    let organization = json!([{
        "id": data["organization"]["id"], "name": "Kente Online", "role": "TENANT_OWNER",
        "closedAt": null,
    }]);
    assert_eq!(profile["organizations"], organization);

    let answer = login(&world, &email, "correct horse").await;
    let session = answer.data(200);
    assert_eq!(session["organizations"], organization);
    assert_eq!(session["user"], data["user"]);
    assert!(session["token"].is_string() && session["expiresAt"].is_string());
}

#[tokio::test]
async fn registration_without_an_organization_creates_none() {
    let world = World::shared().await;

    let user = world.user(&unique_email("kofi")).await;

    assert_eq!(user["organization"], Value::Null);
    let profile = me(&world, user["token"].as_str().unwrap()).await;
    assert_eq!(profile.data(200)["organizations"], json!([]));
}

#[tokio::test]
async fn an_address_registers_once_regardless_of_case() {
    let world = World::shared().await;
    let email = unique_email("kofi");
    world.user(&email).await;
    for again in [email.clone(), email.to_uppercase(), format!(" {email} ")] {
        let body = json!({
            "email": again, "password": "another one", "firstName": "K", "lastName": "B",
            "organizationName": "Gone",
        });
        world.post("/auth/register", body).await.fails(409, "EMAIL_EXISTS");
    }
    let orphans = "SELECT count(*) FROM organizations WHERE name = 'Gone'";
    assert_eq!(world.value(orphans).await, 0);
}

#[tokio::test]
async fn reports_every_fault_of_a_registration_at_once() {
    let world = World::shared().await;
    let body = json!({
        "email": "nobody", "password": "short", "firstName": "", "organizationName": " ",
        "platformRole": "PLATFORM_SUPER_ADMIN",
    });

    let answer = world.post("/auth/register", body).await;

    let details = answer.fails(400, "VALIDATION_ERROR");
    let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    let expected =
        ["email", "firstName", "lastName", "organizationName", "password", "platformRole"];
    assert_eq!(fields, expected);
    assert_eq!(details["formErrors"], json!([]));
    let made = "SELECT count(*) FROM users WHERE email = 'nobody'";
    assert_eq!(world.value(made).await, 0);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_are_answered_alike() {
    let world = World::shared().await;
    let email = unique_email("kofi");
    world.user(&email).await;

    let wrong = login(&world, &email, "wrong horse").await;
    let unknown = login(&world, &unique_email("nobody"), "correct horse").await;

    wrong.fails(401, "INVALID_CREDENTIALS");
    assert_eq!((wrong.status, wrong.text), (unknown.status, unknown.text));
    let long = format!("{}@example.com", "a".repeat(10_000));
    for body in [json!({}), json!({"email": "nobody"}), json!({"email": long, "password": ""})] {
        let answer = world.post("/auth/login", body).await;
        let fields = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        assert!(fields["email"].is_array() && fields["password"].is_array());
    }
}

#[tokio::test]
async fn ten_failed_logins_lock_an_address_for_a_while() {
    let world = World::shared().await;
    let (registered, unknown) = (unique_email("kofi"), unique_email("nobody"));
    world.user(&registered).await;
    for email in [&registered, &unknown] {
        for _ in 0..5 {
            login(&world, email, "wrong horse").await.fails(401, "INVALID_CREDENTIALS");
            let upper = email.to_uppercase();
            login(&world, &upper, "wrong horse").await.fails(401, "INVALID_CREDENTIALS");
        }
        for password in ["wrong horse", "correct horse"] {
            let answer = login(&world, email, password).await;
            answer.fails(429, "RATE_LIMITED");
            let wait: u64 = answer.header("retry-after").parse().unwrap();
            assert!((1..=900).contains(&wait), "{wait}");
        }
    }
    let other = unique_email("other");
    world.user(&other).await;
    login(&world, &other, "correct horse").await.data(200);
}

#[tokio::test]
async fn signing_in_resets_the_count_of_failures() {
    let world = World::shared().await;
    let email = unique_email("kofi");
    world.user(&email).await;
    for _ in 0..2 {
        for _ in 0..9 {
            login(&world, &email, "wrong").await.fails(401, "INVALID_CREDENTIALS");
        }
        login(&world, &email, "correct horse").await.data(200);
    }
}

#[tokio::test]
async fn an_altered_token_is_rejected() {
    let world = World::shared().await;
    let user = world.user(&unique_email("kofi")).await;
    let token = user["token"].as_str().unwrap();
    let parts: Vec<&str> = token.split('.').collect();
    // {"alg":"none","typ":"JWT"}
    let none = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{}.", parts[1]);
    let unsigned = format!("{}.{}.", parts[0], parts[1]);
    // Another installation, which has another secret.
    let foreign = with_gateway().await;
    for token in [&none, &unsigned, "", "x", &token[1..]] {
        me(&world, token).await.fails(401, "UNAUTHORIZED");
    }
    me(&foreign, token).await.fails(401, "UNAUTHORIZED");
    world.get("/auth/me").await.fails(401, "UNAUTHORIZED");
    me(&world, token).await.data(200);
}

#[tokio::test]
async fn a_password_reset_does_not_reveal_registered_addresses() {
    let world = World::shared().await;
    let email = unique_email("kofi");
    world.user(&email).await;
    let ask = async |body: Value| world.post("/auth/forgot-password", body).await;

    let known = ask(json!({"email": email})).await;
    let unknown = ask(json!({"email": unique_email("nobody")})).await;

    known.data(200);
    assert_eq!((known.status, known.text), (unknown.status, unknown.text));
    for body in [json!({}), json!({"email": null}), json!({"email": ""}), json!({"email": " "})] {
        ask(body).await.fails(400, "EMAIL_REQUIRED");
    }
    for body in [json!({"email": "nobody"}), json!({"email": 7})] {
        let answer = ask(body).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["email"].is_array());
    }
}

#[tokio::test]
async fn a_mailed_token_resets_the_password() {
    let mut server = MailServer::start().await;
    let (world, _folder) = server.world().await;
    let user = world.user("ama@example.com").await;
    let reset = async |token: &str, password: &str| {
        world.post("/auth/reset-password", json!({"token": token, "password": password})).await
    };

    let ask = json!({"email": "AMA@example.com"});
    world.post("/auth/forgot-password", ask).await.data(200);
    let mail = server.received().await;
    assert_eq!(mail["recipients"], json!(["ama@example.com"]));
    let token = reset_token(mail["content"].as_str().unwrap());

    let answer = reset(&token, "short").await;
    assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["password"].is_array());
    let answer = reset(&"0".repeat(64), "battery staple").await;
    assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["token"].is_array());
    reset(&token, "battery staple").await.data(200);

    reset(&token, "once more, please").await.fails(400, "VALIDATION_ERROR");
    login(&world, "ama@example.com", "correct horse").await.fails(401, "INVALID_CREDENTIALS");
    me(&world, user["token"].as_str().unwrap()).await.fails(401, "UNAUTHORIZED");
    let session = login(&world, "ama@example.com", "battery staple").await;
    me(&world, session.data(200)["token"].as_str().unwrap()).await.data(200);
    assert_forgotten(&world, &token).await;
}

#[tokio::test]
async fn an_expired_reset_token_sets_no_password() {
    let (mut server, world) = MailServer::shared().await;
    let email = unique_email("ama");
    world.user(&email).await;
    let ask = json!({"email": email});
    world.post("/auth/forgot-password", ask).await.data(200);
    let token = reset_token(server.received_by(&email).await["content"].as_str().unwrap());
    let pass = "UPDATE password_reset_tokens SET expires_at = expires_at - interval '30 minutes'";
    let of_user = format!("user_id = (SELECT id FROM users WHERE email = '{email}')");
    world.sql(&format!("{pass} WHERE {of_user}")).await;

    let body = json!({"token": token, "password": "battery staple"});
    world.post("/auth/reset-password", body).await.fails(400, "VALIDATION_ERROR");

    login(&world, &email, "correct horse").await.data(200);
}

/// Returns the token of the link in a mail.
fn reset_token(mail: &str) -> String {
    let content = mail.replace("=\r\n", "").replace("=3D", "=");
    let (_, token) = content.split_once("/app/reset?token=").unwrap();
    token[..64].to_owned()
}

/// Asserts that the text of a delivered mail is erased and cost nothing.
async fn assert_forgotten(world: &World, token: &str) {
    let logs = |condition: String| {
        format!(
            "SELECT count(*) FROM delivery_logs \
             WHERE organization_id = '{PLATFORM}' AND {condition}"
        )
    };
    let sent = logs("status = 'SENT'".to_owned());
    until("the mail is noted as sent", async || world.value(&sent).await == 1).await;
    assert_eq!(world.value(&logs("cost_micros = 0".to_owned())).await, 1);
    assert_eq!(world.value(&logs(format!("body LIKE '%{token}%'"))).await, 0);
}
