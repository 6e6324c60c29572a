//! Fraud guard: countries, messages to neighbouring numbers, and codes that do not arrive.

use acceptance::{Answer, Caller, Settings, Tenant, World, until, until_some};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use testkit::is_long;

const CURRENT: &str = "/organizations/current";
const ALERTS: &str = "/organizations/traffic-alerts";
const LIMITED: Settings = &[("ATUMPAN_VELOCITY_LIMITS", "on"), ("ATUMPAN_RATE_LIMITS", "off")];
/// Numbers of customers of a busy organization, in the short and in the long form of a test.
const CUSTOMERS: [u64; 2] = [1_000, 3_000];
const NIGERIA: &str = "+2348031234567";
/// Balance that no test spends, in micros.
const PLENTY: i64 = 1_000_000_000;

fn sms(to: &str, category: &str) -> Value {
    json!({"channel": "SMS", "to": to, "body": "Your code is 4711", "category": category})
}

/// Sends the messages, a hundred at a time.
async fn send_all(key: &Caller, messages: &[Value]) {
    for messages in messages.chunks(100) {
        let bulk = json!({"messages": messages, "async": true});
        key.post("/messages/bulk", bulk).await.data(202);
    }
}

async fn set(tenant: &Tenant<'_>, settings: Value) -> Answer {
    let body = json!({"settings": settings});
    tenant.owner().call(Method::PATCH, CURRENT, Some(body)).await
}

/// Sends a message and returns it with its outcome.
async fn outcome(key: &Caller, message: Value) -> Value {
    key.post("/messages/send", message).await.data(201).clone()
}

async fn is_refused_for_fraud(key: &Caller, message: Value, code: &str) -> bool {
    outcome(key, message).await["errorCode"] == code
}

/// Waits until such messages pass: changes apply within a second.
async fn passes(key: &Caller, message: Value) {
    until("it passes", async || outcome(key, message.clone()).await["status"] != "FAILED").await;
}

/// Waits until such messages are rejected, and returns one.
async fn refused(key: &Caller, message: Value, code: &str) -> Value {
    until_some("it is refused", async || {
        let message = outcome(key, message.clone()).await;
        if message["errorCode"] == code { Ok(message) } else { Err(message.to_string()) }
    })
    .await
}

/// Returns the number of messages of an organization that failed with that code.
async fn failed(tenant: &Tenant<'_>, code: &str) -> i64 {
    let query = format!(
        "SELECT count(*) FROM delivery_logs WHERE organization_id = '{}' AND status = 'FAILED' \
            AND error_code = '{code}' AND cost_micros = 0",
        tenant.id
    );
    tenant.world.value(&query).await
}

/// Waits until no message of an organization waits any more, and returns the number that failed so.
async fn failed_in_the_end(tenant: &Tenant<'_>, code: &str) -> i64 {
    let open = format!(
        "SELECT count(*) FROM delivery_logs WHERE organization_id = '{}' \
            AND status IN ('QUEUED', 'PENDING')",
        tenant.id
    );
    until("none waits any more", async || tenant.world.value(&open).await == 0).await;
    failed(tenant, code).await
}

