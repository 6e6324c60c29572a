//! Queues of webhook endpoints: due deliveries, leases and attempts.

mod course;
mod fresh;

use std::{collections::HashSet, sync::Arc};

use acceptance::silent_endpoint;
use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgStore, PgWebhookQueue};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    shared::id::Id,
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{CallFailure, Deactivation, Failing},
    },
};
use ports::webhooks::webhook_queue::{
    AfterAttempt, DeliveryAttempt, DueDeliveries, DueRequest, EndpointChange, EndpointKey,
    WebhookQueue,
};
use uuid::Uuid;

use crate::{World, messaging::claims::COUNTING, now};

fn queue(world: &World) -> PgWebhookQueue {
    let store = PgStore::connect_writers(&world.url, 1).unwrap();
    let instance = PgInstance::new(store.clone(), Arc::new(SystemRandom));
    PgWebhookQueue::new(store, &instance)
}

/// An endpoint of a new organization.
async fn endpoint(world: &World) -> EndpointKey {
    let organization = world.organization().await.id;
    world.sql(&silent_endpoint(&organization.to_string())).await;
    let query =
        format!("SELECT id FROM webhook_endpoints WHERE organization_id = '{organization}'");
    let id: Uuid = world.client().await.query_one(&query, &[]).await.unwrap().get(0);
    EndpointKey { organization, endpoint: Id::of(id) }
}

/// Publishes events to an endpoint, each a second after the one before and due since then.
async fn publish(world: &World, key: EndpointKey, count: u32) {
    let EndpointKey { organization, endpoint } = key;
    world
        .sql(&format!(
            "WITH told AS (INSERT INTO outbound_events \
                (organization_id, id, event, subject_id, data, created_at) \
                SELECT '{organization}', uuid_v7_in(now(), '{organization}'), 'campaign.completed', \
                    '{organization}', '{{\"number\":' || number || '}}', \
                    now() - ({count} - number + 1) * interval '1 s' \
                FROM generate_series(1, {count}) AS number RETURNING *) \
             INSERT INTO webhook_deliveries (organization_id, endpoint_id, id, due_at) \
             SELECT organization_id, '{endpoint}', id, created_at FROM told"
        ))
        .await;
}

fn request(key: EndpointKey, wanted: usize) -> DueRequest {
    DueRequest { key, wanted, in_flight: Vec::new(), since: None }
}

async fn due(queue: &PgWebhookQueue, request: DueRequest) -> DueDeliveries {
    let mut read = queue.due(&[request]).await.unwrap();
    assert_eq!(read.len(), 1);
    read.remove(0)
}

fn data_of(read: &DueDeliveries) -> Vec<&str> {
    read.due.iter().map(|delivery| delivery.event.data.as_str()).collect()
}

fn ids(read: &DueDeliveries) -> Vec<Id<OutboundEvent>> {
    read.due.iter().map(|delivery| delivery.event.id).collect()
}

fn attempt(key: EndpointKey, id: Id<OutboundEvent>, next: AfterAttempt) -> DeliveryAttempt {
    DeliveryAttempt {
        key,
        id,
        earlier: 0,
        at: now(),
        status_code: Some(500),
        failure: None,
        took: TimeDelta::milliseconds(12),
        next,
    }
}

/// Status, attempts, seconds until due and status code of a delivery.
async fn kept(world: &World, id: Id<OutboundEvent>) -> (String, i16, Option<i64>, Option<i16>) {
    let query = format!(
        "SELECT status, attempts, extract(epoch FROM due_at - now())::bigint, status_code \
         FROM webhook_deliveries WHERE id = '{id}'"
    );
    let row = world.client().await.query_one(&query, &[]).await.unwrap();
    (row.get(0), row.get(1), row.get(2), row.get(3))
}

