//! Events, their recipients and their channels.

use acceptance::{Answer, Caller, Tenant, World, until, until_some};
use reqwest::Method;
use serde_json::{Value, json};

use crate::shared::settings::ONE_SECRET;

const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";

async fn template(tenant: &Tenant<'_>, channel: &str, body: &str) -> Value {
    let template = json!({"name": "Parcel", "channel": channel, "body": body, "subject": "News"});
    tenant.owner().post("/templates", template).await.data(201).clone()
}

/// Creates an event with that slug and these fields.
async fn event(tenant: &Tenant<'_>, slug: &str, fields: Value) -> Value {
    let mut event = json!({"name": "Parcel", "slug": slug});
    for (name, value) in fields.as_object().unwrap() {
        event[name] = value.clone();
    }
    tenant.owner().post("/events", event).await.data(201).clone()
}

/// Creates an event that falls back from SMS to mail.
async fn chain(tenant: &Tenant<'_>, more: Value) -> Value {
    let template = template(tenant, "SMS", "Akwaaba {{firstName}}").await;
    let mut fallback = json!({"channels": ["EMAIL"]});
    for (name, value) in more.as_object().unwrap() {
        fallback[name] = value.clone();
    }
    let fields = json!({"templateId": template["id"], "fallbackRules": fallback});
    event(tenant, "parcel", fields).await
}

async fn contact(tenant: &Tenant<'_>, phone: &str) -> Value {
    let contact = json!({"firstName": "Ama", "phone": phone, "email": "ama@example.com"});
    tenant.owner().post("/contacts", contact).await.data(201)["id"].clone()
}

async fn rehearsal(tenant: &Tenant<'_>) -> Caller {
    tenant.api_key(json!({"name": "sandbox"})).await
}

async fn patch(tenant: &Tenant<'_>, path: &str, resource: &Value, changes: Value) -> Answer {
    let path = format!("{path}/{}", resource["id"].as_str().unwrap());
    tenant.owner().call(Method::PATCH, &path, Some(changes)).await
}

/// Returns the channels with their statuses and error codes.
fn channels(answer: &Value) -> Vec<Value> {
    let channels = answer["channels"].as_array().unwrap();
    channels.iter().map(|it| json!([it["channel"], it["status"], it["errorCode"]])).collect()
}

/// Repeats a trigger until its second channel has that status, and returns the answer.
async fn channels_once(caller: &Caller, trigger: &Value, status: &str) -> Value {
    until_some(&format!("the second channel is {status}"), async || {
        let answer = caller.post("/events/trigger", trigger.clone()).await;
        let data = answer.data(202).clone();
        if data["channels"][1]["status"] == status { Ok(data) } else { Err(data.to_string()) }
    })
    .await
}

#[tokio::test]
async fn an_event_is_shown_with_its_templates_until_it_is_deleted() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let (sms, mail) = (template(&own, "SMS", "a").await, template(&own, "EMAIL", "b").await);
    let rules = json!({"channels": ["EMAIL"], "afterSeconds": 60, "team": "logistics"});
    let fields = json!({
        "description": "a parcel is here", "templateId": sms["id"],
        "templates": {"EMAIL": mail["id"]}, "fallbackRules": rules,
        "retryRules": {"maxAttempts": 3, "x": [1]},
    });

    let made = event(&own, "parcel.arrived-1_b", fields).await;

    assert_eq!(
        made,
        json!({
            "id": made["id"], "name": "Parcel", "slug": "parcel.arrived-1_b",
            "description": "a parcel is here", "channelPriority": ["SMS"],
            "templateId": sms["id"], "template": sms, "templates": {"EMAIL": mail["id"]},
            "linkedTemplates": {"EMAIL": mail}, "fallbackRules": rules,
            "retryRules": {"maxAttempts": 3, "x": [1]}, "senderId": null, "countryCode": null,
            "isActive": true,
            "createdAt": made["createdAt"],
        })
    );
    let bare = event(&own, "bare", json!({})).await;
    assert_eq!((&bare["template"], &bare["retryRules"]), (&Value::Null, &Value::Null));
    for caller in [own.owner(), rehearsal(&own).await] {
        let list = caller.get("/events").await;
        assert_eq!(list.data(200), &json!([bare, made]), "newest first");
    }
    assert_eq!(other.owner().get("/events").await.data(200), &json!([]));

    let path = format!("/events/{}", made["id"].as_str().unwrap());
    let changed = patch(&own, "/events", &made, json!({"description": null, "isActive": false}));
    let changed = changed.await.data(200).clone();
    assert_eq!((&changed["description"], &changed["isActive"]), (&Value::Null, &json!(false)));
    assert_eq!(own.owner().get(&path).await.data(200), &changed);
    other.owner().get(&path).await.fails(404, "NOT_FOUND");
    let again = json!({"name": "Other", "slug": "bare"});
    own.owner().post("/events", again.clone()).await.fails(409, "SLUG_EXISTS");
    other.owner().post("/events", again).await.data(201);
    own.owner().call(Method::DELETE, &path, None).await.data(200);
    own.owner().call(Method::DELETE, &path, None).await.fails(404, "NOT_FOUND");
    event(&own, "parcel.arrived-1_b", json!({})).await;
}

