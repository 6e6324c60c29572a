//! Long texts: lists show the beginning, and single items show all.

use acceptance::{Caller, World};
use serde_json::{Value, json};

use crate::webhooks::{
    recorded_delivery::{FAILED, record},
    webhook_endpoints::{NOWHERE, endpoint, path},
};

/// Returns a text that is longer than lists show.
fn long() -> String {
    "ɛdan ".repeat(2_001).trim_end().to_owned()
}

fn beginning() -> String {
    long().chars().take(10_000).collect()
}

/// Creates an item, whose answer has the whole text.
async fn made(caller: &Caller, address: &str, request: Value) -> Value {
    let made = caller.post(address, request).await.data(201).clone();
    assert_whole(&made);
    made
}

/// Returns the item with the identifier of `made`.
async fn found(caller: &Caller, address: &str, made: &Value) -> Value {
    let path = format!("{address}/{}", made["id"].as_str().unwrap());
    caller.get(&path).await.data(200).clone()
}

/// Returns the newest item of a list.
async fn newest(caller: &Caller, address: &str) -> Value {
    caller.get(address).await.data(200)[0].clone()
}

/// Returns the templates that are shown with an event.
fn linked(event: &Value) -> [&Value; 2] {
    [&event["template"], &event["linkedTemplates"]["EMAIL"]]
}

#[track_caller]
fn assert_whole(item: &Value) {
    assert_eq!((&item["body"], &item["bodyTruncated"]), (&json!(long()), &json!(false)));
}

#[track_caller]
fn assert_cut(item: &Value) {
    assert_eq!((&item["body"], &item["bodyTruncated"]), (&json!(beginning()), &json!(true)));
}

#[tokio::test]
async fn template_event_and_approval_lists_shorten_a_long_text() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let owner = tenant.owner();
    let template = json!({
        "name": "House", "channel": "EMAIL", "category": "INSURANCE", "subject": "House",
        "body": long(),
    });
    let template = made(&owner, "/templates", template).await;
    assert_cut(&newest(&owner, "/templates").await);
    assert_whole(&found(&owner, "/templates", &template).await);

    let event = json!({
        "name": "House", "slug": "house", "templateId": template["id"],
        "channelPriority": ["EMAIL"], "templates": {"EMAIL": template["id"]},
    });
    let event = owner.post("/events", event).await.data(201).clone();
    linked(&event).into_iter().for_each(assert_whole);
    linked(&newest(&owner, "/events").await).into_iter().for_each(assert_cut);
    linked(&found(&owner, "/events", &event).await).into_iter().for_each(assert_whole);

    let waiting = admin.get("/admin/approvals").await.data(200).clone();
    let mut waiting = waiting.as_array().unwrap().iter();
    let approval = waiting.find(|it| it["organizationId"] == tenant.id.as_str()).unwrap();
    assert_cut(&approval["content"]);
    assert_whole(&found(&admin, "/admin/approvals", approval).await["content"]);

    let body = format!("{}ɛdan.", "ɛdan ".repeat(1_999));
    let exact = json!({"name": "Hut", "channel": "EMAIL", "body": body});
    let exact = owner.post("/templates", exact).await.data(201).clone();
    assert_eq!(newest(&owner, "/templates").await, exact, "nothing is cut of it");
}

#[tokio::test]
async fn a_campaign_list_shortens_a_long_text() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    let campaign = json!({"name": "House", "channel": "EMAIL", "subject": "House", "body": long()});

    let campaign = made(&owner, "/campaigns", campaign).await;

    assert_cut(&newest(&owner, "/campaigns").await);
    assert_whole(&found(&owner, "/campaigns", &campaign).await);
}

#[tokio::test]
async fn message_lists_and_exports_shorten_a_long_text() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let (owner, key) = (tenant.owner(), tenant.api_key(json!({"name": "test"})).await);
    let message =
        json!({"channel": "EMAIL", "to": "a@b.example", "subject": "House", "body": long()});

    let message = made(&key, "/messages/send", message).await;

    assert_whole(&found(&owner, "/messages", &message).await);
    assert_cut(&newest(&owner, "/delivery-logs").await);
    let export = owner.get("/delivery-logs/export").await;
    let (header, row) = export.text.trim_end().split_once("\r\n").unwrap();
    let after = header.rsplit(',').position(|column| column == "bodyTruncated").unwrap();
    assert_eq!(row.rsplit(',').nth(after), Some("true"), "{row}");
    assert!(row.contains(&format!(",{},", beginning())), "{row}");

    let failed = "status = 'FAILED', failed_at = now(), error_code = 'EXPIRED'";
    let id = &tenant.id;
    world.sql(&format!("UPDATE delivery_logs SET {failed} WHERE organization_id = '{id}'")).await;
    assert_cut(&newest(&owner, "/analytics/failures").await);
}

#[tokio::test]
async fn a_webhook_delivery_list_shortens_a_long_text() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = endpoint(&tenant, json!({"url": NOWHERE})).await;
    record(&world, &tenant, &made, "campaign.completed", FAILED).await;
    let (id, text) = (&tenant.id, long());
    let data = json!({"name": "House", "body": text, "bodyTruncated": false});
    world
        .sql(&format!("UPDATE outbound_events SET data = '{data}' WHERE organization_id = '{id}'"))
        .await;

    let delivery = newest(&tenant.owner(), &path(&made, "/deliveries")).await;

    let data = &delivery["body"]["data"];
    assert_cut(data);
    assert_eq!(data["name"], "House");
}
