//! Recipients of campaigns: figures, lists and exports that add up, and the repetition of failures.

use acceptance::{Caller, Tenant, World, until_some};
use serde_json::{Value, json};

use crate::outreach::campaigns::{act, create, path, sale, sale_with};

/// Number to which nothing arrives.
const LOST: &str = "0240000000";
const OUTCOMES: [&str; 3] = ["SENT", "SKIPPED", "FAILED"];

/// Contacts of each kind: one is reached, three are skipped, and one is not reached.
async fn contacts(tenant: &Tenant<'_>) {
    for contact in [
        json!({"firstName": "Ama", "phone": "0241234561"}),
        json!({"firstName": "Esi", "phone": "0241234562"}),
        json!({"lastName": "Mensah", "phone": "0241234563"}),
        json!({"firstName": "Kofi", "email": "kofi@example.com"}),
        json!({"firstName": "Yaw", "phone": LOST}),
    ] {
        tenant.owner().post("/contacts", contact).await.data(201);
    }
    let suppressed = json!({"phone": "0241234562", "category": "MARKETING"});
    tenant.owner().post("/compliance/suppression", suppressed).await.data(201);
}

/// Sends a campaign to all contacts, and returns it once each message has its outcome.
async fn completed(tenant: &Tenant<'_>) -> Value {
    let campaign = create(tenant, sale()).await;
    act(tenant, &campaign, "send").await.data(200);
    until_some("each message has its outcome", async || {
        let answer = tenant.owner().get(&path(&campaign, "")).await;
        let shown = answer.data(200).clone();
        let is_over = shown["status"] == "COMPLETED" && shown["failed"] == 1;
        if is_over { Ok(shown) } else { Err(answer.text) }
    })
    .await
}

/// Returns all recipients that fit a filter, two at a time.
async fn recipients(caller: &Caller, campaign: &Value, filter: &str) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let query = format!("recipients?limit=2&after={after}&{filter}");
        let answer = caller.get(&path(campaign, &query)).await;
        let part = answer.data(200).as_array().unwrap().clone();
        assert!(part.len() <= 2, "{}", answer.text);
        all.extend(part);
        match answer.body["pagination"]["nextCursor"].as_str() {
            Some(next) => next.clone_into(&mut after),
            None => return all,
        }
    }
}

fn outcome(recipient: &Value) -> (&str, &str) {
    let text = |field: &str| recipient[field].as_str().unwrap_or_default();
    (text("outcome"), text("reason"))
}

#[tokio::test]
async fn what_became_of_the_recipients_adds_up_to_the_audience() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    contacts(&tenant).await;

    let campaign = completed(&tenant).await;

    let counts = ["audience", "sent", "skipped", "failed"].map(|name| campaign[name].clone());
    assert_eq!(counts, [5, 1, 3, 1].map(Value::from));
    assert_eq!((&campaign["cost"], &campaign["currency"]), (&json!(0.035), &json!("GHS")));
    assert_eq!(
        campaign["byReason"],
        json!([
            {"reason": "MISSING_VARIABLE", "count": 1}, {"reason": "NO_ADDRESS", "count": 1},
            {"reason": "RECIPIENT_SUPPRESSED", "count": 1}, {"reason": "UNDELIVERED", "count": 1},
        ])
    );
    assert!(campaign["createdBy"].is_string());
    let owner = tenant.owner();
    let all = recipients(&owner, &campaign, "").await;
    let mut kinds: Vec<_> = all.iter().map(outcome).collect();
    kinds.sort_unstable();
    let expected = [
        ("FAILED", "UNDELIVERED"),
        ("SENT", ""),
        ("SKIPPED", "MISSING_VARIABLE"),
        ("SKIPPED", "NO_ADDRESS"),
        ("SKIPPED", "RECIPIENT_SUPPRESSED"),
    ];
    assert_eq!(kinds, expected);
    let mut parts = Vec::new();
    for name in OUTCOMES {
        let part = recipients(&owner, &campaign, &format!("outcome={name}")).await;
        assert_eq!(json!(part.len()), campaign[name.to_lowercase()], "{name}");
        assert!(part.iter().all(|recipient| recipient["outcome"] == name), "{part:?}");
        parts.extend(part);
    }
    assert!(all.iter().all(|recipient| parts.contains(recipient)), "{all:?}, {parts:?}");
    let logs = format!("/delivery-logs?campaignId={}", campaign["id"].as_str().unwrap());
    assert_eq!(owner.get(&logs).await.body["pagination"]["total"], 4);
}

