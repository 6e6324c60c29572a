//! Webhook endpoints, as organizations see and change them. Other files test deliveries to them.

use std::time::Duration;

use acceptance::{Answer, Caller, Received, Receiver, Reply, Tenant, World};
use app::clock::SystemClock;
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use ports::shared::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::webhooks::recorded_delivery::record;

const LIST: &str = "/webhook-endpoints";
pub(crate) const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";
/// URL that is accepted but cannot be called.
pub(crate) const NOWHERE: &str = "https://hooks.kente.invalid/atumpan";

pub(crate) async fn endpoint(tenant: &Tenant<'_>, body: Value) -> Value {
    tenant.owner().post(LIST, body).await.data(201).clone()
}

pub(crate) fn path(endpoint: &Value, rest: &str) -> String {
    format!("{LIST}/{}{rest}", endpoint["id"].as_str().unwrap())
}

async fn patch(caller: &Caller, endpoint: &Value, changes: Value) -> Answer {
    caller.call(Method::PATCH, &path(endpoint, ""), Some(changes)).await
}

pub(crate) async fn delete(caller: &Caller, endpoint: &Value) -> Answer {
    caller.call(Method::DELETE, &path(endpoint, ""), None).await
}

/// Returns an endpoint as all answers but that of its creation show it.
fn without_secret(endpoint: &Value) -> Value {
    let mut shown = endpoint.clone();
    shown.as_object_mut().unwrap().remove("secret").unwrap();
    shown
}