#[tokio::test]
async fn one_instance_at_a_time_reads_an_endpoint_queue_in_order() {
    let world = World::new().await;
    let (own, other) = (queue(&world), queue(&world));
    let key = endpoint(&world).await;
    assert_eq!(own.lease_of(&[key.organization]).await.unwrap(), [], "nothing is due to it");
    publish(&world, key, 3).await;

    assert_eq!(own.lease_of(&[key.organization]).await.unwrap(), [key]);
    assert_eq!(other.lease_of(&[key.organization]).await.unwrap(), []);
    assert_eq!(due(&other, request(key, 10)).await.endpoint, None);

    let first = due(&own, request(key, 2)).await;
    assert_eq!(data_of(&first), ["{\"number\":1}", "{\"number\":2}"]);
    assert!(first.has_more);
    assert_eq!(first.endpoint.as_ref().unwrap().url, "https://192.0.2.1");
    let rest = due(&own, DueRequest { in_flight: ids(&first), ..request(key, 10) }).await;
    assert_eq!((data_of(&rest), rest.has_more), (vec!["{\"number\":3}"], false));
    assert_eq!(rest.none_before, first.none_before, "what is in hand counts");
    let late = Some(rest.none_before + TimeDelta::milliseconds(1_500));
    let late = due(&own, DueRequest { since: late, ..request(key, 10) }).await;
    assert_eq!(data_of(&late), ["{\"number\":3}"]);

    own.give_back(&[key]).await.unwrap();
    assert_eq!(other.lease_of(&[key.organization]).await.unwrap(), [key]);
    other.give_all_back().await.unwrap();
    assert_eq!(own.lease_of(&[key.organization]).await.unwrap(), [key]);
}

#[tokio::test]
async fn each_endpoint_queue_holds_its_own_due_deliveries_only() {
    let world = World::new().await;
    let own = queue(&world);
    let (key, other) = (endpoint(&world).await, endpoint(&world).await);
    publish(&world, key, 2).await;
    publish(&world, other, 1).await;
    world
        .sql(&format!(
            "UPDATE webhook_deliveries SET due_at = now() + interval '1 min' WHERE id = \
             (SELECT id FROM outbound_events WHERE organization_id = '{}' AND data LIKE '%1}}')",
            key.organization
        ))
        .await;
    own.lease_of(&[key.organization, other.organization]).await.unwrap();

    let read = own.due(&[request(key, 10), request(other, 10)]).await.unwrap();

    assert_eq!(read.iter().map(|it| it.key).collect::<Vec<_>>(), [key, other]);
    assert_eq!(data_of(&read[0]), ["{\"number\":2}"]);
    assert_eq!(data_of(&read[1]), ["{\"number\":1}"]);
}

#[tokio::test]
async fn an_attempt_is_recorded_once_with_its_outcome() {
    let world = World::new().await;
    let own = queue(&world);
    let key = endpoint(&world).await;
    publish(&world, key, 3).await;
    own.lease_of(&[key.organization]).await.unwrap();
    let ids = ids(&due(&own, request(key, 10)).await);
    let retry = AfterAttempt::Retry(TimeDelta::minutes(5));
    let unanswered = DeliveryAttempt {
        status_code: None,
        failure: Some(CallFailure::TimedOut),
        ..attempt(key, ids[2], AfterAttempt::Failed)
    };
    let delivered =
        DeliveryAttempt { status_code: Some(204), ..attempt(key, ids[0], AfterAttempt::Delivered) };
    let attempts = [delivered, attempt(key, ids[1], retry), unanswered];

    own.record(&attempts, &[]).await.unwrap();
    // Another instance, which lost the lease, reports the same deliveries.
    own.record(&[attempt(key, ids[0], retry), attempt(key, ids[1], AfterAttempt::Delivered)], &[])
        .await
        .unwrap();

    assert_eq!(kept(&world, ids[0]).await, ("DELIVERED".to_owned(), 1, None, Some(204)));
    let (status, attempts, due_in, code) = kept(&world, ids[1]).await;
    assert_eq!((status.as_str(), attempts, code), ("PENDING", 1, Some(500)));
    assert!((280..=300).contains(&due_in.unwrap()), "{due_in:?}");
    assert_eq!(kept(&world, ids[2]).await, ("FAILED".to_owned(), 1, None, None));
    assert!(due(&own, request(key, 10)).await.due.is_empty());
}

