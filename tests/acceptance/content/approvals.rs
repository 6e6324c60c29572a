//! Approval and rejection by platform administrators.

use acceptance::{Caller, Tenant, World, unique_email};
use reqwest::Method;
use serde_json::{Value, json};

use crate::providers::mail_server::MailServer;

const LIST: &str = "/admin/approvals";
const SCAM: &str = "You won GHS 5,000! Send your MoMo PIN to claim it.";

async fn create(tenant: &Tenant<'_>, body: &str) -> Value {
    let template = json!({
        "name": "Premium due", "channel": "EMAIL", "category": "INSURANCE",
        "subject": "Your policy", "body": body,
    });
    tenant.owner().post("/templates", template).await.data(201).clone()
}

async fn edit(caller: &Caller, template: &Value, changes: Value) -> Value {
    let path = format!("/templates/{}", template["id"].as_str().unwrap());
    caller.call(Method::PATCH, &path, Some(changes)).await.data(200).clone()
}

/// Returns the pending approvals of an organization, as administrators see them.
async fn waiting(admin: &Caller, tenant: &Tenant<'_>) -> Vec<Value> {
    let answer = admin.get(LIST).await;
    let all = answer.data(200).as_array().unwrap();
    all.iter().filter(|approval| approval["organizationId"] == tenant.id).cloned().collect()
}

fn path(approval: &Value, decision: &str) -> String {
    let path = format!("{LIST}/{}", approval["id"].as_str().unwrap());
    if decision.is_empty() { path } else { format!("{path}/{decision}") }
}

async fn status(tenant: &Tenant<'_>, template: &Value) -> Value {
    let path = format!("/templates/{}", template["id"].as_str().unwrap());
    let shown = tenant.owner().get(&path).await.data(200).clone();
    json!([shown["status"], shown["comment"], shown["versions"][0]["status"]])
}

async fn send(tenant: &Tenant<'_>, template: &Value) -> acceptance::Answer {
    let message =
        json!({"channel": "EMAIL", "to": "ama@example.com", "templateId": template["id"]});
    tenant.owner().post("/messages/send", message).await
}

#[tokio::test]
async fn a_pending_approval_shows_text_score_and_findings() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let template = create(&tenant, SCAM).await;

    let waiting = waiting(&admin, &tenant).await;

    assert_eq!(
        waiting,
        [json!({
            "id": waiting[0]["id"], "type": "TEMPLATE",
            "content": {
                "subject": "Your policy", "body": SCAM, "bodyTruncated": false,
                "vendorTemplate": null, "longVariables": false,
            },
            "resourceId": template["id"],
            "name": "Premium due", "organizationId": tenant.id, "riskScore": template["riskScore"],
            "issues": template["issues"], "requestedBy": waiting[0]["requestedBy"],
            "requestedAt": waiting[0]["requestedAt"], "status": "PENDING", "decidedAt": null,
            "decidedBy": null, "comment": null,
        })]
    );
    assert!(waiting[0]["issues"][0]["match"].is_string());
    let shown = admin.get(&path(&waiting[0], "")).await;
    assert_eq!(shown.data(200), &waiting[0]);
}

#[tokio::test]
async fn an_approved_template_is_sent_and_a_rejected_one_is_not() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let (first, second) = (create(&tenant, "Pay today").await, create(&tenant, "Pay now").await);
    let [newer, older] = <[Value; 2]>::try_from(waiting(&admin, &tenant).await).unwrap();
    assert_eq!((&older["resourceId"], &newer["resourceId"]), (&first["id"], &second["id"]));

    let approved = admin.post(&path(&older, "approve"), json!({})).await.data(200).clone();
    let comment = json!({"comment": " Say which policy.\nThank you. "});
    let rejected = admin.post(&path(&newer, "reject"), comment).await.data(200).clone();

    assert_eq!((&approved["status"], &approved["comment"]), (&json!("APPROVED"), &Value::Null));
    assert!(approved["decidedAt"].is_string() && approved["decidedBy"].is_string());
    let comment = "Say which policy.\nThank you.";
    assert_eq!((&rejected["status"], &rejected["comment"]), (&json!("REJECTED"), &json!(comment)));
    assert!(waiting(&admin, &tenant).await.is_empty());
    assert_eq!(status(&tenant, &first).await, json!(["APPROVED", null, "APPROVED"]));
    assert_eq!(status(&tenant, &second).await, json!(["REJECTED", comment, "REJECTED"]));
    assert_eq!(send(&tenant, &first).await.data(201)["body"], "Pay today");
    send(&tenant, &second).await.fails(409, "TEMPLATE_NOT_APPROVED");
    for (approval, decision) in [(&older, "reject"), (&newer, "reject"), (&newer, "approve")] {
        let again = admin.post(&path(approval, decision), json!({})).await;
        again.fails(409, "ALREADY_DECIDED");
    }
    assert_eq!(tenant.count("audit_log").await, 2);
}