#[tokio::test]
async fn an_endpoint_shows_its_secret_once_to_its_organization() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let first = endpoint(&own, json!({"url": NOWHERE})).await;
    let events = json!(["campaign.completed", "contact.opted_out", "campaign.completed"]);
    let second = endpoint(&own, json!({"url": NOWHERE, "events": events})).await;

    assert_eq!(
        first,
        json!({
            "id": first["id"], "url": NOWHERE, "isActive": true, "allEvents": true,
            "events": [
                "message.status.updated", "contact.opted_out", "campaign.completed",
                "campaign.started", "import.completed", "template.approved", "template.rejected",
                "wallet.low", "top_up.completed",
            ],
            "deactivation": null, "failingSince": null, "previousSecretUntil": null,
            "createdAt": first["createdAt"], "secret": first["secret"],
        })
    );
    let secret = first["secret"].as_str().unwrap().strip_prefix("whsec_").unwrap();
    assert_eq!(BASE64_STANDARD.decode(secret).unwrap().len(), 24);
    assert_ne!(first["secret"], second["secret"]);
    assert_eq!(second["events"], json!(["contact.opted_out", "campaign.completed"]));
    assert_eq!(second["allEvents"], false);

    let list = own.owner().get(LIST).await;
    assert_eq!(list.data(200), &json!([without_secret(&second), without_secret(&first)]));
    assert_eq!(list.body["pagination"]["total"], 2);
    let page = own.owner().get(&format!("{LIST}?page=2&limit=1")).await;
    assert_eq!(page.data(200), &json!([without_secret(&first)]));
    assert_eq!(other.owner().get(LIST).await.data(200), &json!([]));
    for answer in [
        patch(&other.owner(), &first, json!({"isActive": false})).await,
        delete(&other.owner(), &first).await,
        other.owner().post(&path(&first, "/test"), json!({})).await,
        other.owner().get(&path(&first, "/deliveries")).await,
        other.owner().post(&path(&first, "/rotate-secret"), json!({})).await,
    ] {
        answer.fails(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn reports_faults_of_an_endpoint_by_field() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for body in [json!({}), json!({"url": ""}), json!({"url": "  ", "events": []})] {
        tenant.owner().post(LIST, body).await.fails(400, "URL_REQUIRED");
    }
    for (body, fields) in [
        (json!({"url": "kente"}), vec!["url"]),
        (json!({"url": "ftp://kente.invalid"}), vec!["url"]),
        (json!({"url": "https://ama:secret@kente.invalid"}), vec!["url"]),
        (json!({"url": "https://169.254.169.254/latest"}), vec!["url"]),
        (json!({"url": format!("{NOWHERE}/{}", "a".repeat(2_048))}), vec!["url"]),
        (json!({"url": 7, "events": "all"}), vec!["events", "url"]),
        (
            json!({"url": "kente", "events": ["campaign.completed", "message.sent", 7]}),
            vec!["events.1", "events.2", "url"],
        ),
    ] {
        let answer = tenant.owner().post(LIST, body.clone()).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        let found = details["fieldErrors"].as_object().unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), fields, "{body}: {}", answer.text);
    }
    assert_eq!(tenant.count("webhook_endpoints").await, 0);

    let made = endpoint(&tenant, json!({"url": NOWHERE})).await;
    let wrong = json!({"url": "http://[fe80::1]", "events": ["x"], "isActive": 1, "secret": "x"});
    let answer = patch(&tenant.owner(), &made, wrong).await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    let found: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    assert_eq!(found, ["events.0", "isActive", "secret", "url"], "{}", answer.text);
    for path in [format!("{LIST}/{UNKNOWN}"), format!("{LIST}/1")] {
        let body = Some(json!({"isActive": true}));
        tenant.owner().call(Method::PATCH, &path, body).await.fails(404, "NOT_FOUND");
        tenant.owner().call(Method::DELETE, &path, None).await.fails(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn a_deleted_endpoint_stays_listed_and_can_be_reactivated() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = endpoint(&tenant, json!({"url": NOWHERE, "events": ["campaign.completed"]})).await;

    let deleted = delete(&tenant.owner(), &made).await;
    let mut expected = without_secret(&made);
    expected["isActive"] = json!(false);
    assert_eq!(deleted.data(200), &expected);
    assert_eq!(delete(&tenant.owner(), &made).await.data(200), &expected);
    assert_eq!(tenant.owner().get(LIST).await.data(200), &json!([expected]));
    tenant.owner().post(&path(&made, "/test"), json!({})).await.fails(404, "NOT_FOUND");

    let changes = json!({"isActive": true, "url": "https://2.kente.invalid/", "events": null});
    let changed = patch(&tenant.owner(), &made, changes).await;
    let changed = changed.data(200);
    assert_eq!((&changed["isActive"], &changed["allEvents"]), (&json!(true), &json!(true)));
    assert_eq!(changed["url"], "https://2.kente.invalid/");
    assert_eq!(patch(&tenant.owner(), &made, json!({})).await.data(200), changed);
}

#[tokio::test]
async fn limits_active_endpoints_and_counts_no_deactivated_one() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let mut last = Value::Null;
    for _ in 0..20 {
        last = endpoint(&tenant, json!({"url": NOWHERE})).await;
    }
    let create = async || tenant.owner().post(LIST, json!({"url": NOWHERE})).await;
    create().await.fails(409, "WEBHOOK_ENDPOINT_LIMIT_REACHED");
    delete(&tenant.owner(), &last).await.data(200);
    create().await.data(201);
    let activated = patch(&tenant.owner(), &last, json!({"isActive": true})).await;
    activated.fails(409, "WEBHOOK_ENDPOINT_LIMIT_REACHED");

    let id = &tenant.id;
    let off =
        format!("UPDATE webhook_endpoints SET is_active = false WHERE organization_id = '{id}'");
    for _ in 0..90 {
        world.sql(&acceptance::silent_endpoint(id)).await;
    }
    world.sql(&off).await;
    create().await.data(201);
    patch(&tenant.owner(), &last, json!({"isActive": true})).await.data(200);
    assert_eq!(tenant.count("webhook_endpoints").await, 112);
}

