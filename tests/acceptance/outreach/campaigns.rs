//! Campaigns, as organizations create, send and end them.

use acceptance::{Answer, Caller, Tenant, World, unique_email};
use reqwest::Method;
use serde_json::{Value, json};

const CAMPAIGNS: &str = "/campaigns";
const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";
const SCAM: &str = "You won GHS 5,000! Send your MoMo PIN to claim it.";
const AHEAD: &str = "2999-01-01T09:00:00.000Z";

pub(crate) fn sale() -> Value {
    json!({
        "name": "Sale", "channel": "SMS",
        "body": "Hello {{firstName}}, sale on Saturday. Reply STOP to opt out",
    })
}

/// Returns a campaign with these fields besides those of [`sale`]; null omits a field.
pub(crate) fn sale_with(fields: Value) -> Value {
    let (Value::Object(mut campaign), Value::Object(fields)) = (sale(), fields) else { panic!() };
    campaign.extend(fields);
    Value::Object(campaign)
}

pub(crate) async fn create(tenant: &Tenant<'_>, campaign: Value) -> Value {
    tenant.owner().post(CAMPAIGNS, campaign).await.data(201).clone()
}

pub(crate) async fn edit(tenant: &Tenant<'_>, campaign: &Value, changes: Value) -> Answer {
    tenant.owner().call(Method::PATCH, &path(campaign, ""), Some(changes)).await
}

pub(crate) async fn act(tenant: &Tenant<'_>, campaign: &Value, action: &str) -> Answer {
    tenant.owner().call(Method::POST, &path(campaign, action), None).await
}

async fn template(tenant: &Tenant<'_>, template: Value) -> Value {
    tenant.owner().post("/templates", template).await.data(201)["id"].clone()
}

pub(crate) async fn status(tenant: &Tenant<'_>, campaign: &Value) -> Value {
    tenant.owner().get(&path(campaign, "")).await.data(200)["status"].clone()
}

pub(crate) fn path(campaign: &Value, action: &str) -> String {
    let id = campaign["id"].as_str().unwrap();
    if action.is_empty() {
        format!("{CAMPAIGNS}/{id}")
    } else {
        format!("{CAMPAIGNS}/{id}/{action}")
    }
}

fn field_errors(answer: &Answer) -> Vec<String> {
    let details = answer.fails(400, "VALIDATION_ERROR");
    details["fieldErrors"].as_object().unwrap().keys().cloned().collect()
}

#[tokio::test]
async fn a_draft_is_visible_only_to_its_organization() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let first = create(&own, sale_with(json!({"scheduledAt": "2999-01-01T11:00:00+02:00"}))).await;
    let second = create(&own, json!({"name": " Mail ", "channel": "EMAIL"})).await;
    create(&other, sale()).await;

    assert_eq!(
        first,
        json!({
            "id": first["id"], "name": "Sale", "channel": "SMS", "status": "DRAFT",
            "pausedReason": null, "templateId": null, "segmentId": null, "subject": null,
            "body": sale()["body"], "bodyTruncated": false, "format": null, "senderId": null,
            "metadata": {}, "isSandbox": false, "scheduledAt": AHEAD, "audience": null,
            "queued": 0, "sent": 0, "delivered": 0, "skipped": 0, "failed": 0, "unreachable": 0,
            "byReason": [], "cost": 0.0, "currency": "GHS", "createdBy": first["createdBy"],
            "createdAt": first["createdAt"], "startedAt": null, "completedAt": null,
        })
    );
    assert_eq!((&second["name"], &second["body"]), (&json!("Mail"), &json!(null)));
    let listed = own.owner().get("/campaigns?limit=1").await;
    assert_eq!(listed.data(200), &json!([second]));
    assert_eq!(listed.body["pagination"]["total"], 2);
    assert_eq!(own.owner().get("/campaigns?limit=1&page=2").await.data(200), &json!([first]));

    let changes = json!({"name": "Big sale", "scheduledAt": null, "body": "Sale!"});
    let changed = edit(&own, &first, changes).await.data(200).clone();
    assert_eq!(changed["name"], "Big sale");
    assert_eq!((&changed["scheduledAt"], &changed["body"]), (&json!(null), &json!("Sale!")));
    assert_eq!(own.owner().get(&path(&first, "")).await.data(200), &changed);

    for unknown in [&first, &json!({"id": UNKNOWN}), &json!({"id": "x"})] {
        other.owner().get(&path(unknown, "")).await.fails(404, "NOT_FOUND");
        edit(&other, unknown, json!({"name": "Mine"})).await.fails(404, "NOT_FOUND");
        let actions = ["send", "pause", "resume", "cancel", "preview", "duplicate"];
        for action in actions.into_iter().chain(["resend-failed"]) {
            act(&other, unknown, action).await.fails(404, "NOT_FOUND");
        }
    }
}