#[tokio::test]
async fn an_attack_is_stopped_and_a_busy_honest_tenant_is_not() {
    let world = World::shared_with(LIMITED).await;
    let (robbed, honest) = (world.tenant().await, world.tenant().await);
    robbed.set_balance(PLENTY).await;
    honest.set_balance(PLENTY).await;
    let (key, honest_key) = (robbed.live_key().await, honest.live_key().await);
    // Bots request codes to a thousand numbers, in every category that the application has.
    let categories = ["OTP", "TRANSACTIONAL", "ALERT", "LOGISTICS", "MARKETING"];
    let block: Vec<_> = (0..800)
        .map(|number| sms(&format!("+233599120{number:03}"), categories[number % 5]))
        .collect();
    // They also request codes to numbers all over a country where the organization has no customers.
    let country: Vec<_> =
        (0..600).map(|number| sms(&format!("+234803{number:03}4567"), "OTP")).collect();
    // A busy tenant writes to customers of all operators.
    let operators = ["20", "24", "26", "27", "50", "54", "55", "59"];
    let customers: Vec<_> = (0..CUSTOMERS[usize::from(is_long())])
        .map(|number| {
            let rest = 1_000_003 + number * 618_033 % 8_000_000;
            sms(&format!("+233{}{rest:07}", operators[(number % 8) as usize]), "OTP")
        })
        .collect();

    let attacks = [send_all(&key, &block), send_all(&key, &country)];
    tokio::join!(join_all(attacks), send_all(&honest_key, &customers));

    assert_eq!(failed_in_the_end(&robbed, "VELOCITY_LIMIT").await, 600 + 400);
    assert_eq!(failed_in_the_end(&honest, "VELOCITY_LIMIT").await, 0);
    let paid = format!(
        "SELECT count(*) FROM delivery_logs WHERE organization_id = '{}' AND cost_micros > 0",
        robbed.id
    );
    assert_eq!(world.value(&paid).await, 200 + 200);
    // Single messages and events are limited too; free messages are not.
    let one = json!({"channel": "VOICE", "to": "+233599120999", "body": "Your code is 4711"});
    assert!(is_refused_for_fraud(&key, one, "VELOCITY_LIMIT").await);
    assert_eq!(triggered(&robbed, "+233599120998").await["errorCode"], "VELOCITY_LIMIT");
    let sandbox = robbed.api_key(json!({"name": "sandbox"})).await;
    assert!(!is_refused_for_fraud(&sandbox, sms("+233599120999", "OTP"), "VELOCITY_LIMIT").await);
    assert!(!is_refused_for_fraud(&key, sms("+233599121999", "OTP"), "VELOCITY_LIMIT").await);
}

/// Creates an event, triggers it for a recipient and returns the answer.
async fn triggered(tenant: &Tenant<'_>, to: &str) -> Value {
    let template = json!({"name": "Code", "channel": "SMS", "body": "Your code is 4711"});
    let template = tenant.owner().post("/templates", template).await.data(201)["id"].clone();
    let event = json!({
        "name": "Code", "slug": "code", "templateId": template, "channelPriority": ["SMS"],
    });
    tenant.owner().post("/events", event).await.data(201);
    let answer = tenant.owner().post("/events/trigger", json!({"event": "code", "to": to})).await;
    answer.data(201).clone()
}

#[tokio::test]
async fn a_refusal_names_the_setting_that_lifts_it() {
    let world = World::shared_with(LIMITED).await;
    let tenant = world.tenant().await;
    tenant.set_balance(PLENTY).await;
    let key = tenant.live_key().await;
    let school: Vec<_> =
        (0..201).map(|number| sms(&format!("+233599120{number:03}"), "TRANSACTIONAL")).collect();
    send_all(&key, &school).await;

    let refusal = outcome(&key, sms("+233599120999", "OTP")).await;
    assert_eq!((&refusal["errorCode"], &refusal["cost"]), (&json!("VELOCITY_LIMIT"), &json!(0.0)));
    let why = refusal["errorMessage"].as_str().unwrap();
    assert!(why.contains("more than 200 messages") && why.contains("velocityLimit"), "{why}");
    set(&tenant, json!({"velocityLimit": 1_000})).await.data(200);
    passes(&key, sms("+233599120999", "OTP")).await;

    let abroad: Vec<_> =
        (0..200).map(|number| sms(&format!("+234803{number:03}4567"), "OTP")).collect();
    send_all(&key, &abroad).await;
    let refusal = refused(&key, sms(NIGERIA, "OTP"), "VELOCITY_LIMIT").await;
    let why = refusal["errorMessage"].as_str().unwrap();
    assert!(why.contains("200 messages within an hour to NG") && why.contains("allowedCountries"));
    set(&tenant, json!({"allowedCountries": ["GH", "NG"]})).await.data(200);
    passes(&key, sms(NIGERIA, "OTP")).await;

    set(&tenant, json!({"allowedCountries": null})).await.data(200);
    refused(&key, sms(NIGERIA, "OTP"), "VELOCITY_LIMIT").await;
    let days = format!(
        "INSERT INTO traffic_days SELECT '{}', 'NG', current_date - ago, 50 \
         FROM generate_series(1, 3) AS ago",
        tenant.id
    );
    world.sql(&days).await;
    set(&tenant, json!({"allowPremiumNumbers": false})).await.data(200);
    passes(&key, sms(NIGERIA, "OTP")).await;
}

