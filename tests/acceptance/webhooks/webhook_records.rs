//! Records of deliveries to webhook endpoints, and their repetition.

use acceptance::{Tenant, World};
use app::clock::SystemClock;
use chrono::TimeDelta;
use ports::shared::clock::Clock;
use serde_json::{Value, json};

use crate::webhooks::{
    recorded_delivery::{FAILED, record},
    webhook_endpoints::{NOWHERE, UNKNOWN, delete, endpoint, path},
};

const DELIVERED: &str = "status = 'DELIVERED', due_at = NULL, attempts = 1, attempted_at = now(), \
     status_code = 204, took_millis = 7";

/// Creates an organization with recorded deliveries to an endpoint that is never called.
async fn recorded(world: &World) -> (Tenant<'_>, Value) {
    let tenant = world.tenant().await;
    let made = endpoint(&tenant, json!({"url": NOWHERE})).await;
    let id = &tenant.id;
    // Another instance, which does nothing, holds the lease of the endpoint.
    let lease = format!(
        "UPDATE webhook_endpoints SET lease = gen_random_uuid(), \
            leased_until = now() + interval '1 day' WHERE organization_id = '{id}'"
    );
    world.sql(&lease).await;
    record(world, &tenant, &made, "campaign.completed", FAILED).await;
    record(world, &tenant, &made, "contact.opted_out", DELIVERED).await;
    (tenant, made)
}

#[tokio::test]
async fn deliveries_show_their_payload_and_outcome() {
    let world = World::shared().await;
    let (tenant, made) = recorded(&world).await;
    let list = |query: &str| path(&made, &format!("/deliveries{query}"));

    let answer = tenant.owner().get(&list("")).await;
    let [delivered, failed] = answer.data(200).as_array().unwrap().as_slice() else {
        panic!("{}", answer.text)
    };
    assert_eq!(
        failed,
        &json!({
            "id": failed["id"], "event": "campaign.completed", "status": "FAILED", "attempts": 8,
            "statusCode": 503, "error": "STATUS_NOT_SUCCESSFUL", "durationMs": 12,
            "attemptedAt": failed["attemptedAt"], "nextAttemptAt": null,
            "createdAt": failed["createdAt"],
            "body": {
                "id": failed["id"], "event": "campaign.completed",
                "createdAt": failed["createdAt"], "organizationId": tenant.id,
                "data": {"name": "Sale"},
            },
        })
    );
    assert_eq!((&delivered["status"], &delivered["error"]), (&json!("DELIVERED"), &Value::Null));
    assert_eq!(answer.body["pagination"]["total"], 2);

    for (query, expected) in [
        ("?status=FAILED", vec![failed]),
        ("?status=DELIVERED&event=contact.opted_out", vec![delivered]),
        ("?status=PENDING", vec![]),
        ("?event=message.status.updated", vec![]),
        ("?limit=1", vec![delivered]),
        ("?limit=1&page=2", vec![failed]),
        ("?from=2026-01-01T00:00:00Z", vec![delivered, failed]),
        ("?to=2026-01-01T00:00:00Z", vec![]),
    ] {
        let answer = tenant.owner().get(&list(query)).await;
        assert_eq!(answer.data(200), &json!(expected), "{query}");
    }
    for query in ["?status=SENT", "?event=x", "?from=yesterday", "?since=1", "?limit=101"] {
        tenant.owner().get(&list(query)).await.fails(400, "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn a_delivery_is_retried_and_failed_ones_are_recovered() {
    let world = World::shared().await;
    let (tenant, made) = recorded(&world).await;
    let owner = tenant.owner();
    let deliveries = async |query: &str| {
        owner.get(&path(&made, &format!("/deliveries{query}"))).await.data(200).clone()
    };
    let delivered = deliveries("?status=DELIVERED").await[0]["id"].clone();
    let retry = |id: &Value| path(&made, &format!("/deliveries/{}/retry", id.as_str().unwrap()));

    let retried = owner.post(&retry(&delivered), json!({})).await;
    assert_eq!(retried.data(200), &json!({"id": delivered, "status": "PENDING"}));
    let pending = deliveries("?status=PENDING").await;
    assert_eq!((&pending[0]["id"], &pending[0]["attempts"]), (&delivered, &json!(1)));
    assert!(pending[0]["nextAttemptAt"].is_string());
    for unknown in [json!(UNKNOWN), json!("1")] {
        owner.post(&retry(&unknown), json!({})).await.fails(404, "NOT_FOUND");
    }

    let recover = path(&made, "/recover");
    let hours = |hours| json!({"since": SystemClock.now() - TimeDelta::hours(hours)});
    let since = hours(1);
    let recovered = owner.post(&recover, since.clone()).await;
    assert_eq!(recovered.data(200), &json!({"recovered": 1, "hasMore": false}));
    let again = owner.post(&recover, since.clone()).await;
    assert_eq!(again.data(200), &json!({"recovered": 0, "hasMore": false}));
    assert_eq!(deliveries("?status=PENDING").await.as_array().unwrap().len(), 2);
    for wrong in [json!({}), hours(-1), hours(30 * 24 + 1), json!({"since": "yesterday"})] {
        let answer = owner.post(&recover, wrong).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["since"].is_array());
    }

    delete(&owner, &made).await.data(200);
    let ended = deliveries("?status=FAILED").await;
    assert_eq!(ended.as_array().unwrap().len(), 2, "nothing is pending any more");
    assert_eq!(ended[0]["error"], "DEACTIVATED", "the call before had succeeded");
    owner.post(&retry(&delivered), json!({})).await.fails(409, "WEBHOOK_ENDPOINT_INACTIVE");
    owner.post(&recover, since).await.fails(409, "WEBHOOK_ENDPOINT_INACTIVE");
}