#[tokio::test]
async fn reports_every_fault_of_a_campaign() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let mail = json!({"name": "Mail", "channel": "EMAIL", "body": "Hello"});
    let mail = template(&tenant, mail).await;
    for (campaign, fields) in [
        (json!({}), vec!["channel", "name"]),
        (
            json!({"name": " ", "channel": "FAX", "scheduledAt": "tomorrow", "segmentId": "vips"}),
            vec!["channel", "name", "scheduledAt", "segmentId"],
        ),
        (sale_with(json!({"templateId": mail})), vec!["body"]),
        (sale_with(json!({"body": null, "templateId": mail})), vec!["templateId"]),
        (sale_with(json!({"body": "Hello {{first name}}"})), vec!["body"]),
        (sale_with(json!({"senderId": "!!!", "tone": "warm"})), vec!["senderId", "tone"]),
        (sale_with(json!({"body": "a".repeat(1_601)})), vec!["body"]),
        (json!({"name": "App", "channel": "IN_APP", "body": "Hello"}), vec!["channel"]),
    ] {
        let answer = tenant.owner().post(CAMPAIGNS, campaign.clone()).await;
        assert_eq!(field_errors(&answer), fields, "{campaign}");
    }
    for (reference, code) in
        [("templateId", "TEMPLATE_NOT_FOUND"), ("segmentId", "SEGMENT_NOT_FOUND")]
    {
        let mut campaign = sale_with(json!({"body": null}));
        campaign[reference] = json!(UNKNOWN);
        tenant.owner().post(CAMPAIGNS, campaign).await.fails(404, code);
    }
    assert_eq!(tenant.count("campaigns").await, 0);
    let draft = create(&tenant, sale()).await;
    let both = edit(&tenant, &draft, json!({"templateId": mail})).await;
    assert_eq!(field_errors(&both), ["body"]);
    edit(&tenant, &draft, json!({"segmentId": UNKNOWN})).await.fails(404, "SEGMENT_NOT_FOUND");
    assert_eq!(
        field_errors(&edit(&tenant, &draft, json!({"channel": "EMAIL"})).await),
        ["channel"]
    );
}

#[tokio::test]
async fn a_sent_campaign_cannot_be_edited_or_sent_again() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let campaign = create(&tenant, sale()).await;

    let sent = act(&tenant, &campaign, "send").await.data(200).clone();

    assert_eq!(sent["status"], "SENDING");
    assert_eq!(sent["id"], campaign["id"]);
    let again = act(&tenant, &campaign, "send").await;
    let details = again.fails(409, "INVALID_CAMPAIGN_STATUS");
    let now = details["status"].as_str().unwrap();
    assert!(["SENDING", "COMPLETED"].contains(&now), "{now}");
    assert!(again.body["error"]["message"].as_str().unwrap().contains(now));
    edit(&tenant, &campaign, json!({"name": "x"})).await.fails(409, "INVALID_CAMPAIGN_STATUS");
}

#[tokio::test]
async fn a_campaign_with_a_future_time_is_scheduled() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let campaign = create(&tenant, sale_with(json!({"scheduledAt": AHEAD}))).await;
    act(&tenant, &campaign, "pause").await.fails(409, "INVALID_CAMPAIGN_STATUS");

    assert_eq!(act(&tenant, &campaign, "send").await.data(200)["status"], "SCHEDULED");
    for action in ["send", "pause", "resume"] {
        let refused = act(&tenant, &campaign, action).await;
        assert_eq!(refused.fails(409, "INVALID_CAMPAIGN_STATUS")["status"], "SCHEDULED");
    }
    assert_eq!(act(&tenant, &campaign, "cancel").await.data(200)["status"], "CANCELLED");
    act(&tenant, &campaign, "cancel").await.fails(409, "INVALID_CAMPAIGN_STATUS");
    let past = create(&tenant, sale_with(json!({"scheduledAt": "2020-01-01T00:00:00Z"}))).await;
    assert_eq!(act(&tenant, &past, "send").await.data(200)["status"], "SENDING");
}

#[tokio::test]
async fn an_unsendable_campaign_stays_a_draft() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let silent = create(&tenant, json!({"name": "Nothing", "channel": "SMS"})).await;
    let supervised = json!({
        "name": "Premium", "channel": "SMS", "category": "INSURANCE", "body": "Akwaaba",
    });
    let supervised = template(&tenant, supervised).await;
    let unapproved = sale_with(json!({"body": null, "templateId": supervised}));
    let unapproved = create(&tenant, unapproved).await;

    assert_eq!(field_errors(&act(&tenant, &silent, "send").await), ["body"]);
    assert_eq!(field_errors(&act(&tenant, &silent, "preview").await), ["body"]);
    act(&tenant, &unapproved, "send").await.fails(409, "TEMPLATE_NOT_APPROVED");

    for campaign in [&silent, &unapproved] {
        assert_eq!(status(&tenant, campaign).await, "DRAFT");
    }
}

