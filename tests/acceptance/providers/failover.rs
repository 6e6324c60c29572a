//! Several providers for one channel: failover, circuit breakers, and provider states.

use std::time::{Duration, Instant};

use acceptance::{time, until};
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::providers::vendor::{Installation, Mood, SECRET, Vendor, code, nobody, provider, sms};

/// Returns the attempts of a message: provider and outcome of each.
pub(crate) fn attempts(message: &Value) -> Vec<(&str, &str)> {
    let attempts = message["attempts"].as_array().unwrap().iter();
    attempts.map(|it| (it["provider"].as_str().unwrap(), it["outcome"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn fails_over_within_a_second_of_a_refused_connection() {
    let second = Vendor::start().await;
    let service = Installation::start(&[
        provider("first", "africas-talking", &nobody(), 1),
        provider("second", "africas-talking", &second.url(), 2),
    ])
    .await;
    let tenant = service.world.tenant().await;

    let answer = tenant.owner().post("/messages/send", sms()).await;

    let sent = answer.data(201);
    let took = time(&sent["attempts"][1]["startedAt"]) - time(&sent["attempts"][0]["startedAt"]);
    assert!(took < TimeDelta::seconds(1), "{took}");
    assert_eq!((&sent["status"], &sent["provider"]), (&json!("SENT"), &json!("second")));
    assert_eq!(attempts(sent), [("first", "NOT_ACCEPTED"), ("second", "ACCEPTED")]);
    assert_eq!(sent["attempts"][0]["errorCode"], "PROVIDER_UNAVAILABLE");
    assert_eq!(sent["attempts"][1]["providerMessageId"], "ATXid_1");
    assert!((tenant.balance().await - 9.965).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn an_ordinary_message_waits_for_a_late_report() {
    let (first, second) = (Vendor::start().await, Vendor::start().await);
    first.now(Mood::Silent);
    let service = Installation::start(&[
        provider("first", "twilio", &first.url(), 1),
        provider("second", "africas-talking", &second.url(), 2),
    ])
    .await;
    let tenant = service.world.tenant().await;

    let answer = tenant.owner().post("/messages/send", sms()).await;

    let waiting = answer.data(201);
    assert_eq!((&waiting["status"], &waiting["provider"]), (&json!("PENDING"), &json!("first")));
    assert_eq!(attempts(waiting), [("first", "UNKNOWN")]);
    assert_eq!(waiting["errorCode"], "UNKNOWN_OUTCOME");
    let later = "SELECT count(*) FROM delivery_jobs WHERE due_at > now() + interval '10 seconds'";
    until("it waits for a report", async || service.world.value(later).await == 1).await;
    assert_eq!((first.calls(), second.calls()), (1, 0));

    let id = &waiting["id"];
    let path = format!("first?message={}", waiting["internalMessageId"].as_str().unwrap());
    let report = [("MessageSid", "SM1"), ("MessageStatus", "delivered")];
    let answer = service.call_back_as_twilio(&path, SECRET, &report).await;
    assert_eq!(answer.status, 200, "{}", answer.text);

    let delivered = tenant.owner().message_that_is("DELIVERED", id).await;
    assert_eq!(attempts(&delivered), [("first", "UNKNOWN")]);
    assert_eq!((first.calls(), second.calls()), (1, 0));
    assert_eq!(service.world.value("SELECT count(*) FROM delivery_jobs").await, 0);
    assert!((tenant.balance().await - 9.965).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_code_fails_over_from_a_silent_provider_and_costs_once() {
    let (first, second) = (Vendor::start().await, Vendor::start().await);
    first.now(Mood::Silent);
    let service = Installation::start(&[
        provider("first", "africas-talking", &first.url(), 1),
        provider("second", "africas-talking", &second.url(), 2),
    ])
    .await;
    let tenant = service.world.tenant().await;

    let answer = tenant.owner().post("/messages/send", code()).await;

    let sent = answer.data(201);
    assert_eq!((&sent["status"], &sent["provider"]), (&json!("SENT"), &json!("second")));
    assert_eq!(attempts(sent), [("first", "UNKNOWN"), ("second", "ACCEPTED")]);
    assert_eq!((first.calls(), second.calls()), (1, 1));
    assert!((tenant.balance().await - 9.965).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_breaker_opens_sheds_probes_closes_and_says_why() {
    let (first, second) = (Vendor::start().await, Vendor::start().await);
    first.now(Mood::Refuses);
    // Credit for any number of messages until the breaker closes.
    let credit = [("ATUMPAN_TRIAL_CREDIT_GHS", "1000")];
    let (first_url, second_url) = (first.url(), second.url());
    let providers = [
        provider("first", "africas-talking", &first_url, 1),
        provider("second", "africas-talking", &second_url, 2),
    ];
    let service = Installation::start_with(&providers, &credit).await;
    let tenant = service.world.tenant().await;
    let owner = tenant.owner();
    let id = id_of(&owner.get("/providers").await.data(200).clone(), "first");
    let send = || async { owner.post("/messages/send", sms()).await.data(201).clone() };

    for _ in 0..5 {
        assert_eq!(send().await["provider"], "second");
    }
    let opened = Instant::now();
    assert_eq!(first.calls(), 5);
    let shown = owner.get(&format!("/providers/{id}")).await;
    assert_eq!(shown.data(200)["status"], "DOWN");
    for _ in 0..3 {
        assert_eq!(attempts(&send().await), [("second", "ACCEPTED")]);
    }
    assert!(opened.elapsed() < Duration::from_secs(3), "the machine is too slow to tell");
    assert_eq!(first.calls(), 5, "it sheds");

    let is_probed = async || attempts(&send().await)[0] == ("first", "NOT_ACCEPTED");
    until("the first is probed", is_probed).await;
    assert_eq!(first.calls(), 6);
    assert_eq!(attempts(&send().await), [("second", "ACCEPTED")]);

    first.now(Mood::Takes);
    let is_back = async || attempts(&send().await) == [("first", "ACCEPTED")];
    until("the first takes messages", is_back).await;
    assert_eq!(send().await["provider"], "first", "it is closed");

    let shown = owner.get(&format!("/providers/{id}")).await;
    let shown = shown.data(200);
    assert_eq!(shown["status"], "UP");
    let history = shown["healthHistory"].as_array().unwrap();
    let events: Vec<_> = history.iter().filter(|event| event["event"] == "BREAKER").collect();
    let statuses: Vec<_> = events.iter().map(|event| event["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["CLOSED", "OPEN", "OPEN"], "newest first: {history:?}");
    assert_eq!(events[0]["message"], "it takes messages");
    for opening in &events[1..] {
        let reason = opening["message"].as_str().unwrap();
        assert!(reason.starts_with("PROVIDER_UNAVAILABLE: "), "{reason}");
    }
}

#[tokio::test]
async fn providers_are_shown_without_their_secrets() {
    let vendor = Vendor::start().await;
    let (url, dead) = (vendor.url(), nobody());
    let service = Installation::start(&[
        provider("alive", "africas-talking", &url, 7),
        provider("dead", "africas-talking", &dead, 8),
        provider("whatsapp", "twilio-whatsapp", &url, 9),
    ])
    .await;
    let tenant = service.world.tenant().await;
    let owner = tenant.owner();
    service.world.get("/providers").await.fails(401, "UNAUTHORIZED");

    let answer = owner.get("/providers").await;
    let listed = answer.data(200);
    let alive = listed.as_array().unwrap().iter().find(|it| it["name"] == "alive").unwrap();
    assert_eq!((&alive["channel"], &alive["kind"]), (&json!("SMS"), &json!("africas-talking")));
    assert_eq!((&alive["isActive"], &alive["status"]), (&json!(true), &json!("UP")));
    assert_eq!(alive["routes"], json!([{"countryCode": "GH", "priority": 7}]));
    assert_eq!(alive["health"], Value::Null);

    for (name, status) in [("alive", "UP"), ("dead", "DOWN"), ("whatsapp", "UP")] {
        let path = format!("/providers/{}", id_of(listed, name));
        let checked = owner.post(&format!("{path}/health-check"), json!({})).await;
        let health = checked.data(200);
        assert_eq!(health["status"], status, "{name}: {health}");
        assert!(health["latencyMs"].is_number() && health["checkedAt"].is_string(), "{health}");

        let shown = owner.get(&path).await;
        assert_eq!(&shown.data(200)["health"], health);
        let event = &shown.data(200)["healthHistory"][0];
        assert_eq!((&event["event"], &event["status"]), (&json!("CHECK"), &json!(status)));
        for answer in [&checked, &shown] {
            assert!(!answer.text.contains(SECRET), "{}", answer.text);
        }
    }
    assert_eq!(vendor.calls(), 0, "nothing is sent");
    assert!(!owner.get("/providers").await.text.contains(SECRET));
    for unknown in ["01a1fe23-0000-7000-8000-00000000000f", "nonsense"] {
        let path = format!("/providers/{unknown}");
        owner.get(&path).await.fails(404, "NOT_FOUND");
        let check = owner.post(&format!("{path}/health-check"), json!({})).await;
        check.fails(404, "NOT_FOUND");
    }
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn every_session_sees_providers_and_an_api_key_does_not() {
    let vendor = Vendor::start().await;
    let service = Installation::start(&[provider("only", "twilio", &vendor.url(), 7)]).await;
    let (world, tenant) = (&service.world, service.world.tenant().await);
    let outsider = world.user("kofi@example.com").await;
    let signed_in = |path: &str| {
        let request = world.http.get(format!("{}{path}", world.url));
        world.send(request.bearer_auth(outsider["token"].as_str().unwrap()))
    };

    let listed = signed_in("/providers").await;
    let path = format!("/providers/{}", id_of(listed.data(200), "only"));
    let check = format!("{path}/health-check");
    tenant.owner().post(&check, json!({})).await.data(200);
    let shown = signed_in(&path).await;

    let fields = ["channel", "health", "id", "isActive", "kind", "name", "routes", "status"];
    let names: Vec<_> = listed.data(200).as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert!(names.is_sorted_by_key(|name| name.as_str()), "{names:?}");
    assert!(listed.data(200).as_array().unwrap().iter().all(|it| keys(it) == fields));
    let mut more = [fields.as_slice(), &["healthHistory"]].concat();
    more.sort_unstable();
    assert_eq!(keys(shown.data(200)), more);
    assert_eq!(keys(&shown.data(200)["health"]), ["checkedAt", "latencyMs", "message", "status"]);
    let event = &shown.data(200)["healthHistory"][0];
    assert_eq!(keys(event), ["at", "event", "latencyMs", "message", "status"]);

    let key = tenant.live_key().await;
    for refused in [key.get("/providers").await, key.get(&path).await] {
        refused.fails(401, "SESSION_REQUIRED");
    }
    key.post(&check, json!({})).await.fails(401, "SESSION_REQUIRED");
    for path in [&path, &check] {
        let guest =
            if *path == check { world.post(path, json!({})).await } else { world.get(path).await };
        guest.fails(401, "UNAUTHORIZED");
    }
    assert_eq!(
        shown.data(200)["healthHistory"].as_array().unwrap().len(),
        1,
        "others left no trace"
    );
}

pub(crate) fn id_of(providers: &Value, name: &str) -> String {
    let mut providers = providers.as_array().unwrap().iter();
    let provider = providers.find(|provider| provider["name"] == name).unwrap();
    provider["id"].as_str().unwrap().to_owned()
}