#[tokio::test]
async fn an_edit_voids_pending_and_granted_approvals() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let template = create(&tenant, "Pay today").await;
    let [void] = <[Value; 1]>::try_from(waiting(&admin, &tenant).await).unwrap();

    edit(&tenant.owner(), &template, json!({"body": "Pay now"})).await;

    let refused = admin.post(&path(&void, "approve"), json!({})).await;
    refused.fails(409, "CONTENT_CHANGED");
    admin.get(&path(&void, "")).await.fails(404, "NOT_FOUND");
    let [asked] = <[Value; 1]>::try_from(waiting(&admin, &tenant).await).unwrap();
    assert_eq!(asked["content"]["body"], "Pay now");
    admin.post(&path(&asked, "approve"), json!({})).await.data(200);
    assert_eq!(send(&tenant, &template).await.data(201)["body"], "Pay now");

    let edited = edit(&tenant.owner(), &template, json!({"body": "Pay"})).await;
    assert_eq!(edited["status"], "PENDING_APPROVAL");
    send(&tenant, &template).await.fails(409, "TEMPLATE_NOT_APPROVED");
    edit(&tenant.owner(), &template, json!({"category": "REMINDER"})).await;
    assert!(waiting(&admin, &tenant).await.is_empty(), "it needs no approval any more");
    assert_eq!(send(&tenant, &template).await.data(201)["body"], "Pay");
}

#[tokio::test]
async fn an_author_cannot_approve_their_own_text() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    world.promote(&tenant.email).await;
    let template = create(&tenant, "Pay today").await;
    let [approval] = <[Value; 1]>::try_from(waiting(&admin, &tenant).await).unwrap();

    let own = tenant.owner().post(&path(&approval, "approve"), json!({})).await;
    own.fails(403, "FORBIDDEN");

    assert_eq!(status(&tenant, &template).await[0], "PENDING_APPROVAL");
    tenant.owner().post(&path(&approval, "reject"), json!({})).await.data(200);
    assert_eq!(status(&tenant, &template).await[0], "REJECTED");

    let email = unique_email("editor");
    let user = world.user(&email).await;
    let invitation = json!({"email": email, "role": "CAMPAIGN_MANAGER"});
    tenant.owner().post("/organizations/invite", invitation).await.data(201);
    let editor = tenant.member(user["token"].as_str().unwrap());
    edit(&editor, &template, json!({"body": "Pay now"})).await;
    world.promote(&email).await;
    let [approval] = <[Value; 1]>::try_from(waiting(&admin, &tenant).await).unwrap();
    for author in [editor, tenant.owner()] {
        let own = author.post(&path(&approval, "approve"), json!({})).await;
        own.fails(403, "FORBIDDEN");
        assert!(own.text.contains("wrote themselves"), "{}", own.text);
    }
    admin.post(&path(&approval, "approve"), json!({})).await.data(200);
}

#[tokio::test]
async fn only_platform_administrators_see_and_decide() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    create(&tenant, "Pay today").await;
    let [approval] = <[Value; 1]>::try_from(waiting(&admin, &tenant).await).unwrap();
    let unknown = json!({"id": "01a1fe23-0000-7000-8000-00000000000f"});
    for decision in ["approve", "reject"] {
        let path = |approval: &Value| path(approval, decision);
        tenant.owner().post(&path(&approval), json!({})).await.fails(403, "FORBIDDEN");
        world.post(&path(&approval), json!({})).await.fails(401, "UNAUTHORIZED");
        admin.post(&path(&unknown), json!({})).await.fails(404, "NOT_FOUND");
        admin.post(&path(&json!({"id": "x"})), json!({})).await.fails(404, "NOT_FOUND");
        for comment in [json!("a".repeat(1_001)), json!(7), json!("a\u{0}b")] {
            let answer = admin.post(&path(&approval), json!({"comment": comment})).await;
            assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["comment"].is_array());
        }
    }
    for path in [LIST, &path(&approval, "")] {
        tenant.owner().get(path).await.fails(403, "FORBIDDEN");
        world.get(path).await.fails(401, "UNAUTHORIZED");
    }
    admin.get(&path(&unknown, "")).await.fails(404, "NOT_FOUND");
    assert_eq!(waiting(&admin, &tenant).await.len(), 1);
}

#[tokio::test]
async fn the_requester_is_mailed_the_decision() {
    let (mut server, world) = MailServer::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    tenant.verify_email().await;
    create(&tenant, SCAM).await;
    let [approval] = <[Value; 1]>::try_from(waiting(&admin, &tenant).await).unwrap();
    let comment = json!({"comment": "Never ask for a PIN."});

    admin.post(&path(&approval, "reject"), comment).await.data(200);

    let mail = server.received_by(&tenant.email).await;
    assert_eq!(mail["recipients"], json!([tenant.email]));
    let content = mail["content"].as_str().unwrap().replace("=\r\n", "");
    for part in ["Subject: Your template was rejected", "\"Premium due\"", "Never ask for a PIN."] {
        assert!(content.contains(part), "{content}");
    }
    assert!(!content.contains("5,000"), "{content}");
    let id = approval["id"].as_str().unwrap();
    let sent =
        format!("SELECT count(*) FROM notices WHERE key = 'approval-{id}' AND status = 'SENT'");
    acceptance::until("it is noted", async || world.value(&sent).await == 1).await;
}