/// Returns the pending approvals of an organization, as administrators see them.
async fn waiting(admin: &Caller, tenant: &Tenant<'_>) -> Vec<Value> {
    let answer = admin.get("/admin/approvals").await;
    let all = answer.data(200).as_array().unwrap();
    all.iter().filter(|approval| approval["organizationId"] == tenant.id).cloned().collect()
}

async fn decide(admin: &Caller, approval: &Value, decision: &str) -> Answer {
    let id = approval["id"].as_str().unwrap();
    admin.post(&format!("/admin/approvals/{id}/{decision}"), json!({})).await
}

#[tokio::test]
async fn a_risky_campaign_waits_for_approval() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let mut campaigns = Vec::new();
    for scheduled_at in [json!(null), json!(AHEAD), json!(AHEAD)] {
        let risky = json!({"body": SCAM, "scheduledAt": scheduled_at});
        campaigns.push(create(&tenant, sale_with(risky)).await);
    }
    for campaign in &campaigns {
        let refused = act(&tenant, campaign, "send").await;
        let details = refused.fails(409, "APPROVAL_REQUIRED");
        assert!(details["riskScore"].as_str().unwrap().parse::<u8>().unwrap() >= 30);
        assert_eq!(status(&tenant, campaign).await, "PENDING_APPROVAL");
        act(&tenant, campaign, "send").await.fails(409, "INVALID_CAMPAIGN_STATUS");
    }
    let summary = tenant.owner().get("/compliance/summary").await.data(200).clone();
    assert_eq!(summary["pendingApprovals"], 3);
    let approvals = waiting(&admin, &tenant).await;
    let [third, second, first] = <[Value; 3]>::try_from(approvals).unwrap();
    assert_eq!((&first["type"], &first["name"]), (&json!("CAMPAIGN"), &json!("Sale")));
    assert_eq!(first["resourceId"], campaigns[0]["id"]);
    assert_eq!(
        first["content"],
        json!({
            "subject": null, "body": SCAM, "bodyTruncated": false, "vendorTemplate": null,
            "longVariables": false,
        })
    );

    decide(&admin, &first, "approve").await.data(200);
    decide(&admin, &second, "approve").await.data(200);
    decide(&admin, &third, "reject").await.data(200);

    let first = status(&tenant, &campaigns[0]).await;
    assert!(["SENDING", "COMPLETED"].contains(&first.as_str().unwrap()), "{first}");
    assert_eq!(status(&tenant, &campaigns[1]).await, "SCHEDULED");
    assert_eq!(status(&tenant, &campaigns[2]).await, "REJECTED");
    decide(&admin, &second, "reject").await.fails(409, "ALREADY_DECIDED");
}

#[tokio::test]
async fn a_contributor_cannot_approve_a_campaign() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let email = unique_email("editor");
    let editor = world.user(&email).await;
    let invitation = json!({"email": email, "role": "CAMPAIGN_MANAGER"});
    tenant.owner().post("/organizations/invite", invitation).await.data(201);
    let member = tenant.member(editor["token"].as_str().unwrap());
    let campaign = create(&tenant, sale()).await;
    let scam = Some(json!({"body": SCAM}));
    member.call(Method::PATCH, &path(&campaign, ""), scam).await.data(200);
    act(&tenant, &campaign, "send").await.fails(409, "APPROVAL_REQUIRED");
    world.promote(&email).await;

    let [approval] = <[Value; 1]>::try_from(waiting(&admin, &tenant).await).unwrap();

    decide(&member, &approval, "approve").await.fails(403, "FORBIDDEN");
    decide(&admin, &approval, "approve").await.data(200);
}

#[tokio::test]
async fn cancelling_a_campaign_withdraws_its_approval_request() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let campaign = create(&tenant, sale_with(json!({"body": SCAM}))).await;
    act(&tenant, &campaign, "send").await.fails(409, "APPROVAL_REQUIRED");
    let [approval] = <[Value; 1]>::try_from(waiting(&admin, &tenant).await).unwrap();

    act(&tenant, &campaign, "cancel").await.data(200);

    assert_eq!(waiting(&admin, &tenant).await, [json!(null); 0]);
    decide(&admin, &approval, "approve").await.fails(409, "CONTENT_CHANGED");
    assert_eq!(status(&tenant, &campaign).await, "CANCELLED");
}

