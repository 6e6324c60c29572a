//! Members: added with notice, changed, removed, and invited by a mailed link.

use acceptance::{Answer, Caller, Tenant, World, unique_email};
use reqwest::Method;
use serde_json::{Value, json};

use crate::providers::mail_server::MailServer;

const PATH: &str = "/organizations/invitations";
const PASSWORD: &str = "correct horse";

/// Adds a user to the organization, and returns them as caller and by identifier.
async fn joined(world: &World, tenant: &Tenant<'_>, role: &str) -> (Caller, String) {
    let email = unique_email("member");
    let user = world.user(&email).await;
    let body = json!({"email": email, "role": role});
    let member = tenant.owner().post("/organizations/invite", body).await;
    let id = member.data(201)["userId"].as_str().unwrap().to_owned();
    (tenant.member(user["token"].as_str().unwrap()), id)
}

async fn update(caller: &Caller, user: &str, role: &str) -> Answer {
    let path = format!("/organizations/members/{user}");
    caller.call(Method::PATCH, &path, Some(json!({"role": role}))).await
}

async fn remove(caller: &Caller, user: &str) -> Answer {
    caller.call(Method::DELETE, &format!("/organizations/members/{user}"), None).await
}

async fn invite(tenant: &Tenant<'_>, email: &str, role: &str) -> Value {
    let body = json!({"email": email, "role": role});
    tenant.owner().post(PATH, body).await.data(201).clone()
}

/// Waits for the mail with an invitation to that address, and returns its text and its token.
async fn mailed(server: &mut MailServer, email: &str) -> (String, String) {
    let mail = server.received_by(email).await;
    assert_eq!(mail["recipients"], json!([email]));
    let content = mail["content"].as_str().unwrap().replace("=\r\n", "").replace("=3D", "=");
    let (_, token) = content.split_once("/app/join?token=").unwrap();
    let token = token[..96].to_owned();
    (content, token)
}

async fn register(world: &World, token: &str) -> Answer {
    let body = json!({
        "token": token, "password": PASSWORD, "firstName": "Esi", "lastName": "Quartey",
    });
    world.post("/auth/invitations/accept", body).await
}

/// Accepts an invitation with a session.
async fn accept(world: &World, session: &str, token: &str) -> Answer {
    let caller = world.guest().with("Authorization", &format!("Bearer {session}"));
    caller.post("/auth/invitations/accept", json!({"token": token})).await
}

#[tokio::test]
async fn a_removed_member_loses_the_organization_at_once() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let (member, id) = joined(&world, &tenant, "DEVELOPER").await;
    member.get("/organizations/current").await.data(200);

    let changed = update(&tenant.owner(), &id, "VIEWER").await;
    assert_eq!(
        (&changed.data(200)["userId"], &changed.data(200)["role"]),
        (&json!(id), &json!("VIEWER"))
    );
    member.get("/api-keys").await.fails(403, "FORBIDDEN");
    assert_eq!(remove(&tenant.owner(), &id).await.status, 204);

    member.get("/organizations/current").await.fails(403, "NOT_A_MEMBER");
    remove(&tenant.owner(), &id).await.fails(404, "NOT_FOUND");
    update(&tenant.owner(), &id, "VIEWER").await.fails(404, "NOT_FOUND");
    let answer = update(&tenant.owner(), &id, "KING").await;
    assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["role"].is_array());
}

#[tokio::test]
async fn the_audit_log_records_changes_of_members() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let (member, id) = joined(&world, &tenant, "VIEWER").await;
    update(&tenant.owner(), &id, "DEVELOPER").await.data(200);
    update(&tenant.owner(), &id, "DEVELOPER").await.data(200);
    assert_eq!(member.call(Method::POST, "/organizations/leave", None).await.status, 204);
    let invitation = invite(&tenant, &unique_email("guest"), "VIEWER").await;
    let path = format!("{PATH}/{}", invitation["id"].as_str().unwrap());
    assert_eq!(tenant.owner().call(Method::DELETE, &path, None).await.status, 204);

    let lines = tenant.owner().get("/organizations/audit").await;

    let lines = lines.data(200).as_array().unwrap();
    let actions: Vec<_> = lines.iter().map(|line| line["action"].as_str().unwrap()).collect();
    assert_eq!(
        actions,
        [
            "invitation.withdrawn",
            "invitation.created",
            "member.left",
            "member.role_changed",
            "member.added"
        ]
    );
    let details = json!({"userId": id, "previousRole": "VIEWER", "role": "DEVELOPER"});
    assert_eq!(lines[3]["details"], details);
}