#[tokio::test]
async fn endpoints_of_a_dead_instance_are_leased_by_others() {
    let world = World::alone().await;
    let store = PgStore::connect_writers(&world.url, 1).unwrap();
    let dead = PgInstance::new(store.clone(), Arc::new(SystemRandom));
    let queue_of_dead = PgWebhookQueue::new(store.clone(), &dead);
    dead.heartbeat().await.unwrap();
    let key = endpoint(&world).await;
    publish(&world, key, 1).await;
    assert_eq!(queue_of_dead.look(None).await.unwrap().leased, [key]);
    let own = queue(&world);
    assert_eq!(own.look(None).await.unwrap().leased, []);
    world.sql("UPDATE instances SET seen_at = now() - interval '1 minute'").await;

    let living = PgInstance::new(store, Arc::new(SystemRandom));
    living.heartbeat().await.unwrap();
    living.release_dead_instances().await.unwrap();

    assert_eq!(own.look(None).await.unwrap().leased, [key]);
    assert_eq!(due(&queue_of_dead, request(key, 1)).await.endpoint, None);
    living.release_all_jobs().await.unwrap();
    assert_eq!(queue(&world).look(None).await.unwrap().leased, [key]);
}

#[tokio::test]
async fn looks_lease_all_due_endpoints_in_batches() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    many_endpoints(&world, organization, 450).await;
    world
        .sql(
            "UPDATE webhook_deliveries SET due_at = now() + interval '1 h' WHERE endpoint_id IN \
             (SELECT id FROM webhook_endpoints ORDER BY id LIMIT 100)",
        )
        .await;
    let own = queue(&world);
    let (mut leased, mut after, mut looks) = (HashSet::new(), None, 0);
    loop {
        let look = own.look(after).await.unwrap();
        leased.extend(look.leased);
        looks += 1;
        after = look.next;
        if after.is_none() {
            break;
        }
    }

    assert_eq!((leased.len(), looks), (350, 3));
    let again = own.look(None).await.unwrap();
    assert_eq!(again.leased.len(), 100, "its own are found again");
    assert_eq!(queue(&world).look(None).await.unwrap().leased, []);
}

/// Creates endpoints, each with a due delivery.
async fn many_endpoints(world: &World, organization: Id<Organization>, count: u32) {
    let endpoint = silent_endpoint(&organization.to_string());
    world
        .sql(&format!(
            "INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, created_at) \
             SELECT '{organization}', uuid_v7_in(now() + number * interval '1 ms', '{organization}'), \
                'https://192.0.2.1', 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3', now(), now() \
             FROM generate_series(1, {count} - 1) AS number; {endpoint}; \
             INSERT INTO outbound_events SELECT '{organization}', \
                uuid_v7_in(now(), '{organization}'), 'campaign.completed', '{organization}', '{{}}', now(); \
             INSERT INTO webhook_deliveries (organization_id, endpoint_id, id) \
             SELECT organization_id, endpoint.id, event.id \
             FROM webhook_endpoints endpoint JOIN outbound_events event USING (organization_id)"
        ))
        .await;
}

#[tokio::test]
async fn pending_deliveries_of_an_inactive_endpoint_fail() {
    let world = World::alone().await;
    let own = queue(&world);
    let key = endpoint(&world).await;
    publish(&world, key, 2_500).await;
    world.sql("UPDATE webhook_endpoints SET is_active = false").await;
    let waiting = "SELECT count(*) FROM webhook_deliveries WHERE due_at IS NOT NULL \
                   OR status <> 'FAILED' OR attempts <> 0";
    let waiting =
        async || -> i64 { world.client().await.query_one(waiting, &[]).await.unwrap().get(0) };

    assert_eq!(own.look(None).await.unwrap().leased, []);
    assert_eq!(waiting().await, 500);
    own.look(None).await.unwrap();
    assert_eq!(waiting().await, 0);
}

