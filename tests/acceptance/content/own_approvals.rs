//! Approvals, as the organizations see them that requested them.

use acceptance::{Caller, Tenant, World};
use reqwest::Method;
use serde_json::{Value, json};

async fn create(tenant: &Tenant<'_>, name: &str) -> Value {
    let template = json!({
        "name": name, "channel": "SMS", "category": "INSURANCE", "body": "Your premium is due.",
    });
    tenant.owner().post("/templates", template).await.data(201).clone()
}

async fn decide(admin: &Caller, template: &Value, decision: &str, comment: Value) {
    let waiting = admin.get("/admin/approvals").await.data(200).clone();
    let waiting = waiting.as_array().unwrap();
    let approval = waiting.iter().find(|it| it["resourceId"] == template["id"]).unwrap();
    let path = format!("/admin/approvals/{}/{decision}", approval["id"].as_str().unwrap());
    admin.post(&path, comment).await.data(200);
}

async fn names(tenant: &Tenant<'_>, query: &str) -> Vec<String> {
    let listed = tenant.owner().get(&format!("/approvals{query}")).await;
    let listed = listed.data(200).as_array().unwrap().clone();
    listed.iter().map(|approval| approval["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_organization_sees_the_decisions_about_its_contents() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let other = world.tenant().await;
    let rejected = create(&tenant, "Rejected").await;
    let approved = create(&tenant, "Approved").await;
    let edited = create(&tenant, "Edited").await;
    create(&other, "Foreign").await;
    decide(&admin, &rejected, "reject", json!({"comment": "Say which policy."})).await;
    decide(&admin, &approved, "approve", json!({})).await;
    let change = Some(json!({"body": "Your premium is due today."}));
    let path = format!("/templates/{}", edited["id"].as_str().unwrap());
    tenant.owner().call(Method::PATCH, &path, change).await.data(200);

    assert_eq!(names(&tenant, "").await, ["Edited", "Edited", "Approved", "Rejected"]);
    for (status, expected) in [
        ("PENDING", "Edited"),
        ("WITHDRAWN", "Edited"),
        ("APPROVED", "Approved"),
        ("REJECTED", "Rejected"),
    ] {
        assert_eq!(names(&tenant, &format!("?status={status}")).await, [expected], "{status}");
    }
    let query = format!("?templateId={}", rejected["id"].as_str().unwrap());
    let listed = tenant.owner().get(&format!("/approvals{query}")).await;
    let line = &listed.data(200)[0];
    assert_eq!(
        line,
        &json!({
            "id": line["id"], "type": "TEMPLATE", "resourceId": rejected["id"], "name": "Rejected",
            "status": "REJECTED", "riskScore": rejected["riskScore"],
            "comment": "Say which policy.", "createdAt": line["createdAt"],
            "reviewedAt": line["reviewedAt"],
        })
    );
    assert!(line["reviewedAt"].is_string() && line["createdAt"].is_string(), "{line}");
    assert_eq!(names(&other, "").await, ["Foreign"]);
    assert!(names(&other, &query).await.is_empty());
    let campaign = format!("{query}&campaignId={}", rejected["id"].as_str().unwrap());
    assert!(names(&tenant, &campaign).await.is_empty(), "filters compose");
    tenant.owner().get("/approvals?status=DONE").await.fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn approvals_are_read_part_by_part() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for name in ["First", "Second", "Third"] {
        create(&tenant, name).await;
    }
    let mut seen = Vec::new();
    let mut cursor = Some(String::new());
    while let Some(after) = cursor {
        let part = tenant.owner().get(&format!("/approvals?limit=2&after={after}")).await;
        let lines = part.data(200).as_array().unwrap();
        seen.extend(lines.iter().map(|line| line["name"].as_str().unwrap().to_owned()));
        cursor = part.body["pagination"]["nextCursor"].as_str().map(str::to_owned);
    }
    assert_eq!(seen, ["Third", "Second", "First"]);
}

#[tokio::test]
async fn a_campaign_that_waits_for_approval_is_listed() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let scam = "You won GHS 5,000! Send your MoMo PIN to claim it.";
    let campaign = json!({"name": "Sale", "channel": "SMS", "body": scam});
    let campaign = tenant.owner().post("/campaigns", campaign).await.data(201).clone();
    let id = campaign["id"].as_str().unwrap();
    let send = format!("/campaigns/{id}/send");
    let sent = tenant.owner().call(Method::POST, &send, None).await;
    sent.fails(409, "APPROVAL_REQUIRED");

    let listed = tenant.owner().get(&format!("/approvals?campaignId={id}")).await;

    let line = &listed.data(200)[0];
    assert_eq!((&line["type"], &line["name"]), (&json!("CAMPAIGN"), &json!("Sale")));
    assert_eq!((&line["status"], &line["reviewedAt"]), (&json!("PENDING"), &Value::Null));
}