#[tokio::test]
async fn events_are_found_by_a_part_of_their_name_or_slug() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let first = event(&own, "parcel_arrived", json!({"name": "Akwaaba"})).await;
    let second = event(&own, "welcome", json!({"name": "First Parcel"})).await;
    event(&own, "other", json!({"name": "Bill", "description": "parcel"})).await;
    event(&other, "parcel", json!({})).await;

    for (search, expected) in [
        ("PARCEL", json!([second, first])),
        ("l_a", json!([first])),
        ("akwa", json!([first])),
        ("%25", json!([])),
    ] {
        let answer = own.owner().get(&format!("/events?search={search}")).await;
        assert_eq!(answer.data(200), &expected, "{search}");
        let total = expected.as_array().unwrap().len();
        assert_eq!(answer.body["pagination"]["total"], total, "{search}");
    }
    let last = own.owner().get("/events?search=parcel&limit=1&page=2").await;
    assert_eq!(last.data(200), &json!([first]));
    own.owner().get("/events?search=%00").await.fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn reports_every_fault_of_an_event_by_field() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let foreign = template(&other, "SMS", "a").await["id"].clone();
    let mail = template(&own, "EMAIL", "b").await["id"].clone();
    let faults = async |event: Value| {
        let answer = own.owner().post("/events", event).await;
        let details = answer.fails(400, "VALIDATION_ERROR").clone();
        let fields = details["fieldErrors"].as_object().unwrap().clone();
        fields.into_iter().map(|(path, _)| path).collect::<Vec<_>>()
    };
    let wrong = json!({
        "name": " ", "slug": "Parcel", "channelPriority": ["SMS", "SMS"], "templateId": 7,
        "retryRules": {"maxAttempts": 0}, "fallbackRules": {"channels": ["PIGEON"]}, "x": 1,
    });
    let expected = [
        "channelPriority.1",
        "fallbackRules.channels.0",
        "name",
        "retryRules.maxAttempts",
        "slug",
        "templateId",
        "x",
    ];
    assert_eq!(faults(wrong).await, expected);
    let named = |more: Value| {
        let mut event = json!({"name": "n", "slug": "s"});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    assert_eq!(faults(named(json!({"templateId": foreign}))).await, ["templateId"]);
    assert_eq!(faults(named(json!({"templates": {"SMS": mail}}))).await, ["templates.SMS"]);
    assert_eq!(faults(named(json!({"channelPriority": []}))).await, ["channelPriority"]);
    let bare = event(&own, "bare", json!({})).await;
    patch(&own, "/events", &bare, json!({"slug": "other"})).await.fails(400, "VALIDATION_ERROR");
    patch(&own, "/events", &bare, json!({"templateId": foreign}))
        .await
        .fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn a_trigger_returns_the_message_and_the_channels() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    chain(&tenant, json!({})).await;
    let to = json!({"event": "parcel", "to": "0241234567", "variables": {"firstName": "Esi"}});

    let sent = tenant.owner().post("/events/trigger", to).await.data(201).clone();

    let fields = json!([sent["event"], sent["body"], sent["recipient"], sent["isSandbox"]]);
    assert_eq!(fields, json!(["parcel", "Akwaaba Esi", "+233241234567", false]));
    let own = json!({
        "channel": "SMS", "messageId": sent["id"], "status": sent["status"], "errorCode": null,
    });
    let skipped = json!({
        "channel": "EMAIL", "messageId": null, "status": null, "errorCode": "INVALID_RECIPIENT",
    });
    assert_eq!(sent["channels"], json!([own, skipped]));
    assert_eq!(tenant.count("triggers").await, 0, "a single channel is a message and nothing else");

    let contact = contact(&tenant, "0241234568").await;
    let known = json!({"event": "parcel", "contactId": contact, "async": true});
    let known = rehearsal(&tenant).await.post("/events/trigger", known).await.data(202).clone();
    assert_eq!((&known["body"], &known["isSandbox"]), (&json!("Akwaaba Ama"), &json!(true)));
    assert_eq!(channels(&known), [json!(["SMS", "QUEUED", null]), json!(["EMAIL", null, null])]);
}