fn change(key: EndpointKey, failing_since: Option<DateTime<Utc>>) -> EndpointChange {
    let has_succeeded = failing_since.is_none();
    EndpointChange { key, has_succeeded, failing_since, deactivation: None }
}

#[tokio::test]
async fn owners_are_notified_once_per_failure_of_an_endpoint() {
    let world = World::alone().await;
    let own = queue(&world);
    let key = endpoint(&world).await;
    publish(&world, key, 1).await;
    own.lease_of(&[key.organization]).await.unwrap();
    let since = now();
    own.record(&[], &[change(key, Some(since))]).await.unwrap();
    own.record(&[], &[change(key, Some(since + TimeDelta::hours(1)))]).await.unwrap();
    let note = async |at| world.store.note_failing_endpoints(at).await.unwrap();
    let day = since + TimeDelta::days(1);

    assert_eq!(note(day - TimeDelta::seconds(1)).await, 0);
    let (one, other) = tokio::join!(note(day), note(day));
    assert_eq!((one + other, note(day).await), (1, 0));
    let known = due(&own, request(key, 0)).await.endpoint.unwrap().failing.unwrap();
    assert_eq!(known, Failing { since, notified_at: Some(day) });

    own.record(&[], &[change(key, None)]).await.unwrap();
    assert_eq!(due(&own, request(key, 0)).await.endpoint.unwrap().failing, None);
    let again = since + TimeDelta::hours(2);
    own.record(&[], &[change(key, Some(again))]).await.unwrap();
    assert_eq!(note(again + TimeDelta::days(1)).await, 1);
    let notices = "SELECT count(*) FROM notices WHERE kind = 'FAILING_ENDPOINT'";
    let notices: i64 = world.client().await.query_one(notices, &[]).await.unwrap().get(0);
    assert_eq!(notices, 2);
}

#[tokio::test]
async fn a_deactivated_endpoint_keeps_the_reason_and_no_lease() {
    let world = World::new().await;
    let own = queue(&world);
    let key = endpoint(&world).await;
    publish(&world, key, 1).await;
    own.lease_of(&[key.organization]).await.unwrap();
    let deactivation = Some(Deactivation::Gone);

    let change = EndpointChange { deactivation, ..change(key, Some(now())) };
    own.record(&[], &[change]).await.unwrap();

    let query = format!(
        "SELECT is_active OR lease IS NOT NULL OR failing_since IS NOT NULL, deactivation \
         FROM webhook_endpoints WHERE id = '{}'",
        key.endpoint
    );
    let row = world.client().await.query_one(&query, &[]).await.unwrap();
    assert_eq!((row.get::<_, bool>(0), row.get::<_, String>(1)), (false, "GONE".to_owned()));
    assert_eq!(own.lease_of(&[key.organization]).await.unwrap(), []);
}

#[tokio::test]
async fn a_read_of_a_long_queue_reads_few_rows() {
    let world = World::alone().await;
    let own = queue(&world);
    let key = endpoint(&world).await;
    own.look(None).await.unwrap();
    publish(&world, key, 60_000).await;
    own.lease_of(&[key.organization]).await.unwrap();
    due(&own, request(key, 10)).await;
    let client = world.client().await;
    let read = async || {
        tokio::time::sleep(COUNTING).await;
        due(&own, request(key, 100)).await;
        let query = "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes \
                        WHERE relname ~ '^(webhook_deliveries|outbound_events)')::bigint \
                    + sum(seq_tup_read)::bigint \
                    FROM pg_stat_user_tables WHERE relname ~ '^(webhook_deliveries|outbound_events)'";
        client.query_one(query, &[]).await.unwrap().get::<_, i64>(0)
    };
    let before = read().await;
    let read = read().await - before;
    assert!(read < 2_000, "{read} rows were read");
}