#[tokio::test]
async fn an_administrator_neither_makes_nor_removes_an_owner() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let (admin, own) = joined(&world, &tenant, "TENANT_ADMIN").await;
    let (_, viewer) = joined(&world, &tenant, "VIEWER").await;
    let members = tenant.owner().get("/organizations/members").await;
    let owner = members.data(200)[0]["userId"].as_str().unwrap().to_owned();

    for user in [&own, &viewer] {
        update(&admin, user, "TENANT_OWNER").await.fails(403, "FORBIDDEN");
    }
    update(&admin, &owner, "VIEWER").await.fails(403, "FORBIDDEN");
    remove(&admin, &owner).await.fails(403, "FORBIDDEN");
    let body = json!({"email": unique_email("guest"), "role": "TENANT_OWNER"});
    admin.post(PATH, body).await.fails(403, "FORBIDDEN");
    let invitation = invite(&tenant, &unique_email("guest"), "TENANT_OWNER").await;
    let path = format!("{PATH}/{}", invitation["id"].as_str().unwrap());
    admin.call(Method::DELETE, &path, None).await.fails(403, "FORBIDDEN");
    admin.call(Method::POST, &format!("{path}/resend"), None).await.fails(403, "FORBIDDEN");
    assert_eq!(remove(&admin, &viewer).await.status, 204);
}

#[tokio::test]
async fn the_last_owner_neither_leaves_nor_is_demoted() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let members = tenant.owner().get("/organizations/members").await;
    let owner = members.data(200)[0]["userId"].as_str().unwrap().to_owned();
    let leave = async || tenant.owner().call(Method::POST, "/organizations/leave", None).await;

    leave().await.fails(409, "LAST_OWNER");
    remove(&tenant.owner(), &owner).await.fails(409, "LAST_OWNER");
    update(&tenant.owner(), &owner, "TENANT_ADMIN").await.fails(409, "LAST_OWNER");
    joined(&world, &tenant, "TENANT_OWNER").await;

    assert_eq!(leave().await.status, 204);
    tenant.owner().get("/organizations/current").await.fails(403, "NOT_A_MEMBER");
}

#[tokio::test]
async fn owners_and_administrators_need_a_verified_address() {
    let mut server = MailServer::start().await;
    let (world, _folder) = server.world_with(&[("ATUMPAN_EMAIL_VERIFICATION", "on")]).await;
    let tenant = world.tenant().await;
    world.user("kofi@example.com").await;
    for _ in 0..2 {
        server.received().await;
    }
    let add = async |role: &str| {
        let body = json!({"email": "kofi@example.com", "role": role});
        tenant.owner().post("/organizations/invite", body).await
    };

    for role in ["TENANT_ADMIN", "TENANT_OWNER"] {
        add(role).await.fails(409, "EMAIL_NOT_VERIFIED");
    }
    let member = add("VIEWER").await;
    let id = member.data(201)["userId"].as_str().unwrap().to_owned();
    update(&tenant.owner(), &id, "TENANT_ADMIN").await.fails(409, "EMAIL_NOT_VERIFIED");
    let guest = json!({"email": "guest@example.com"});
    tenant.owner().post(PATH, guest.clone()).await.fails(409, "EMAIL_NOT_VERIFIED");

    world.sql("UPDATE users SET email_verified_at = now()").await;
    update(&tenant.owner(), &id, "TENANT_ADMIN").await.data(200);
    tenant.owner().post(PATH, guest).await.data(201);
    let (content, _) = mailed(&mut server, "guest@example.com").await;
    assert!(content.contains(&tenant.email), "{content}");
}

#[tokio::test]
async fn an_added_user_with_a_verified_address_is_notified() {
    let (mut server, world) = MailServer::shared().await;
    let tenant = world.tenant().await;
    let email = unique_email("kofi");
    world.user(&email).await;
    let verify = format!("UPDATE users SET email_verified_at = now() WHERE email = '{email}'");
    world.sql(&verify).await;
    let rename = json!({"name": "Win a prize"});
    tenant.owner().call(Method::PATCH, "/organizations/current", Some(rename)).await.data(200);

    let body = json!({"email": email, "role": "DEVELOPER"});
    tenant.owner().post("/organizations/invite", body).await.data(201);

    let mail = server.received_by(&email).await;
    assert_eq!(mail["recipients"], json!([email]));
    let content = mail["content"].as_str().unwrap().replace("=\r\n", "");
    assert!(content.contains(&tenant.id) && !content.contains("prize"), "{content}");
}

