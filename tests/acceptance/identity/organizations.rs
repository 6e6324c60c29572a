//! Organizations and their members.

use acceptance::{Tenant, World, unique_email};
use serde_json::{Value, json};

async fn invite(tenant: &Tenant<'_>, email: &str, role: &str) -> Value {
    let body = json!({"email": email, "role": role});
    tenant.owner().post("/organizations/invite", body).await.data(201).clone()
}

#[tokio::test]
async fn the_organization_is_shown_with_its_wallet_and_members() {
    let world = World::shared().await;
    let tenant = world.tenant().await;

    let answer = tenant.owner().get("/organizations/current").await;

    let organization = answer.data(200);
    assert_eq!(organization["id"], tenant.id.as_str());
    assert_eq!(organization["wallet"], json!({"balance": 10.0, "currency": "GHS"}));
    assert!(organization["createdAt"].as_str().unwrap().ends_with('Z'));
    for field in [
        "industry",
        "businessPhone",
        "businessEmail",
        "timezone",
        "defaultLanguage",
        "website",
        "monthlyVolume",
    ] {
        assert_eq!(organization.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!(organization["preferredChannels"], json!([]));
    assert_eq!(organization["onboardingComplete"], false);
    assert_eq!(organization["complianceAcknowledged"], false);

    let members = tenant.owner().get("/organizations/members").await;
    assert_eq!(members.data(200), &organization["members"]);
    let second = tenant.owner().get("/organizations/members?page=2").await;
    assert_eq!(second.data(200), &json!([]));
    let owner = &organization["members"][0];
    assert_eq!(owner["email"], tenant.email.as_str());
    assert_eq!(owner["role"], "TENANT_OWNER");
    assert_eq!((&owner["firstName"], &owner["lastName"]), (&json!("Ama"), &json!("Mensah")));
    assert!(owner["userId"].is_string() && owner["joinedAt"].is_string());
}

#[tokio::test]
async fn an_update_changes_named_fields_and_null_clears_them() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let update = async |body: Value| {
        let method = reqwest::Method::PATCH;
        tenant.owner().call(method, "/organizations/current", Some(body)).await
    };
    let all = json!({
        "name": "Kente Online", "industry": "Retail", "businessPhone": "+233302123456",
        "businessEmail": "hello@kente.example", "timezone": "Africa/Accra",
        "defaultLanguage": "en", "website": "https://kente.example", "monthlyVolume": 50_000,
        "preferredChannels": ["SMS", "WHATSAPP"], "onboardingComplete": true,
        "complianceAcknowledged": true,
    });

    let answer = update(all.clone()).await;

    for (field, value) in all.as_object().unwrap() {
        assert_eq!(&answer.data(200)[field], value, "{field}");
    }
    let kept = update(json!({})).await;
    assert_eq!(kept.data(200), answer.data(200));

    let cleared = update(json!({
        "industry": null, "businessPhone": null, "businessEmail": null, "timezone": null,
        "defaultLanguage": null, "website": null, "monthlyVolume": null,
        "preferredChannels": null, "name": null, "onboardingComplete": null,
    }))
    .await;
    let cleared = cleared.data(200);
    assert_eq!(cleared["name"], "Kente Online");
    assert_eq!(cleared["onboardingComplete"], true);
    assert_eq!(cleared["preferredChannels"], json!([]));
    for field in ["industry", "businessPhone", "businessEmail", "timezone", "monthlyVolume"] {
        assert_eq!(cleared[field], Value::Null, "{field}");
    }
    let now = tenant.owner().get("/organizations/current").await;
    assert_eq!(now.data(200), cleared);
}

#[tokio::test]
async fn the_time_zone_is_a_setting_with_a_default() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let set = async |zone: Value| {
        let body = json!({"settings": {"timeZone": zone}});
        tenant.owner().call(reqwest::Method::PATCH, "/organizations/current", Some(body)).await
    };

    let lagos = set(json!("Africa/Lagos")).await;
    let shown = lagos.data(200);
    assert_eq!(shown["settings"]["timeZone"], "Africa/Lagos");
    assert_eq!(shown["timezone"], "Africa/Lagos");
    let faults = set(json!("Accra")).await;
    let faults = &faults.fails(400, "VALIDATION_ERROR")["fieldErrors"];
    assert!(faults["settings.timeZone"].is_array(), "{faults}");
    let cleared = set(Value::Null).await;
    assert_eq!(cleared.data(200)["settings"]["timeZone"], "Africa/Accra");
}

