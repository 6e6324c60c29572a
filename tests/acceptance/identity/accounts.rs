//! Accounts of users: their address, and the organizations that they create.

use acceptance::{Answer, Caller, World, unique_email, until};
use serde_json::{Value, json};

use crate::providers::mail_server::MailServer;

/// Creates an organization with the session of a user.
async fn found(world: &World, user: &Value, body: Value) -> Answer {
    let request = world.http.post(format!("{}/organizations", world.url)).json(&body);
    world.send(request.bearer_auth(user["token"].as_str().unwrap())).await
}

/// Returns the user as `GET /auth/me` shows them.
async fn me(world: &World, user: &Value) -> Value {
    let request = world.http.get(format!("{}/auth/me", world.url));
    world.send(request.bearer_auth(user["token"].as_str().unwrap())).await.data(200).clone()
}

#[tokio::test]
async fn a_user_creates_at_most_three_organizations() {
    let world = World::shared().await;
    let user = world.user(&unique_email("kofi")).await;

    for body in [json!({}), json!({"name": " "}), json!({"name": 7})] {
        let answer = found(&world, &user, body).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["name"].is_array());
    }
    for number in 1..=3 {
        let answer = found(&world, &user, json!({"name": format!("Kente {number}")})).await;
        let organization = answer.data(201);
        assert_eq!(organization["name"], format!("Kente {number}"));
        assert_eq!(organization["wallet"]["balance"], 10.0);
        assert_eq!(organization["members"][0]["role"], "TENANT_OWNER");
    }
    found(&world, &user, json!({"name": "Kente 4"})).await.fails(403, "FORBIDDEN");
    let organizations = me(&world, &user).await["organizations"].clone();
    assert_eq!(organizations.as_array().unwrap().len(), 3);
    world.post("/organizations", json!({"name": "Kente"})).await.fails(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn concurrent_requests_create_no_fourth_organization() {
    let world = World::shared().await;
    let user = world.user(&unique_email("kofi")).await;
    let requests =
        (0..6).map(|number| found(&world, &user, json!({"name": format!("K {number}")})));
    let answers = futures_util::future::join_all(requests).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 3);
}

#[tokio::test]
async fn a_mailed_link_verifies_the_address_after_a_click() {
    let mut server = MailServer::start().await;
    let (world, _folder) = server.world_with(&[("ATUMPAN_EMAIL_VERIFICATION", "on")]).await;
    let user = world.user("ama@example.com").await;
    assert_eq!(user["user"]["emailVerified"], false);
    let mail = server.received().await;
    assert_eq!(mail["recipients"], json!(["ama@example.com"]));
    let content = mail["content"].as_str().unwrap().replace("=\r\n", "").replace("=3D", "=");
    assert!(!content.contains("Mensah"), "{content}");
    let (_, token) = content.split_once("/app/verify?token=").unwrap();
    let path = format!("/auth/verify-email?token={}", &token[..64]);

    let page = world.get(&path).await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(page.header("content-security-policy").contains("default-src 'none'"));
    assert!(page.text.contains(&format!("action=\"verify-email?token={}\"", &token[..64])));
    assert_eq!(me(&world, &user).await["emailVerified"], false, "programs follow links, too");

    let click = world.http.post(format!("{}{path}", world.url));
    let click = click.header("Accept", "text/html").header("Content-Length", 0);
    let click = click.header("Content-Type", "application/x-www-form-urlencoded");
    let answer = world.send(click).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.text.contains("verified"));

    assert_eq!(me(&world, &user).await["emailVerified"], true);
    let again = world.post("/auth/verify-email", json!({"token": token[..64]})).await;
    assert!(again.fails(400, "VALIDATION_ERROR")["fieldErrors"]["token"].is_array());
}

#[tokio::test]
async fn a_valid_token_verifies_the_address_of_a_member() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner: Caller = tenant.owner();
    let verified =
        async || owner.get("/organizations/members").await.data(200)[0]["emailVerified"].clone();
    assert_eq!(verified().await, false);
    for (token, valid_for) in [("old", "-1 second"), ("new", "1 hour")] {
        let email = &tenant.email;
        world
            .sql(&format!(
                "INSERT INTO email_verification_tokens (hash, user_id, expires_at) \
                 SELECT sha256('{token} of {email}'), id, now() + interval '{valid_for}' FROM users \
                 WHERE email = '{email}'"
            ))
            .await;
    }
    let verify = async |body: Value| world.post("/auth/verify-email", body).await;

    let token = |name: &str| json!({"token": format!("{name} of {}", tenant.email)});
    for body in [json!({}), token("old"), json!({"token": 7}), json!({"token": "none"})] {
        let answer = verify(body).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["token"].is_array());
    }
    assert_eq!(verified().await, false);
    verify(token("new")).await.data(200);
    assert_eq!(verified().await, true);
}

#[tokio::test]
async fn registration_does_not_wait_for_its_mail() {
    let world = World::start_with(&[("ATUMPAN_EMAIL_VERIFICATION", "on")]).await;
    world.user(&unique_email("kofi")).await;
    let mails = "SELECT count(*) FROM delivery_logs WHERE subject = 'Confirm your address'";
    until("the mail is sent", async || world.value(mails).await == 1).await;
}

#[tokio::test]
async fn the_page_behind_a_reset_link_sets_a_password_and_does_not_use_the_token_by_itself() {
    let (mut server, world) = MailServer::shared().await;
    let email = unique_email("ama");
    world.user(&email).await;
    let ask = json!({"email": email});
    world.post("/auth/forgot-password", ask).await.data(200);
    let mail = server.received_by(&email).await;
    let content = mail["content"].as_str().unwrap().replace("=\r\n", "").replace("=3D", "=");
    let (_, rest) = content.split_once("/app/reset?token=").unwrap();
    let token = &rest[..64];
    let submit = async |password: &str| {
        let request = world.http.post(format!("{}/auth/reset-password", world.url));
        let form = [("token", token), ("password", password)];
        world.send(request.header("Accept", "text/html").form(&form)).await
    };

    for _ in 0..2 {
        let page = world.get(&format!("/auth/reset-password?token={token}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(page.header("content-security-policy").contains("default-src 'none'"));
        assert!(page.text.contains(&format!("name=\"token\" value=\"{token}\"")));
    }
    let weak = submit("short").await;
    assert_eq!(weak.status, 400, "{}", weak.text);
    assert!(weak.text.contains("<p>The password ") && weak.text.contains("<form"), "{}", weak.text);
    let set = submit("battery staple").await;
    assert_eq!(set.status, 200, "{}", set.text);
    assert!(set.text.contains("Your new password is set"), "{}", set.text);
    let again = submit("once more, please").await;
    assert_eq!(again.status, 400, "{}", again.text);
    assert!(!again.text.contains("<form"), "{}", again.text);

    let login = json!({"email": email, "password": "battery staple"});
    world.post("/auth/login", login).await.data(200);
}