#[tokio::test]
async fn a_mailed_link_creates_an_account_with_a_verified_address_once() {
    let (mut server, world) = MailServer::shared().await;
    let tenant = world.tenant().await;
    let rename = json!({"name": "Kente: https://evil.example/?x"});
    tenant.owner().call(Method::PATCH, "/organizations/current", Some(rename)).await.data(200);
    let email = unique_email("Esi");
    let invitation = invite(&tenant, &email, "CAMPAIGN_MANAGER").await;
    let listed = tenant.owner().get(PATH).await;
    assert_eq!(listed.data(200), &json!([invitation]));
    let (content, token) = mailed(&mut server, &email).await;
    assert!(content.contains("Kente https evil example x"), "{content}");

    let page = world.get(&format!("/auth/invitations/accept?token={token}")).await;
    assert!(page.text.contains(&format!("value=\"{token}\"")), "{}", page.text);
    let weak = json!({"token": token, "password": "short", "email": "other@example.com"});
    let answer = world.post("/auth/invitations/accept", weak).await;
    let faults = answer.fails(400, "VALIDATION_ERROR")["fieldErrors"].as_object().unwrap();
    let fields: Vec<_> = faults.keys().collect();
    assert_eq!(fields, ["email", "firstName", "lastName", "password"]);
    let (one, two) = tokio::join!(register(&world, &token), register(&world, &token));

    let (accepted, refused) = if one.status == 201 { (one, two) } else { (two, one) };
    assert!([400, 409].contains(&refused.status), "{}", refused.text);
    let data = accepted.data(201);
    assert_eq!(data["user"]["emailVerified"], true);
    assert_eq!(data["organization"]["role"], "CAMPAIGN_MANAGER");
    let member = tenant.member(data["token"].as_str().unwrap());
    member.get("/organizations/current").await.data(200);
    assert_eq!(tenant.owner().get(PATH).await.data(200), &json!([]));
    let again = register(&world, &token).await;
    assert!(again.fails(400, "VALIDATION_ERROR")["fieldErrors"]["token"].is_array());
}

#[tokio::test]
async fn the_form_of_the_page_accepts_an_invitation() {
    let (mut server, world) = MailServer::shared().await;
    let tenant = world.tenant().await;
    let email = unique_email("esi");
    invite(&tenant, &email, "VIEWER").await;
    let (_, token) = mailed(&mut server, &email).await;
    let submit = async |password: &str| {
        let form = [
            ("token", token.as_str()),
            ("password", password),
            ("firstName", "Esi"),
            ("lastName", "Q"),
        ];
        let request = world.http.post(format!("{}/auth/invitations/accept", world.url));
        world.send(request.header("Accept", "text/html").form(&form)).await
    };

    let refused = submit("short").await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("<form"), "{}", refused.text);
    let accepted = submit(PASSWORD).await;
    assert_eq!(accepted.status, 201, "{}", accepted.text);
    assert!(accepted.header("content-type").starts_with("text/html"));
    let members = tenant.owner().get("/organizations/members").await;
    assert_eq!(members.data(200)[1]["email"], email.as_str());
}

#[tokio::test]
async fn a_user_accepts_with_the_session_of_the_invited_address() {
    let (mut server, world) = MailServer::shared().await;
    let tenant = world.tenant().await;
    let email = unique_email("esi");
    let (esi, kofi) = (world.user(&email).await, world.user(&unique_email("kofi")).await);
    let invited = email.replace("esi", "ESI");
    invite(&tenant, &invited, "DEVELOPER").await;
    let (_, token) = mailed(&mut server, &invited).await;
    let session = |user: &Value| user["token"].as_str().unwrap().to_owned();

    register(&world, &token).await.fails(409, "EMAIL_EXISTS");
    accept(&world, &session(&kofi), &token).await.fails(403, "INVITED_OTHER_ADDRESS");
    let answer = accept(&world, &session(&esi), &token).await;

    let data = answer.data(201);
    assert_eq!((&data["token"], &data["user"]["emailVerified"]), (&Value::Null, &json!(true)));
    assert_eq!(data["organization"]["id"], tenant.id.as_str());
    tenant.member(&session(&esi)).get("/api-keys").await.data(200);
}