#[tokio::test]
async fn a_removed_endpoint_is_gone_and_its_deliveries_stay() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let made = endpoint(&own, json!({"url": NOWHERE})).await;
    let id = &own.id;
    let lease = "lease = gen_random_uuid(), leased_until = now() + interval '1 day'";
    world
        .sql(&format!("UPDATE webhook_endpoints SET {lease} WHERE organization_id = '{id}'"))
        .await;
    record(&world, &own, &made, "campaign.completed", "attempts = 1, due_at = 'infinity'").await;
    let removal = path(&made, "?permanent=true");
    let remove = async |caller: &Caller| caller.call(Method::DELETE, &removal, None).await;

    remove(&other.owner()).await.fails(404, "NOT_FOUND");
    let unclear = path(&made, "?permanent=perhaps");
    let unclear = own.owner().call(Method::DELETE, &unclear, None).await;
    assert!(unclear.fails(400, "VALIDATION_ERROR")["fieldErrors"]["permanent"].is_array());
    let removed = remove(&own.owner()).await;
    assert_eq!((removed.status, removed.text.as_str()), (204, ""));

    assert_eq!(own.owner().get(LIST).await.data(200), &json!([]));
    remove(&own.owner()).await.fails(404, "NOT_FOUND");
    patch(&own.owner(), &made, json!({"isActive": true})).await.fails(404, "NOT_FOUND");
    let deliveries = path(&made, "/deliveries");
    let kept = own.owner().get(&deliveries).await;
    assert_eq!(kept.data(200)[0]["status"], "FAILED", "{}", kept.text);
    let none = own.owner().get(&format!("{deliveries}?status=DELIVERED")).await;
    assert_eq!(none.data(200), &json!([]));
    other.owner().get(&deliveries).await.fails(404, "NOT_FOUND");
}

/// Starts a receiver that answers with that status.
async fn receiver(status: u16) -> Receiver {
    Receiver::start(move |_, _| Reply::text(status, "a secret of the network")).await
}

fn header<'r>(request: &'r Received, name: &str) -> &'r str {
    request.headers.get(name).unwrap_or_else(|| panic!("{name} is sent"))
}

fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

#[tokio::test]
async fn a_test_event_is_signed_and_hides_the_receivers_answer() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let server = receiver(200).await;
    let made = endpoint(&tenant, json!({"url": format!("{}/hook", server.url)})).await;

    for (event, field) in [
        (None, "internalMessageId"),
        (Some("contact.opted_out"), "phone"),
        (Some("campaign.completed"), "audience"),
        (Some("campaign.started"), "startedAt"),
        (Some("import.completed"), "kind"),
        (Some("template.approved"), "body"),
        (Some("template.rejected"), "comment"),
        (Some("wallet.low"), "lowBalanceThreshold"),
        (Some("top_up.completed"), "creditedAt"),
    ] {
        let body = event.map_or(json!({}), |event| json!({"event": event}));
        let answer = tenant.owner().post(&path(&made, "/test"), body).await;
        let data = answer.data(200);
        assert_eq!(
            data,
            &json!({
                "delivered": true, "statusCode": 200, "durationMs": data["durationMs"],
                "error": null,
            })
        );
        assert!(data["durationMs"].is_u64() && !answer.text.contains("secret"));
        let request = server.received().pop().unwrap();
        let payload: Value = request.json();
        let event = event.unwrap_or("message.status.updated");
        assert_eq!(
            (&payload["event"], &payload["organizationId"]),
            (&json!(event), &json!(tenant.id))
        );
        assert!(!payload["data"][field].is_null(), "{payload}");
        assert_eq!(header(&request, "x-service-event"), event);
        assert_eq!(payload["id"], header(&request, "webhook-id"));
        let secret = made["secret"].as_str().unwrap();
        let hex = hmac(secret.as_bytes(), request.body.as_bytes());
        let hex = hex.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        assert_eq!(header(&request, "x-service-signature"), hex);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(tenant.count("webhook_deliveries").await, 0);
    assert_eq!(tenant.count("outbound_events").await, 0);
}

