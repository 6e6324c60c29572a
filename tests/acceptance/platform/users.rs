//! Users, as platform administrators see and change them.

use acceptance::{Caller, World, unique_email};
use reqwest::Method;
use serde_json::{Value, json};

const PLATFORM: &str = "00000000-0000-7000-8000-000000000000";
const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";

async fn patch(admin: &Caller, user: &Value, changes: Value) -> acceptance::Answer {
    let path = format!("/admin/users/{}", user["id"].as_str().unwrap());
    admin.call(Method::PATCH, &path, Some(changes)).await
}

fn signed_in(world: &World, user: &Value) -> Caller {
    let token = user["token"].as_str().unwrap();
    world.guest().with("Authorization", &format!("Bearer {token}"))
}

#[tokio::test]
async fn administrators_find_and_change_users() {
    let world = World::shared().await;
    let admin = world.administrator().await;
    let email = unique_email("kofi");
    let registered = world.user(&email).await;
    let user = signed_in(&world, &registered);
    let search = format!("/admin/users?search={}", email.to_uppercase());

    let found = admin.get(&search).await;
    let [shown] = found.data(200).as_array().unwrap().as_slice() else { panic!("{}", found.text) };
    assert_eq!(
        shown,
        &json!({
            "id": registered["user"]["id"], "email": email, "emailVerified": false,
            "firstName": registered["user"]["firstName"],
            "lastName": registered["user"]["lastName"], "platformRole": null,
            "secondFactor": false, "createdAt": shown["createdAt"],
        })
    );
    assert_eq!(found.body["pagination"]["total"], 1);
    admin.get("/admin/users?search=%20&limit=101").await.fails(400, "VALIDATION_ERROR");

    user.get("/admin/users").await.fails(403, "FORBIDDEN");
    let role = json!({"platformRole": "PLATFORM_SUPER_ADMIN", "emailVerified": true});
    let promoted = patch(&admin, shown, role).await;
    let mut expected = shown.clone();
    expected["platformRole"] = json!("PLATFORM_SUPER_ADMIN");
    expected["emailVerified"] = json!(true);
    assert_eq!(promoted.data(200), &expected);
    user.get(&search).await.data(200);
    let demoted = patch(&admin, shown, json!({"platformRole": null})).await;
    assert_eq!(demoted.data(200)["platformRole"], Value::Null);
    user.get("/admin/users").await.fails(403, "FORBIDDEN");
    assert_eq!(patch(&admin, shown, json!({})).await.data(200)["emailVerified"], true);

    let audit = format!("/admin/audit?organization={PLATFORM}&action=user.updated");
    let lines = admin.get(&audit).await.data(200).clone();
    let own = lines.as_array().unwrap().iter().filter(|it| it["resourceId"] == shown["id"]);
    assert_eq!(own.count(), 2);
}

#[tokio::test]
async fn wrong_changes_of_users_are_reported_by_field() {
    let world = World::shared().await;
    let admin = world.administrator().await;
    let user = world.user(&unique_email("esi")).await["user"].clone();
    for (changes, fields) in [
        (
            json!({"platformRole": "OWNER", "emailVerified": "yes"}),
            ["emailVerified", "platformRole"],
        ),
        (json!({"emailVerified": 1, "role": null}), ["emailVerified", "role"]),
    ] {
        let refused = patch(&admin, &user, changes).await;
        let details = refused.fails(400, "VALIDATION_ERROR");
        let found = details["fieldErrors"].as_object().unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), fields, "{}", refused.text);
    }
    for id in [UNKNOWN, "1"] {
        let missing = json!({"id": id});
        patch(&admin, &missing, json!({"emailVerified": true})).await.fails(404, "NOT_FOUND");
        for action in ["end-sessions", "reset-totp"] {
            let path = format!("/admin/users/{id}/{action}");
            admin.call(Method::POST, &path, None).await.fails(404, "NOT_FOUND");
        }
    }
}

#[tokio::test]
async fn ended_sessions_are_over_at_once() {
    let world = World::shared().await;
    let admin = world.administrator().await;
    let registered = world.user(&unique_email("yaw")).await;
    let user = signed_in(&world, &registered);
    user.get("/auth/me").await.data(200);

    let id = registered["user"]["id"].as_str().unwrap();
    let end = format!("/admin/users/{id}/end-sessions");
    let ended = admin.call(Method::POST, &end, None).await;

    assert_eq!(ended.data(200)["id"], id);
    user.get("/auth/me").await.fails(401, "UNAUTHORIZED");
    let reset = format!("/admin/users/{id}/reset-totp");
    let unchanged = admin.call(Method::POST, &reset, None).await;
    assert_eq!(unchanged.data(200)["secondFactor"], false);
}

#[tokio::test]
async fn the_last_administrator_keeps_the_role() {
    let world = World::start().await;
    let admin = world.administrator().await;
    let me = admin.get("/auth/me").await.data(200).clone();
    let resign = json!({"platformRole": null});

    patch(&admin, &me, resign.clone()).await.fails(409, "LAST_ADMIN");
    admin.get("/admin/users").await.data(200);

    let other = world.administrator().await;
    patch(&admin, &me, resign.clone()).await.data(200);
    admin.get("/admin/users").await.fails(403, "FORBIDDEN");
    let them = other.get("/auth/me").await.data(200).clone();
    patch(&other, &them, resign).await.fails(409, "LAST_ADMIN");
}