#[tokio::test]
async fn messages_to_unlisted_countries_fail_free_of_charge() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = tenant.live_key().await;
    assert_ne!(outcome(&key, sms(NIGERIA, "OTP")).await["status"], "FAILED");
    let before = tenant.balance().await;

    let shown = set(&tenant, json!({"allowedCountries": ["gh", "CI", "GH"]})).await;
    assert_eq!(shown.data(200)["settings"]["allowedCountries"], json!(["CI", "GH"]));
    let refusal = refused(&key, sms(NIGERIA, "OTP"), "COUNTRY_NOT_ALLOWED").await;
    assert_eq!((&refusal["status"], &refusal["cost"]), (&json!("FAILED"), &json!(0.0)));
    assert!(refusal["errorMessage"].as_str().unwrap().contains("allowedCountries"));
    for channel in ["VOICE", "WHATSAPP"] {
        let message = json!({"channel": channel, "to": NIGERIA, "body": "Akwaaba"});
        assert!(is_refused_for_fraud(&key, message, "COUNTRY_NOT_ALLOWED").await, "{channel}");
    }
    let mail =
        json!({"channel": "EMAIL", "to": "ama@example.com", "body": "A", "countryCode": "NG"});
    assert!(!is_refused_for_fraud(&key, mail, "COUNTRY_NOT_ALLOWED").await);
    let failures = failed(&tenant, "COUNTRY_NOT_ALLOWED").await;
    assert_eq!(failures, 3);

    let contact = json!({"firstName": "Ngozi", "phone": NIGERIA});
    tenant.owner().post("/contacts", contact).await.data(201);
    let sale = json!({"name": "Sale", "channel": "SMS", "body": "Sale. Reply STOP to opt out"});
    let sale = tenant.owner().post("/campaigns", sale).await.data(201)["id"].clone();
    let sale = format!("/campaigns/{}", sale.as_str().unwrap());
    let preview = tenant.owner().post(&format!("{sale}/preview"), json!({})).await;
    assert!(preview.text.contains("COUNTRY_NOT_ALLOWED"), "{}", preview.text);
    tenant.owner().post(&format!("{sale}/send"), json!({})).await.data(200);
    until("the campaign's message is refused too", async || {
        failed(&tenant, "COUNTRY_NOT_ALLOWED").await == 4
    })
    .await;

    for (wrong, path) in [
        (json!([]), "settings.allowedCountries"),
        (json!(["GH", "ZZ"]), "settings.allowedCountries.1"),
        (json!("GH"), "settings.allowedCountries"),
    ] {
        let answer = set(&tenant, json!({"allowedCountries": wrong})).await;
        let faults = answer.fails(400, "VALIDATION_ERROR")["fieldErrors"].clone();
        assert_eq!(faults.as_object().unwrap().keys().collect::<Vec<_>>(), [path]);
    }
    set(&tenant, json!({"allowedCountries": null})).await.data(200);
    passes(&key, sms(NIGERIA, "OTP")).await;
    assert!(tenant.balance().await < before);
}

/// Inserts a history of a range: 950 of 1,000 codes of an organization, and as many of others, arrived,
/// and `others_delivered` of the last 200 of others.
async fn past(tenant: &Tenant<'_>, range: i32, others_delivered: i32) {
    let history = format!(
        "INSERT INTO traffic_hours SELECT '{}', {range}, \
            date_trunc('hour', now(), 'UTC') - interval '1 day', 1000, 950; \
         INSERT INTO traffic_hours SELECT gen_random_uuid(), {range}, \
            date_trunc('hour', now(), 'UTC'), 50, {others_delivered} / 4 FROM generate_series(1, 4); \
         INSERT INTO traffic_range_hours SELECT {range}, \
            date_trunc('hour', now(), 'UTC') - interval '1 day', 2000, 1900; \
         INSERT INTO traffic_range_hours SELECT {range}, date_trunc('hour', now(), 'UTC'), 200, \
            {others_delivered}",
        tenant.id
    );
    tenant.world.sql(&history).await;
}