#[tokio::test]
async fn an_impossible_trigger_is_rejected_with_its_own_code() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = chain(&tenant, json!({})).await;
    event(&tenant, "bare", json!({})).await;
    let trigger = async |trigger: Value| tenant.owner().post("/events/trigger", trigger).await;
    let to =
        |event: &str| json!({"event": event, "to": "0241234567", "variables": {"firstName": ""}});

    let nobody = trigger(json!({"event": "parcel"})).await;
    nobody.fails(400, "VALIDATION_ERROR");
    let message = nobody.body["error"]["message"].as_str().unwrap();
    assert!(message.contains("either `to` or `contactId` is required"), "{message}");
    let unfilled = trigger(json!({"event": "parcel", "to": "0241234567"})).await;
    let details = unfilled.fails(400, "VALIDATION_ERROR").clone();
    assert!(details["fieldErrors"]["variables"].is_array(), "{details}");
    let unusable = json!({"event": "parcel", "to": "12", "variables": {"firstName": "Ama"}});
    trigger(unusable).await.fails(400, "VALIDATION_ERROR");
    trigger(to("other")).await.fails(404, "EVENT_NOT_FOUND");
    trigger(to("Other")).await.fails(400, "VALIDATION_ERROR");
    trigger(to("bare")).await.fails(404, "TEMPLATE_NOT_FOUND");
    let stranger = json!({"event": "parcel", "contactId": UNKNOWN});
    trigger(stranger).await.fails(404, "CONTACT_NOT_FOUND");
    trigger(to("parcel")).await.data(201);
    patch(&tenant, "/events", &made, json!({"isActive": false})).await.data(200);
    trigger(to("parcel")).await.fails(409, "EVENT_INACTIVE");
    tenant.set_balance(0).await;
    patch(&tenant, "/events", &made, json!({"isActive": true})).await.data(200);
    trigger(to("parcel")).await.fails(402, "INSUFFICIENT_BALANCE");
    let key = tenant.api_key(json!({"name": "k", "scopes": ["messages:send"]})).await;
    key.post("/events/trigger", to("parcel")).await.fails(403, "INSUFFICIENT_SCOPE");
}

#[tokio::test]
async fn a_withdrawn_approval_applies_at_once() {
    let world = World::shared().await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    let template = json!({
        "name": "Due", "channel": "SMS", "body": "Your premium is due.", "category": "INSURANCE",
    });
    let template = tenant.owner().post("/templates", template).await.data(201).clone();
    event(&tenant, "due", json!({"templateId": template["id"]})).await;
    let trigger = async || {
        let trigger = json!({"event": "due", "to": "0241234567"});
        tenant.owner().post("/events/trigger", trigger).await
    };

    trigger().await.fails(409, "TEMPLATE_NOT_APPROVED");
    let waiting = admin.get("/admin/approvals").await.data(200).as_array().unwrap().clone();
    let approval = waiting.iter().find(|it| it["resourceId"] == template["id"]).unwrap();
    let approve = format!("/admin/approvals/{}/approve", approval["id"].as_str().unwrap());
    admin.post(&approve, json!({})).await.data(200);
    trigger().await.data(201);
    patch(&tenant, "/templates", &template, json!({"body": "It is due."})).await.data(200);
    trigger().await.fails(409, "TEMPLATE_NOT_APPROVED");
}

#[tokio::test]
async fn a_change_reaches_other_instances_within_a_second() {
    let (world, other) = World::shared_pair(ONE_SECRET).await;
    let tenant = world.tenant().await;
    let text = template(&tenant, "SMS", "old").await;
    let made = event(&tenant, "parcel", json!({"templateId": text["id"]})).await;
    let there = tenant.at(&other);
    let trigger = async || {
        let trigger = json!({"event": "parcel", "to": "0241234567", "async": true});
        there.owner().post("/events/trigger", trigger).await
    };
    assert_eq!(trigger().await.data(202)["body"], "old");

    patch(&tenant, "/templates", &text, json!({"body": "new"})).await.data(200);
    until("the new text is sent", async || trigger().await.data(202)["body"] == "new").await;
    let path = format!("/events/{}", made["id"].as_str().unwrap());
    tenant.owner().call(Method::DELETE, &path, None).await.data(200);
    until("the event is gone", async || trigger().await.status == 404).await;
}

#[tokio::test]
async fn a_late_failure_report_triggers_the_next_channel_once() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    chain(&tenant, json!({})).await;
    let contact = contact(&tenant, "0241230000").await;
    let key = rehearsal(&tenant).await;
    let trigger = json!({
        "event": "parcel", "contactId": contact, "async": true, "idempotencyKey": "parcel-1",
    });

    let first = key.post("/events/trigger", trigger.clone()).await;
    let again = channels_once(&key, &trigger, "DELIVERED").await;

    assert_eq!(again["id"], first.data(202)["id"], "a repeated key answers the first log");
    let expected = [json!(["SMS", "FAILED", "UNDELIVERED"]), json!(["EMAIL", "DELIVERED", null])];
    assert_eq!(channels(&again), expected);
    assert_eq!(tenant.count("delivery_logs").await, 2);
    let mail = again["channels"][1]["messageId"].as_str().unwrap().to_owned();
    let mail = key.get(&format!("/messages/{mail}")).await.data(200).clone();
    assert_eq!((&mail["channel"], &mail["body"]), (&json!("EMAIL"), &json!("Akwaaba Ama")));
}