#[tokio::test]
async fn a_link_works_until_it_is_renewed_withdrawn_or_expired() {
    let (mut server, world) = MailServer::shared().await;
    let tenant = world.tenant().await;
    let email = unique_email("esi");
    let invitation = invite(&tenant, &email, "VIEWER").await;
    let (_, first) = mailed(&mut server, &email).await;
    let path = format!("{PATH}/{}", invitation["id"].as_str().unwrap());
    let invalid = async |token: &str| {
        let answer = register(&world, token).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["token"].is_array());
    };

    tenant.owner().call(Method::POST, &format!("{path}/resend"), None).await.data(200);
    let (_, second) = mailed(&mut server, &email).await;
    invalid(&first).await;
    let (admin, id) = joined(&world, &tenant, "TENANT_ADMIN").await;
    admin.call(Method::POST, &format!("{path}/resend"), None).await.data(200);
    let (_, third) = mailed(&mut server, &email).await;
    invalid(&second).await;
    // The invitation does not outlast the inviter's right to invite.
    update(&tenant.owner(), &id, "VIEWER").await.data(200);
    invalid(&third).await;
    update(&tenant.owner(), &id, "TENANT_ADMIN").await.data(200);
    let expire = "UPDATE invitations SET expires_at = now() WHERE organization_id";
    world.sql(&format!("{expire} = '{}'", tenant.id)).await;
    invalid(&third).await;
    assert_eq!(tenant.owner().get(PATH).await.data(200), &json!([]));

    let invitation = invite(&tenant, &email, "VIEWER").await;
    let (_, fourth) = mailed(&mut server, &email).await;
    let path = format!("{PATH}/{}", invitation["id"].as_str().unwrap());
    assert_eq!(tenant.owner().call(Method::DELETE, &path, None).await.status, 204);
    invalid(&fourth).await;
    tenant.owner().call(Method::DELETE, &path, None).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn an_address_is_invited_once_and_mailed_five_times_a_day() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let email = unique_email("guest");
    let invitation = invite(&tenant, &email, "VIEWER").await;
    let path = format!("{PATH}/{}/resend", invitation["id"].as_str().unwrap());

    let again = tenant.owner().post(PATH, json!({"email": email.to_uppercase()})).await;
    again.fails(409, "ALREADY_INVITED");
    let member = tenant.owner().post(PATH, json!({"email": tenant.email})).await;
    member.fails(409, "ALREADY_MEMBER");
    for _ in 0..4 {
        tenant.owner().call(Method::POST, &path, None).await.data(200);
    }
    let refused = tenant.owner().call(Method::POST, &path, None).await;
    refused.fails(429, "RATE_LIMITED");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((80_000..=86_400).contains(&wait), "{wait}");
    // Another organization cannot mail the address either.
    let other = world.tenant().await;
    other.owner().post(PATH, json!({"email": email})).await.fails(429, "RATE_LIMITED");
}

#[tokio::test]
async fn an_invitation_opens_an_account_unless_registration_is_closed() {
    // The other instances send no mail through the server, so all mails leave before they start.
    let mut server = MailServer::start().await;
    let (world, _folder) = server.world().await;
    let tenant = world.tenant().await;
    let mut tokens = Vec::new();
    for email in ["esi@example.com", "yaw@example.com"] {
        invite(&tenant, email, "VIEWER").await;
        tokens.push(mailed(&mut server, email).await.1);
    }
    for (token, (registration, status)) in tokens.iter().zip([("invited", 201), ("closed", 403)]) {
        let variables = [("ATUMPAN_REGISTRATION", registration)];
        let restricted = World::start_on(world.database.clone(), &variables).await;

        let answer = register(&restricted, token).await;

        assert_eq!(answer.status, status, "{registration}: {}", answer.text);
        if status == 403 {
            answer.fails(403, "REGISTRATION_CLOSED");
        }
    }
}

#[tokio::test]
async fn lists_of_members_and_invitations_name_what_each_role_may_do() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for path in ["/organizations/members", PATH] {
        let listed = tenant.owner().get(path).await;
        listed.data(200);
        let roles = listed.body["roles"].as_array().unwrap();
        assert_eq!(roles.len(), 6, "{path}");
        let viewer = roles.iter().find(|it| it["role"] == "VIEWER").unwrap();
        assert_eq!(viewer["may"], json!(["READ", "READ_MESSAGES", "READ_EVENTS"]), "{path}");
        let owner = roles.iter().find(|it| it["role"] == "TENANT_OWNER").unwrap();
        assert!(owner["may"].as_array().unwrap().contains(&json!("MANAGE_MEMBERS")), "{path}");
    }
}

#[tokio::test]
async fn a_refusal_names_the_roles_that_may() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let (viewer, _) = joined(&world, &tenant, "VIEWER").await;

    let refused = viewer.get("/api-keys").await;

    refused.fails(403, "FORBIDDEN");
    assert_eq!(
        refused.body["error"]["message"],
        "your role does not allow this: TENANT_OWNER, TENANT_ADMIN or DEVELOPER may"
    );
}
