//! Events about resources: published once, with the resource as the API shows it.

use acceptance::{Caller, Tenant, World, until_some};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    money::gateway::{press, top_up, with_gateway},
    webhooks::webhook_endpoints::{NOWHERE, endpoint, path},
};

/// Creates an endpoint that gets all events from now on.
async fn subscriber(tenant: &Tenant<'_>, body: Value) -> Value {
    let made = endpoint(tenant, body).await;
    let begin = "UPDATE webhook_endpoints SET begins_at = created_at - interval '1 minute'";
    tenant.world.sql(&format!("{begin} WHERE organization_id = '{}'", tenant.id)).await;
    made
}

/// Waits for the first delivery of an event, and returns the data of all.
async fn published(tenant: &Tenant<'_>, endpoint: &Value, event: &str) -> Vec<Value> {
    let list = path(endpoint, &format!("/deliveries?event={event}"));
    until_some(&format!("{event} is published"), async || {
        let answer = tenant.owner().get(&list).await;
        let found = answer.data(200).as_array().unwrap();
        let data: Vec<_> = found.iter().map(|it| it["body"]["data"].clone()).collect();
        if data.is_empty() { Err(answer.text) } else { Ok(data) }
    })
    .await
}

async fn decide(admin: &Caller, tenant: &Tenant<'_>, name: &str, decision: &str) -> Value {
    let body = json!({
        "name": name, "channel": "SMS", "category": "INSURANCE", "body": "Your premium is due.",
    });
    let made = tenant.owner().post("/templates", body).await.data(201).clone();
    let waiting = admin.get("/admin/approvals").await;
    let approvals = waiting.data(200).as_array().unwrap().clone();
    let approval = approvals.iter().find(|it| it["resourceId"] == made["id"]).unwrap();
    let decide = format!("/admin/approvals/{}/{decision}", approval["id"].as_str().unwrap());
    admin.post(&decide, json!({"comment": "Name the insurer."})).await.data(200);
    let path = format!("/templates/{}", made["id"].as_str().unwrap());
    let mut shown = tenant.owner().get(&path).await.data(200).clone();
    shown.as_object_mut().unwrap().remove("versions").unwrap();
    shown
}

#[tokio::test]
async fn a_decision_on_a_template_is_published_with_the_template() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let silent = world.tenant().await;
    let made = subscriber(&tenant, json!({"url": NOWHERE})).await;

    let approved = decide(&admin, &tenant, "Due", "approve").await;
    let rejected = decide(&admin, &tenant, "Overdue", "reject").await;
    decide(&admin, &silent, "Due", "approve").await;

    assert_eq!(published(&tenant, &made, "template.approved").await, [approved]);
    assert_eq!(published(&tenant, &made, "template.rejected").await, [rejected]);
    assert_eq!(silent.count("outbound_events").await, 0, "nobody listens");
}

#[tokio::test]
async fn a_completed_import_is_published_with_its_counts() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let body = json!({"url": NOWHERE, "events": ["import.completed"]});
    let made = subscriber(&tenant, body).await;

    let accepted = tenant.owner().upload("/contacts/import", "phone\n0241234567\nx\n").await;

    let data = published(&tenant, &made, "import.completed").await;
    let id = accepted.data(201)["id"].as_str().unwrap();
    let import = tenant.owner().get(&format!("/contacts/imports/{id}")).await;
    let mut shown = import.data(200).clone();
    shown.as_object_mut().unwrap().remove("errors").unwrap();
    shown["kind"] = json!("CONTACTS");
    assert_eq!(data, [shown]);
}

#[tokio::test]
async fn a_campaign_publishes_its_start_before_its_end() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = subscriber(&tenant, json!({"url": NOWHERE})).await;
    tenant.owner().post("/contacts", json!({"phone": "0241234567"})).await.data(201);
    let campaign = json!({
        "name": "Sale", "channel": "SMS", "body": "Sale on Saturday. Reply STOP to opt out",
    });
    let campaign = tenant.owner().post("/campaigns", campaign).await.data(201).clone();
    let send = format!("/campaigns/{}/send", campaign["id"].as_str().unwrap());
    tenant.owner().call(Method::POST, &send, None).await.data(200);

    let ends = published(&tenant, &made, "campaign.completed").await;
    let starts = published(&tenant, &made, "campaign.started").await;

    assert_eq!((starts.len(), ends.len()), (1, 1));
    let (start, end) = (&starts[0], &ends[0]);
    assert_eq!((&start["id"], &start["status"]), (&campaign["id"], &json!("SENDING")));
    assert_eq!((&start["audience"], &start["completedAt"]), (&json!(1), &Value::Null));
    assert_eq!(start["startedAt"], end["startedAt"]);
    let (start, end) = (start.as_object().unwrap(), end.as_object().unwrap());
    assert!(start.keys().eq(end.keys()));
}

#[tokio::test]
async fn a_credited_top_up_is_published_once() {
    let world = with_gateway().await;
    let tenant = world.tenant().await;
    let made = subscriber(&tenant, json!({"url": NOWHERE, "events": ["top_up.completed"]})).await;
    let begun = top_up(&tenant.owner(), 50.25).await;

    for _ in 0..2 {
        press(&world, &begun, "pay").await;
    }

    let listed = tenant.owner().get("/billing/top-ups").await.data(200).clone();
    let published = published(&tenant, &made, "top_up.completed").await;
    assert_eq!(json!(published), listed);
    assert_eq!((&listed[0]["status"], &listed[0]["amount"]), (&json!("CREDITED"), &json!(50.25)));
}