#[tokio::test]
async fn a_segment_in_use_by_a_campaign_cannot_be_deleted() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let segment = json!({"name": "All", "rules": {}});
    let segment = tenant.owner().post("/segments", segment).await.data(201).clone();
    let path = format!("/segments/{}", segment["id"].as_str().unwrap());
    let campaign = create(&tenant, sale_with(json!({"segmentId": segment["id"]}))).await;

    let refused = tenant.owner().call(Method::DELETE, &path, None).await;
    refused.fails(409, "SEGMENT_IN_USE");
    act(&tenant, &campaign, "cancel").await.data(200);
    tenant.owner().call(Method::DELETE, &path, None).await.data(200);
}

async fn contact(tenant: &Tenant<'_>, contact: Value) -> Value {
    tenant.owner().post("/contacts", contact).await.data(201)["id"].clone()
}

#[tokio::test]
async fn a_preview_shows_audience_cost_and_samples() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let vip = |name: Option<&str>, phone: Option<&str>| json!({"firstName": name, "lastName": "Mensah", "phone": phone, "tags": ["vip"]});
    let ama = contact(&tenant, vip(Some("Ama"), Some("0241234561"))).await;
    let nameless = contact(&tenant, vip(None, Some("0241234562"))).await;
    contact(&tenant, vip(Some("Kofi"), None)).await;
    contact(&tenant, vip(Some("Esi"), Some("0241234563"))).await;
    contact(&tenant, json!({"firstName": "Yaw", "phone": "0241234564"})).await;
    let suppressed = json!({"phone": "0241234563", "category": "MARKETING"});
    tenant.owner().post("/compliance/suppression", suppressed).await.data(201);
    let segment = json!({"name": "VIPs", "rules": {"tags": "vip"}});
    let segment = tenant.owner().post("/segments", segment).await.data(201)["id"].clone();
    let campaign = create(&tenant, sale_with(json!({"segmentId": segment}))).await;

    let preview = act(&tenant, &campaign, "preview").await.data(200).clone();

    assert_eq!((&preview["audience"], &preview["unreachable"]), (&json!(4), &json!(1)));
    assert_eq!((&preview["refused"], &preview["segments"]), (&json!(2), &json!(1)));
    assert_eq!((&preview["cost"], &preview["isEstimate"]), (&json!(0.035), &json!(false)));
    assert_eq!((&preview["riskScore"], &preview["requiresApproval"]), (&json!(0), &json!(false)));
    let body = "Hello Ama, sale on Saturday. Reply STOP to opt out";
    assert_eq!(
        preview["samples"][0],
        json!({
            "contactId": ama, "recipient": "+233241234561", "subject": null, "body": body,
            "segments": 1, "cost": 0.035, "errorCode": null, "errorMessage": null,
        })
    );
    let missing = &preview["samples"][1];
    assert_eq!((&missing["contactId"], &missing["cost"]), (&nameless, &json!(0.0)));
    assert_eq!(missing["errorCode"], "MISSING_VARIABLE");
    assert_eq!(missing["errorMessage"], "the contact has no firstName");
    assert_eq!(preview["samples"][2]["errorCode"], "RECIPIENT_SUPPRESSED");
    edit(&tenant, &campaign, json!({"segmentId": null, "body": SCAM})).await.data(200);
    let everybody = act(&tenant, &campaign, "preview").await.data(200).clone();
    assert_eq!((&everybody["audience"], &everybody["requiresApproval"]), (&json!(5), &json!(true)));
    assert!(everybody["issues"][0]["code"].is_string());
}

#[tokio::test]
async fn a_preview_of_an_empty_audience_is_all_zeros() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let campaign = create(&tenant, sale()).await;

    let preview = act(&tenant, &campaign, "preview").await.data(200).clone();

    for count in ["audience", "unreachable", "refused", "segments"] {
        assert_eq!(preview[count], 0, "{count}");
    }
    assert_eq!((&preview["cost"], &preview["samples"]), (&json!(0.0), &json!([])));
}

#[tokio::test]
async fn a_scheduled_campaign_keeps_the_confirmed_text() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    contact(&tenant, json!({"firstName": "Ama", "phone": "0241234561"})).await;
    let harmless =
        json!({"name": "Hi", "channel": "SMS", "body": "Hi {{firstName}}. Reply STOP to opt out"});
    let harmless = template(&tenant, harmless).await;
    let campaign = json!({
        "name": "Hi", "channel": "SMS", "templateId": harmless, "scheduledAt": AHEAD,
    });
    let campaign = create(&tenant, campaign).await;
    assert_eq!(act(&tenant, &campaign, "send").await.data(200)["status"], "SCHEDULED");

    let template = format!("/templates/{}", harmless.as_str().unwrap());
    let changes = Some(json!({"body": "Goodbye"}));
    tenant.owner().call(Method::PATCH, &template, changes).await.data(200);

    let preview = act(&tenant, &campaign, "preview").await.data(200).clone();
    assert_eq!(preview["samples"][0]["body"], "Hi Ama. Reply STOP to opt out");
    act(&tenant, &campaign, "cancel").await.data(200);
}