#[tokio::test]
async fn a_channel_without_a_report_in_time_triggers_the_next() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    chain(&tenant, json!({"afterSeconds": 1})).await;
    let contact = contact(&tenant, "0241230001").await;
    let key = rehearsal(&tenant).await;
    let trigger = json!({
        "event": "parcel", "contactId": contact, "async": true, "idempotencyKey": "parcel-1",
    });
    key.post("/events/trigger", trigger.clone()).await.data(202);
    let again = channels_once(&key, &trigger, "DELIVERED").await;
    assert_eq!(channels(&again)[0], json!(["SMS", "SENT", null]));
    assert_eq!(tenant.count("delivery_logs").await, 2);
}

#[tokio::test]
async fn a_successful_channel_is_not_followed_by_another() {
    let world = World::shared().await;
    for (phone, rules) in [
        ("0241230001", json!({"afterSeconds": 60, "untilStatus": "SENT"})),
        ("0241234567", json!({"afterSeconds": 60})),
    ] {
        let tenant = world.tenant().await;
        chain(&tenant, rules).await;
        let contact = contact(&tenant, phone).await;
        let trigger = json!({"event": "parcel", "contactId": contact});
        rehearsal(&tenant).await.post("/events/trigger", trigger).await.data(201);
        let id = &tenant.id;
        let waiting = format!(
            "SELECT count(*) FROM triggers WHERE organization_id = '{id}' AND due_at IS NOT NULL"
        );
        until("nothing is waited for", async || world.value(&waiting).await == 0).await;
        assert_eq!(tenant.count("delivery_logs").await, 1, "{phone}");
    }
}

#[tokio::test]
async fn an_immediate_failure_falls_back_in_the_same_answer() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    chain(&tenant, json!({})).await;
    let contact = contact(&tenant, "0241234567").await;
    tenant.owner().post("/compliance/suppression", json!({"phone": "0241234567"})).await.data(201);
    let trigger = json!({"event": "parcel", "contactId": contact});
    let before = tenant.balance().await;

    let sent = tenant.owner().post("/events/trigger", trigger.clone()).await.data(201).clone();

    assert_eq!(sent["channel"], "EMAIL");
    assert_eq!(channels(&sent)[0], json!(["SMS", "FAILED", "RECIPIENT_SUPPRESSED"]));
    let cost = sent["cost"].as_f64().unwrap();
    assert!(cost > 0.0 && (before - tenant.balance().await - cost).abs() < 1e-9, "{sent}");

    tenant.set_balance(0).await;
    let ended = tenant.owner().post("/events/trigger", trigger).await.data(201).clone();
    assert_eq!((&ended["channel"], &ended["status"]), (&json!("SMS"), &json!("FAILED")));
    assert_eq!(channels(&ended)[1], json!(["EMAIL", null, null]), "there is no money for it");
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn an_idempotency_key_identifies_one_trigger() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    chain(&tenant, json!({})).await;
    let trigger = json!({
        "event": "parcel", "to": "0241234567", "variables": {"firstName": "Ama"}, "async": true,
    });
    let keyed = tenant.owner().with("Idempotency-Key", "parcel-1");

    let first = keyed.post("/events/trigger", trigger.clone()).await;
    let again = keyed.post("/events/trigger", trigger.clone()).await;
    assert_eq!((again.status, &again.data(202)["id"]), (202, &first.data(202)["id"]));
    assert_eq!(again.header("idempotent-replayed"), "true");
    let mut other = trigger.clone();
    other["variables"]["firstName"] = json!("Esi");
    keyed.post("/events/trigger", other).await.fails(422, "IDEMPOTENCY_KEY_REUSED");
    let message =
        json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba Ama", "async": true});
    keyed.post("/messages/send", message).await.fails(422, "IDEMPOTENCY_KEY_REUSED");
    let made = tenant.owner().get("/events").await.data(200)[0].clone();
    patch(&tenant, "/events", &made, json!({"isActive": false})).await.data(200);
    let late = keyed.post("/events/trigger", trigger).await;
    assert_eq!(late.data(202)["id"], first.data(202)["id"], "whatever became of the event");
    assert_eq!(tenant.count("delivery_logs").await, 1);
}