#[tokio::test]
async fn a_faulty_update_names_every_fault_and_changes_nothing() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let before = tenant.owner().get("/organizations/current").await;
    let body = json!({
        "name": " ", "industry": "Retail", "businessEmail": "nobody", "monthlyVolume": -1,
        "preferredChannels": ["SMS", "PIGEON"], "onboardingComplete": "yes", "website": 7,
        "wallet": {"balance": 1000}, "id": "x",
    });

    let method = reqwest::Method::PATCH;
    let nothing = tenant.owner().call(method.clone(), "/organizations/current", None).await;
    nothing.fails(400, "VALIDATION_ERROR");
    let answer = tenant.owner().call(method, "/organizations/current", Some(body)).await;

    let details = answer.fails(400, "VALIDATION_ERROR");
    let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    let expected = [
        "businessEmail",
        "id",
        "monthlyVolume",
        "name",
        "onboardingComplete",
        "preferredChannels.1",
        "wallet",
        "website",
    ];
    assert_eq!(fields, expected);
    let after = tenant.owner().get("/organizations/current").await;
    assert_eq!(after.data(200), before.data(200));
}

#[tokio::test]
async fn an_invited_user_becomes_a_viewer_by_default() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let email = unique_email("kofi");
    let user = world.user(&email).await;
    let guest = tenant.member(user["token"].as_str().unwrap());
    guest.get("/organizations/members").await.fails(403, "NOT_A_MEMBER");

    let body = json!({"email": email.replace("kofi", "Kofi").replace("example", "Example")});
    let answer = tenant.owner().post("/organizations/invite", body).await;

    let member = answer.data(201);
    assert_eq!(member["userId"], user["user"]["id"]);
    assert_eq!(member["email"], email.as_str());
    assert_eq!(member["role"], "VIEWER");
    let members = guest.get("/organizations/members").await;
    let members = members.data(200).as_array().unwrap();
    assert_eq!(members.len(), 2);
    assert!(members.contains(member), "{members:?} lack {member}");

    let raised = invite(&tenant, &email, "DEVELOPER").await;
    assert_eq!(raised["role"], "DEVELOPER");
    assert_eq!(raised["joinedAt"], member["joinedAt"]);
}

#[tokio::test]
async fn an_invitation_needs_a_registered_address_and_a_known_role() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let post = async |body: Value| tenant.owner().post("/organizations/invite", body).await;

    post(json!({"email": "nobody@example.com"})).await.fails(404, "USER_NOT_FOUND");
    let answer = post(json!({"email": "nobody", "role": "KING"})).await;
    let fields = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
    assert!(fields["email"].is_array() && fields["role"].is_array());
    let answer = post(json!({"role": "VIEWER"})).await;
    assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["email"].is_array());
}

#[tokio::test]
async fn only_an_owner_adds_and_removes_owners() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let (email, kofi) = (unique_email("admin"), unique_email("kofi"));
    let admin = world.user(&email).await;
    world.user(&kofi).await;
    invite(&tenant, &email, "TENANT_ADMIN").await;
    let admin = tenant.member(admin["token"].as_str().unwrap());
    let grant = |email: &str, role: &str| json!({"email": email, "role": role});

    let coup = admin.post("/organizations/invite", grant(&email, "TENANT_OWNER")).await;
    coup.fails(403, "FORBIDDEN");
    let coup = admin.post("/organizations/invite", grant(&tenant.email, "VIEWER")).await;
    coup.fails(403, "FORBIDDEN");
    let help = admin.post("/organizations/invite", grant(&kofi, "TENANT_ADMIN")).await;
    assert_eq!(help.data(201)["role"], "TENANT_ADMIN");

    assert_eq!(invite(&tenant, &kofi, "TENANT_OWNER").await["role"], "TENANT_OWNER");
}

#[tokio::test]
async fn the_last_owner_stays_owner() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let step_down = json!({"email": tenant.email, "role": "TENANT_ADMIN"});
    let answer = tenant.owner().post("/organizations/invite", step_down.clone()).await;
    answer.fails(409, "LAST_OWNER");

    let kofi = unique_email("kofi");
    world.user(&kofi).await;
    invite(&tenant, &kofi, "TENANT_OWNER").await;
    let answer = tenant.owner().post("/organizations/invite", step_down).await;
    assert_eq!(answer.data(201)["role"], "TENANT_ADMIN");
}

#[tokio::test]
async fn two_owners_stepping_down_at_once_leave_one() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let kofi = unique_email("kofi");
    let other = world.user(&kofi).await;
    invite(&tenant, &kofi, "TENANT_OWNER").await;
    let other = tenant.member(other["token"].as_str().unwrap());
    let owner = tenant.owner();
    let step_down = |email: &str| json!({"email": email, "role": "VIEWER"});

    let (one, two) = tokio::join!(
        owner.post("/organizations/invite", step_down(&tenant.email)),
        other.post("/organizations/invite", step_down(&kofi)),
    );

    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    let owners = format!(
        "SELECT count(*) FROM members WHERE organization_id = '{}' AND role = 'TENANT_OWNER'",
        tenant.id
    );
    assert_eq!(world.value(&owners).await, 1);
}
