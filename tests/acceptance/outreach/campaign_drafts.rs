//! Campaigns that are moved, copied and deleted.

use acceptance::World;
use reqwest::Method;
use serde_json::{Value, json};

use crate::outreach::campaigns::{act, create, edit, path, sale_with, status};

const AHEAD: &str = "2999-01-01T09:00:00.000Z";
const LATER: &str = "2999-02-01T09:00:00.000Z";

#[tokio::test]
async fn only_the_time_of_a_scheduled_campaign_can_be_changed() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let campaign = create(&tenant, sale_with(json!({"scheduledAt": AHEAD}))).await;
    act(&tenant, &campaign, "send").await.data(200);

    let moved = edit(&tenant, &campaign, json!({"scheduledAt": LATER})).await.data(200).clone();

    assert_eq!((&moved["scheduledAt"], &moved["status"]), (&json!(LATER), &json!("SCHEDULED")));
    for changes in [json!({"scheduledAt": AHEAD, "name": "x"}), json!({"name": "x"}), json!({})] {
        let refused = edit(&tenant, &campaign, changes).await;
        assert_eq!(refused.fails(409, "INVALID_CAMPAIGN_STATUS")["status"], "SCHEDULED");
    }
    let cleared = edit(&tenant, &campaign, json!({"scheduledAt": null})).await;
    let details = cleared.fails(400, "VALIDATION_ERROR");
    let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["scheduledAt"]);
    let shown = tenant.owner().get(&path(&campaign, "")).await.data(200).clone();
    assert_eq!((&shown["scheduledAt"], &shown["name"]), (&json!(LATER), &json!("Sale")));
}

#[tokio::test]
async fn a_campaign_that_is_moved_to_the_past_starts() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let campaign = create(&tenant, sale_with(json!({"scheduledAt": AHEAD}))).await;
    act(&tenant, &campaign, "send").await.data(200);

    edit(&tenant, &campaign, json!({"scheduledAt": "2020-01-01T00:00:00Z"})).await.data(200);

    acceptance::until("the campaign has started", async || {
        status(&tenant, &campaign).await != "SCHEDULED"
    })
    .await;
    let late = edit(&tenant, &campaign, json!({"scheduledAt": AHEAD})).await;
    late.fails(409, "INVALID_CAMPAIGN_STATUS");
}

#[tokio::test]
async fn only_a_draft_is_deleted() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let draft = create(&tenant, sale_with(json!({}))).await;
    let scheduled = create(&tenant, sale_with(json!({"scheduledAt": AHEAD}))).await;
    act(&tenant, &scheduled, "send").await.data(200);
    let delete = async |owner: &acceptance::Caller, campaign: &Value| {
        owner.call(Method::DELETE, &path(campaign, ""), None).await
    };

    delete(&other.owner(), &draft).await.fails(404, "NOT_FOUND");
    assert_eq!(delete(&tenant.owner(), &draft).await.status, 204);

    delete(&tenant.owner(), &draft).await.fails(404, "NOT_FOUND");
    let refused = delete(&tenant.owner(), &scheduled).await;
    assert_eq!(refused.fails(409, "INVALID_CAMPAIGN_STATUS")["status"], "SCHEDULED");
    let listed = tenant.owner().get("/campaigns").await;
    assert_eq!(listed.data(200).as_array().unwrap().len(), 1);
    assert_eq!(listed.body["pagination"]["total"], 1);
}

#[tokio::test]
async fn a_copy_has_the_content_and_the_segment_and_no_time() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    let segment = json!({"name": "All", "rules": {}});
    let segment = owner.post("/segments", segment).await.data(201).clone();
    let fields = json!({
        "segmentId": segment["id"], "scheduledAt": AHEAD, "metadata": {"sale": "makola"},
    });
    let first = create(&tenant, sale_with(fields)).await;
    act(&tenant, &first, "cancel").await.data(200);

    let keyed = owner.with("Idempotency-Key", "copy-1");
    let copy = keyed.post(&path(&first, "duplicate"), json!({})).await.data(201).clone();
    let again = keyed.post(&path(&first, "duplicate"), json!({})).await.data(201).clone();

    assert_eq!(again, copy);
    assert_ne!(copy["id"], first["id"]);
    let mut expected = first.clone();
    expected["name"] = json!("Sale (copy)");
    for field in ["id", "status", "scheduledAt", "createdAt"] {
        expected[field] = copy[field].clone();
    }
    assert_eq!(copy, expected);
    assert_eq!((&copy["status"], &copy["scheduledAt"]), (&json!("DRAFT"), &Value::Null));
    let segment = format!("/segments/{}", segment["id"].as_str().unwrap());
    owner.call(Method::DELETE, &segment, None).await.fails(409, "SEGMENT_IN_USE");
    owner.call(Method::DELETE, &path(&copy, ""), None).await;
    owner.call(Method::DELETE, &segment, None).await.data(200);
    act(&tenant, &first, "duplicate").await.fails(404, "SEGMENT_NOT_FOUND");
}
