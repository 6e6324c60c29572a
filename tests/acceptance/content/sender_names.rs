//! Sender names: their owners, their approval and their use.

use acceptance::{Answer, Caller, Tenant, World, until};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    providers::vendor::{Installation, Vendor, provider},
    shared::settings::APPROVED_SENDERS,
};

const LIST: &str = "/sender-names";
const UNKNOWN: &str = "/sender-names/01a1fe23-0000-7000-8000-00000000000f";

async fn ask(tenant: &Tenant<'_>, name: &str) -> Answer {
    tenant.owner().post(LIST, json!({"name": name, "channel": "SMS"})).await
}

/// Decides about a requested name.
async fn decide(admin: &Caller, name: &Value, decision: &str) {
    let waiting = admin.get("/admin/approvals").await.data(200).clone();
    let mut waiting = waiting.as_array().unwrap().iter();
    let approval = waiting.find(|approval| approval["resourceId"] == name["id"]).unwrap();
    let path = format!("/admin/approvals/{}/{decision}", approval["id"].as_str().unwrap());
    admin.post(&path, json!({})).await.data(200);
}

async fn delete(tenant: &Tenant<'_>, name: &Value) -> Answer {
    let path = format!("{LIST}/{}", name["id"].as_str().unwrap());
    tenant.owner().call(Method::DELETE, &path, None).await
}

async fn status(tenant: &Tenant<'_>, name: &Value) -> Option<Value> {
    let list = tenant.owner().get(LIST).await.data(200).clone();
    let mut list = list.as_array().unwrap().iter();
    list.find(|known| known["id"] == name["id"]).map(|name| name["status"].clone())
}

/// Sends two messages, the second under that sender.
async fn send(tenant: &Tenant<'_>, sender: &str) -> Answer {
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let mut bulk = json!({"messages": [message, message]});
    bulk["messages"][1]["senderId"] = json!(sender);
    tenant.owner().post("/messages/bulk", bulk).await
}

fn refuses_sender(answer: &Answer) {
    answer.fails(400, "VALIDATION_ERROR");
    let faults = &answer.body["error"]["details"]["fieldErrors"];
    let expected = json!(["must be one of your approved sender names for SMS to GH"]);
    assert_eq!(faults, &json!({"messages.1.senderId": expected}), "{}", answer.text);
}

/// Waits until messages under that sender are accepted.
async fn usable(tenant: &Tenant<'_>, sender: &str) {
    until("the sender may be used", async || send(tenant, sender).await.status == 201).await;
}

/// Waits until messages under that sender are rejected.
async fn refused(tenant: &Tenant<'_>, sender: &str) {
    until("the sender is refused", async || send(tenant, sender).await.status == 400).await;
    refuses_sender(&send(tenant, sender).await);
}