/// Sends sixty codes that do not arrive: the simulated provider loses messages to such numbers.
async fn lose_codes(key: &Caller) {
    let lost: Vec<_> =
        (0..60).map(|number| sms(&format!("+23324{}0000", 100 + number), "OTP")).collect();
    send_all(key, &lost).await;
}

/// Waits until the alert of an organization is mailed, and returns it.
async fn alert(tenant: &Tenant<'_>) -> Value {
    let notified = format!(
        "SELECT count(*) FROM notices WHERE organization_id = '{}' AND status = 'SENT'",
        tenant.id
    );
    until("the owner is notified", async || {
        judge_anew(tenant.world).await;
        tenant.world.value(&notified).await == 1
    })
    .await;
    tenant.owner().get(ALERTS).await.data(200)[0].clone()
}

/// Makes the counts be judged before the minute is over.
async fn judge_anew(world: &World) {
    world.sql("UPDATE traffic_judgements SET judged_at = '-infinity'").await;
}

async fn mails(tenant: &Tenant<'_>) -> i64 {
    let mails = format!(
        "SELECT count(*) FROM delivery_logs WHERE subject = 'Few of your codes arrive' \
            AND recipient = '{}'",
        tenant.email
    );
    tenant.world.value(&mails).await
}

#[tokio::test]
async fn failing_codes_are_stopped_until_an_owner_lifts_the_alert() {
    let world = World::start().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    tenant.verify_email().await;
    let (key, others_key) = (tenant.live_key().await, other.live_key().await);
    past(&tenant, 23_324, 190).await;
    lose_codes(&key).await;

    let alert = alert(&tenant).await;
    assert_eq!((&alert["range"], &alert["codes"]), (&json!("+23324"), &json!(60)));
    assert_eq!((&alert["delivered"], &alert["usualShare"]), (&json!(0), &json!(0.95)));
    assert_eq!(alert["othersShare"], json!(0.95));
    assert!(alert["stoppedUntil"].is_string(), "{alert}");
    let code = || sms("+233241234567", "OTP");
    let refusal = refused(&key, code(), "TRAFFIC_STOPPED").await;
    assert_eq!(refusal["cost"], json!(0.0));
    let lift = format!("{ALERTS}/{}/lift", alert["id"].as_str().unwrap());
    assert!(refusal["errorMessage"].as_str().unwrap().contains(&lift), "{refusal}");
    passes(&key, sms("+233201234567", "OTP")).await;
    passes(&key, sms("+233241234567", "TRANSACTIONAL")).await;
    passes(&others_key, code()).await;

    other.owner().post(&lift, json!({})).await.fails(404, "NOT_FOUND");
    let lifted = tenant.owner().post(&lift, json!({})).await.data(200).clone();
    assert!(lifted["liftedAt"].is_string() && lifted["liftedBy"].is_string(), "{lifted}");
    assert_eq!(tenant.owner().post(&lift, json!({})).await.data(200), &lifted, "and stays so");
    passes(&key, code()).await;
    let audit = world.administrator().await.get("/admin/audit?action=traffic_stop.lifted").await;
    let lines = audit.data(200).as_array().unwrap().clone();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["details"], json!({"range": "+23324", "codes": "60", "delivered": "0"}));

    judge_anew(&world).await;
    let judged = "SELECT count(*) FROM traffic_judgements WHERE judged_at > '-infinity'";
    until("it is judged again", async || world.value(judged).await == 1).await;
    assert_ne!(outcome(&key, code()).await["status"], "FAILED", "an owner has decided");
    assert_eq!((mails(&tenant).await, mails(&other).await), (1, 0));
}

#[tokio::test]
async fn losses_of_the_network_stop_no_organization() {
    let world = World::start().await;
    let tenant = world.tenant().await;
    tenant.verify_email().await;
    let key = tenant.live_key().await;
    past(&tenant, 23_324, 30).await;
    lose_codes(&key).await;

    let alert = alert(&tenant).await;

    assert_eq!((&alert["stoppedUntil"], &alert["othersShare"]), (&Value::Null, &json!(0.15)));
    assert_ne!(outcome(&key, sms("+233241234567", "OTP")).await["status"], "FAILED");
    assert_eq!(mails(&tenant).await, 1);
}