#[tokio::test]
async fn an_undelivered_test_event_says_why() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let server = receiver(500).await;
    for (url, status, error) in [
        (server.url.clone(), json!(500), "STATUS_NOT_SUCCESSFUL"),
        (NOWHERE.to_owned(), Value::Null, "NOT_RESOLVED"),
    ] {
        let made = endpoint(&tenant, json!({"url": url})).await;
        let answer = tenant.owner().post(&path(&made, "/test"), json!({})).await;
        let data = answer.data(200);
        assert_eq!((&data["delivered"], &data["statusCode"]), (&json!(false), &status));
        assert_eq!(data["error"], error);
    }

    let made = endpoint(&tenant, json!({"url": server.url.clone()})).await;
    let test = path(&made, "/test");
    let (owner, other) = (tenant.owner(), tenant.owner());
    let (first, second) = tokio::join!(owner.post(&test, json!({})), other.post(&test, json!({})));
    let (done, refused) = if first.status == 200 { (first, second) } else { (second, first) };
    done.data(200);
    refused.fails(429, "RATE_LIMITED");
    assert_eq!(refused.header("retry-after"), "1");
    let unknown = json!({"event": "message.sent"});
    let details = tenant.owner().post(&test, unknown).await;
    assert!(details.fails(400, "VALIDATION_ERROR")["fieldErrors"]["event"].is_array());
}

#[tokio::test]
async fn a_rotation_shows_the_new_secret_once_and_keeps_the_old_one() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let server = receiver(204).await;
    let made = endpoint(&tenant, json!({"url": server.url.clone()})).await;

    let rotated = tenant.owner().post(&path(&made, "/rotate-secret"), json!({})).await;
    let rotated = rotated.data(200);
    assert_ne!(rotated["secret"], made["secret"]);
    let until = rotated["previousSecretUntil"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    let left = until - SystemClock.now();
    assert!(left > TimeDelta::hours(23) && left <= TimeDelta::hours(24), "{left}");
    let list = tenant.owner().get(LIST).await;
    assert_eq!(list.data(200), &json!([without_secret(rotated)]));

    tenant.owner().post(&path(&made, "/test"), json!({})).await.data(200);
    let request = server.received().pop().unwrap();
    let (id, at) = (header(&request, "webhook-id"), header(&request, "webhook-timestamp"));
    let signed = format!("{id}.{at}.{}", request.body);
    let signatures: Vec<_> = [&rotated["secret"], &made["secret"]]
        .into_iter()
        .map(|secret| {
            let key = secret.as_str().unwrap().trim_start_matches("whsec_");
            let signature = hmac(&BASE64_STANDARD.decode(key).unwrap(), signed.as_bytes());
            format!("v1,{}", BASE64_STANDARD.encode(signature))
        })
        .collect();
    assert_eq!(header(&request, "webhook-signature"), signatures.join(" "));
}

#[tokio::test]
async fn recommends_repairing_a_failing_webhook() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = endpoint(&tenant, json!({"url": NOWHERE})).await;
    let id = &tenant.id;
    let recommended = async |since: &str| {
        world
            .sql(&format!(
                "UPDATE webhook_endpoints SET failing_since = {since} \
                 WHERE organization_id = '{id}'; \
                 UPDATE recommendations SET due_at = now() WHERE organization_id = '{id}'"
            ))
            .await;
        tenant.owner().get("/analytics/recommendations").await.data(200).clone()
    };

    let found = recommended("now() - interval '2 days 1 minute'").await;
    assert_eq!(found[0]["code"], "WEBHOOK_FAILS");
    assert!(found[0]["message"].as_str().unwrap().contains("hooks.kente.invalid have failed"));
    assert!(!found.to_string().contains("/atumpan"), "the rest of a URL may be a secret");
    assert_eq!(recommended("NULL").await, json!([]));
    delete(&tenant.owner(), &made).await.data(200);
}