#[tokio::test]
async fn rejects_a_sender_of_another_organization_or_the_operator() {
    let vendor = Vendor::start().await;
    let url = vendor.url();
    let declared = [provider("first", "africas-talking", &url, 1)];
    let service = Installation::start_with(&declared, APPROVED_SENDERS).await;
    let world = &service.world;
    let admin = world.administrator().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let name = ask(&own, "KenteBank").await.data(201).clone();

    refuses_sender(&send(&own, "KenteBank").await);
    decide(&admin, &name, "approve").await;

    usable(&own, "kentebank").await;
    let form = vendor.last_body();
    assert!(form.contains("from=KenteBank"), "as it was approved: {form}");
    for tenant in [&own, &other] {
        // The sender that the operator declared.
        refuses_sender(&send(tenant, "+233302000000").await);
    }
    refuses_sender(&send(&other, "KenteBank").await);
    ask(&other, "KENTEBANK").await.fails(409, "SENDER_NAME_TAKEN");
    let key = other.api_key(json!({"name": "sandbox"})).await;
    let message =
        json!({"channel": "SMS", "to": "0241234567", "body": "Hi", "senderId": "KenteBank"});
    key.post("/messages/send", message).await.fails(400, "VALIDATION_ERROR");
    other.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_rejected_or_deleted_name_becomes_available_again() {
    let world = World::shared_with(APPROVED_SENDERS).await;
    let admin = world.administrator().await;
    let (own, other) = (world.tenant().await, world.tenant().await);

    let first = ask(&own, " Kente ").await.data(201).clone();
    assert_eq!(
        first,
        json!({
            "id": first["id"], "name": "Kente", "channel": "SMS", "countryCode": "GH",
            "status": "PENDING_APPROVAL", "createdAt": first["createdAt"],
        })
    );
    assert_eq!(ask(&own, "KENTE").await.data(201), &first, "it was asked for already");
    ask(&other, "kente").await.fails(409, "SENDER_NAME_TAKEN");

    decide(&admin, &first, "reject").await;
    assert_eq!(status(&own, &first).await, Some(json!("REJECTED")));
    // A claim is not taken over within a minute.
    ask(&other, "kente").await.fails(409, "SENDER_NAME_TAKEN");
    let pass = "UPDATE sender_name_claims SET claimed_at = now() - interval '61 seconds'";
    world.sql(&format!("{pass} WHERE organization_id = '{}'", own.id)).await;
    let second = ask(&other, "kente").await.data(201).clone();
    ask(&own, "Kente").await.fails(409, "SENDER_NAME_TAKEN");
    decide(&admin, &second, "approve").await;
    usable(&other, "kente").await;

    assert_eq!(delete(&own, &second).await.status, 404);
    assert_eq!(delete(&other, &second).await.status, 200);
    assert_eq!(delete(&other, &second).await.status, 404);
    assert_eq!(status(&other, &second).await, None);
    refused(&other, "kente").await;
    let third = ask(&own, "Kente").await.data(201).clone();
    assert_eq!(delete(&own, &third).await.status, 200);
    let waiting = admin.get("/admin/approvals").await.data(200).as_array().unwrap().clone();
    let is_third = |it: &Value| it["resourceId"] == third["id"];
    assert!(!waiting.iter().any(is_third), "nobody decides about what was deleted");
}

#[tokio::test]
async fn an_approval_warns_of_a_look_alike_name() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let name = ask(&tenant, "MTN0").await.data(201).clone();

    let waiting = admin.get("/admin/approvals").await.data(200).as_array().unwrap().clone();
    let waiting = waiting.iter().find(|it| it["organizationId"] == tenant.id).unwrap();

    assert_eq!((&waiting["type"], &waiting["resourceId"]), (&json!("SENDER_NAME"), &name["id"]));
    assert_eq!((&waiting["name"], &waiting["riskScore"]), (&json!("MTN0"), &json!(80)));
    assert_eq!(waiting["issues"][0]["code"], "LOOK_ALIKE_SENDER");
    assert_eq!(waiting["content"]["body"], "MTN0 (SMS to GH)");
}

#[tokio::test]
async fn an_installation_may_allow_any_sender() {
    let world = World::shared().await;
    let tenant = world.tenant().await;

    assert_eq!(send(&tenant, "Anybody").await.status, 201);
    assert_eq!(ask(&tenant, "Anybody").await.status, 201);
}

#[tokio::test]
async fn names_are_listed_by_status_to_their_organization_only() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let mut names = Vec::new();
    for name in ["Kente One", "Kente Two", "1234"] {
        names.insert(0, ask(&own, name).await.data(201).clone());
    }
    for (query, expected, total) in [
        ("", &names[..], 3),
        ("?limit=2", &names[..2], 3),
        ("?limit=2&page=2", &names[2..], 3),
        ("?status=PENDING_APPROVAL", &names[..], 3),
        ("?status=APPROVED", &[], 0),
    ] {
        let answer = own.owner().get(&format!("{LIST}{query}")).await;
        assert_eq!(answer.data(200), &json!(expected), "{query}");
        assert_eq!(answer.body["pagination"]["total"], total, "{query}");
    }
    assert_eq!(other.owner().get(LIST).await.data(200), &json!([]));
    assert_eq!(delete(&other, &names[0]).await.status, 404);
}

#[tokio::test]
async fn an_invalid_sender_of_a_channel_is_a_field_error() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (request, field) in [
        (json!({"channel": "SMS"}), "name"),
        (json!({"name": "Kente"}), "channel"),
        (json!({"name": "TwelveLetter", "channel": "SMS"}), "name"),
        (json!({"name": "Kente", "channel": "VOICE"}), "name"),
        (json!({"name": "Kente", "channel": "EMAIL"}), "channel"),
        (json!({"name": "Kente", "channel": "SMS", "countryCode": "XX"}), "countryCode"),
        (json!({"name": "Kente", "channel": "SMS", "status": "APPROVED"}), "status"),
    ] {
        let answer = tenant.owner().post(LIST, request.clone()).await;
        answer.fails(400, "VALIDATION_ERROR");
        let faults = &answer.body["error"]["details"]["fieldErrors"];
        assert!(faults[field].is_array(), "{request}: {faults}");
    }
    tenant.owner().get(&format!("{LIST}?status=OPEN")).await.fails(400, "VALIDATION_ERROR");
    for path in [UNKNOWN, "/sender-names/1"] {
        tenant.owner().call(Method::DELETE, path, None).await.fails(404, "NOT_FOUND");
    }
}