#[tokio::test]
async fn recipients_are_found_by_their_reason() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    contacts(&tenant).await;
    let campaign = completed(&tenant).await;
    let owner = tenant.owner();

    let unaddressed = recipients(&owner, &campaign, "reason=NO_ADDRESS").await;
    let [kofi] = &unaddressed[..] else { panic!("{unaddressed:?}") };
    assert_eq!((&kofi["recipient"], &kofi["messageId"]), (&Value::Null, &Value::Null));
    assert!(kofi["contactId"].is_string());
    let lost = recipients(&owner, &campaign, "outcome=FAILED&reason=UNDELIVERED").await;
    let [yaw] = &lost[..] else { panic!("{lost:?}") };
    assert_eq!(yaw["recipient"], "+233240000000");
    let log = owner.get(&format!("/messages/{}", yaw["messageId"].as_str().unwrap())).await;
    assert_eq!(log.data(200)["contactId"], yaw["contactId"]);
    for nothing in ["outcome=SENT&reason=UNDELIVERED", "outcome=FAILED&reason=NO_ADDRESS"] {
        assert_eq!(recipients(&owner, &campaign, nothing).await, [Value::Null; 0], "{nothing}");
    }
    for unfit in ["outcome=sent", "reason=LATE", "after=x", "limit=101", "page=1"] {
        let refused = owner.get(&path(&campaign, &format!("recipients?{unfit}"))).await;
        let details = refused.fails(400, "VALIDATION_ERROR");
        let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
        assert_eq!(fields, [unfit.split_once('=').unwrap().0]);
    }
}

#[tokio::test]
async fn recipients_are_exported_and_visible_only_to_their_organization() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    contacts(&tenant).await;
    let campaign = completed(&tenant).await;
    let export = path(&campaign, "recipients/export");

    let all = tenant.owner().get(&export).await;
    assert_eq!(all.status, 200, "{}", all.text);
    let mut rows = csv::Reader::from_reader(all.text.as_bytes());
    let header = rows.headers().unwrap().iter().collect::<Vec<_>>().join(" ");
    assert_eq!(header, "contactId recipient outcome reason messageId");
    assert_eq!(rows.records().count(), 5);
    let failed = tenant.owner().get(&format!("{export}?outcome=FAILED")).await;
    assert!(failed.text.contains(",+233240000000,FAILED,UNDELIVERED,"), "{}", failed.text);
    assert_eq!(failed.text.lines().count(), 2);

    for action in ["recipients", "recipients/export"] {
        other.owner().get(&path(&campaign, action)).await.fails(404, "NOT_FOUND");
    }
}

/// Returns the progress of a repetition once it has ended.
async fn ended(caller: &Caller, id: &Value) -> Value {
    let path = format!("/messages/resend/{}", id.as_str().unwrap());
    until_some("the task has ended", async || {
        let answer = caller.get(&path).await;
        let task = answer.data(200).clone();
        if task["completedAt"].is_string() { Ok(task) } else { Err(answer.text) }
    })
    .await
}

#[tokio::test]
async fn those_who_failed_are_sent_their_message_again_once() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    contacts(&tenant).await;
    let campaign = completed(&tenant).await;
    let (owner, again) = (tenant.owner(), path(&campaign, "resend-failed"));

    let forecast = owner.post(&again, json!({"dryRun": true})).await.data(200).clone();
    assert_eq!((&forecast["count"], &forecast["cost"]), (&json!(3), &json!(0.035)));
    let reasons = json!([
        {"errorCode": "MISSING_VARIABLE", "count": 1, "resendable": 0},
        {"errorCode": "RECIPIENT_SUPPRESSED", "count": 1, "resendable": 0},
        {"errorCode": "UNDELIVERED", "count": 1, "resendable": 1},
    ]);
    assert_eq!(forecast["byReason"], reasons);

    for resent in [1, 0] {
        let begun = owner.post(&again, json!({})).await.data(202).clone();
        assert_eq!(begun["count"], 3);
        let task = ended(&owner, &begun["id"]).await;
        assert_eq!((&task["count"], &task["resent"]), (&json!(3), &json!(resent)), "{task}");
    }
    let repetitions = format!(
        "SELECT count(*) FROM delivery_logs \
         WHERE organization_id = '{}' AND resent_from IS NOT NULL",
        tenant.id
    );
    assert_eq!(world.value(&repetitions).await, 1);
    let shown = owner.get(&path(&campaign, "")).await.data(200).clone();
    assert_eq!(shown, campaign, "a repetition does not count for the campaign");
}

#[tokio::test]
async fn nobody_is_sent_a_campaign_again_that_was_not_sent() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let draft = create(&tenant, sale_with(json!({"name": "Later"}))).await;

    let refused = act(&tenant, &draft, "resend-failed").await;

    assert_eq!(refused.fails(409, "INVALID_CAMPAIGN_STATUS")["status"], "DRAFT");
    assert_eq!(recipients(&tenant.owner(), &draft, "").await, [Value::Null; 0]);
}
