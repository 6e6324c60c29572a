//! Deletion of templates.

use acceptance::{Answer, Tenant, World};
use reqwest::Method;
use serde_json::{Value, json};

async fn create(tenant: &Tenant<'_>, category: &str) -> Value {
    let template = json!({
        "name": "Order ready", "channel": "SMS", "body": "Your order is ready.",
        "category": category,
    });
    tenant.owner().post("/templates", template).await.data(201).clone()
}

fn path(template: &Value) -> String {
    format!("/templates/{}", template["id"].as_str().unwrap())
}

async fn delete(tenant: &Tenant<'_>, template: &Value) -> Answer {
    tenant.owner().call(Method::DELETE, &path(template), None).await
}

#[tokio::test]
async fn a_deleted_template_is_gone_and_its_messages_stay() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let template = create(&tenant, "TRANSACTIONAL").await;
    let message = json!({"channel": "SMS", "to": "0241234567", "templateId": template["id"]});
    let sent = tenant.owner().post("/messages/send", message.clone()).await.data(201).clone();
    delete(&other, &template).await.fails(404, "NOT_FOUND");

    let deleted = delete(&tenant, &template).await;

    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    delete(&tenant, &template).await.fails(404, "NOT_FOUND");
    let owner = tenant.owner();
    owner.get(&path(&template)).await.fails(404, "NOT_FOUND");
    let listed = owner.get("/templates").await;
    assert_eq!((listed.data(200), &listed.body["pagination"]["total"]), (&json!([]), &json!(0)));
    owner.post("/messages/send", message).await.fails(404, "TEMPLATE_NOT_FOUND");
    let kept = owner.get(&format!("/messages/{}", sent["id"].as_str().unwrap())).await;
    let kept = kept.data(200);
    assert_eq!(kept["body"], "Your order is ready.");
    assert_eq!(kept["templateId"], template["id"]);
    let lines = owner.get("/organizations/audit").await.data(200).clone();
    assert_eq!(lines[0]["action"], "template.deleted");
    assert_eq!(lines[0]["details"], json!({"name": "Order ready"}));
}

#[tokio::test]
async fn a_refused_deletion_names_the_events_and_unsent_campaigns() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let template = create(&tenant, "TRANSACTIONAL").await;
    let event = json!({"name": "Parcel", "slug": "parcel", "templateId": template["id"]});
    let event = owner.post("/events", event).await.data(201).clone();
    let campaign = json!({"name": "Sale", "channel": "SMS", "templateId": template["id"]});
    let campaign = owner.post("/campaigns", campaign).await.data(201).clone();

    let refused = delete(&tenant, &template).await;

    let details = refused.fails(409, "TEMPLATE_IN_USE");
    let named = json!({
        "events": [{"id": event["id"], "name": "Parcel"}],
        "campaigns": [{"id": campaign["id"], "name": "Sale"}],
    });
    assert_eq!(details, &named);
    owner.get(&path(&template)).await.data(200);

    let event = format!("/events/{}", event["id"].as_str().unwrap());
    owner.call(Method::DELETE, &event, None).await.data(200);
    delete(&tenant, &template).await.fails(409, "TEMPLATE_IN_USE");
    let campaign = format!("/campaigns/{}", campaign["id"].as_str().unwrap());
    assert_eq!(owner.call(Method::DELETE, &campaign, None).await.status, 204);
    assert_eq!(delete(&tenant, &template).await.status, 204);
}

#[tokio::test]
async fn an_approval_of_a_deleted_template_is_not_decided() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let template = create(&tenant, "INSURANCE").await;
    let waiting = async || {
        let all = admin.get("/admin/approvals").await.data(200).as_array().unwrap().clone();
        let own = all.iter().find(|it| it["resourceId"] == template["id"]);
        own.map(|approval| approval["id"].as_str().unwrap().to_owned())
    };
    let id = waiting().await.unwrap();

    assert_eq!(delete(&tenant, &template).await.status, 204);

    assert_eq!(waiting().await, None);
    let decided = admin.post(&format!("/admin/approvals/{id}/approve"), json!({})).await;
    decided.fails(409, "CONTENT_CHANGED");
    let own = tenant.owner().get("/approvals").await;
    assert_eq!(own.data(200)[0]["status"], "WITHDRAWN");
    let summary = tenant.owner().get("/compliance/summary").await;
    assert_eq!(summary.data(200)["pendingApprovals"], 0);
}
