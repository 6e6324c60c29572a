//! Faults and their recovery, also by other instances.

use std::{cell::Cell, os::unix::fs::PermissionsExt, sync::Arc, time::Duration};

use acceptance::{World, until};
use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgStore};
use app::embedded::{Durability, EmbeddedPostgres, Options};
use serde_json::json;

async fn until_answered(world: &World, path: &str, status: u16) {
    let is_answered = async || world.get(path).await.status == status;
    until(&format!("{path} answers {status}"), is_answered).await;
}

/// Number of messages that have not been delivered.
const UNDELIVERED: &str = "SELECT count(*) FROM delivery_logs WHERE status <> 'DELIVERED'";

fn sms() -> serde_json::Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_of_postgresql_under_load_loses_no_message() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let options = || Options { data_dir: folder.path().join("data"), durability: Durability::None };
    let postgres = EmbeddedPostgres::start(options()).await.unwrap();
    adapters_postgres::migrate(postgres.url()).await.unwrap();
    let off = [("ATUMPAN_RATE_LIMITS", "off"), ("ATUMPAN_TRIAL_CREDIT_GHS", "100000")];
    let world = World::start_on(postgres.url().to_owned(), &off).await;
    let tenant = world.tenant().await;
    let key = tenant.live_key().await;

    let (accepted, refused, is_over) = (Cell::new(0), Cell::new(0), Cell::new(false));
    let load = async {
        while !is_over.get() {
            let answers =
                futures_util::future::join_all((0..8).map(|_| key.post("/messages/send", sms())));
            for answer in answers.await {
                if answer.status == 202 {
                    accepted.set(accepted.get() + 1);
                } else {
                    answer.fails(503, "SERVICE_UNAVAILABLE");
                    assert!(!answer.header("retry-after").is_empty());
                    refused.set(refused.get() + 1);
                }
            }
        }
    };
    let operator = async {
        until("messages are accepted", async || accepted.get() > 0).await;
        postgres.stop().await.unwrap();
        until_answered(&world, "/health", 503).await;
        assert_eq!(world.get("/health/ready").await.status, 200, "it is away for all instances");
        until("messages are refused", async || refused.get() > 0).await;
        let postgres = EmbeddedPostgres::start(options()).await.unwrap();
        let is_accepted = async || key.post("/messages/send", sms()).await.status == 202;
        until("messages are accepted again", is_accepted).await;
        until_answered(&world, "/health", 200).await;
        is_over.set(true);
        postgres
    };
    let ((), _postgres) = futures_util::future::join(load, operator).await;

    until("every message is delivered", async || world.value(UNDELIVERED).await == 0).await;
    // A commit whose acknowledgement was lost is accepted although its client saw a 503.
    assert!(world.value("SELECT count(*) FROM delivery_logs").await > accepted.get());
    tenant.assert_ledger_adds_up().await;
    let counted = "SELECT sum(messages)::bigint FROM delivery_log_counts \
                   WHERE span = 'DAY' AND status = 'DELIVERED'";
    let logged = "SELECT count(*) FROM delivery_logs";
    assert_eq!(world.value(counted).await, world.value(logged).await);
    let slotted = "SELECT sum(messages)::bigint FROM delivery_log_slot_counts";
    assert_eq!(world.value(slotted).await, world.value(logged).await);
}

#[tokio::test]
async fn another_instance_delivers_for_one_without_workers() {
    let first = World::start_with(&[("ATUMPAN_WORKERS", "0")]).await;
    let _second = World::start_on(first.database.clone(), &[]).await;
    let tenant = first.tenant().await;

    let answer = tenant.owner().post("/messages/send", sms()).await;

    tenant.owner().message_that_is("DELIVERED", &answer.data(202)["id"]).await;
}

#[tokio::test]
async fn jobs_of_a_dead_instance_are_released_before_leases_end() {
    let world = World::start_with(&[("ATUMPAN_WORKERS", "0")]).await;
    let tenant = world.tenant().await;
    tenant.owner().post("/messages/send", sms()).await.data(202);
    world
        .sql(
            "INSERT INTO instances VALUES ('dead0000-0000-0000-0000-000000000000', \
                 'dead0000-0000-0000-ffff-ffffffffffff', now() - interval '20 seconds'), \
                 ('feed0000-0000-0000-0000-000000000000', \
                 'feed0000-0000-0000-ffff-ffffffffffff', now()); \
             UPDATE delivery_jobs SET lease = 'dead0000-0000-0000-1234-000000000000', \
                 due_at = now() + interval '2 minutes'",
        )
        .await;
    let store = PgStore::connect(&world.database, 1).unwrap();
    let survivor = PgInstance::new(store, Arc::new(SystemRandom));

    assert_eq!(survivor.release_dead_instances().await.unwrap(), 1);

    let free = "SELECT count(*) FROM delivery_jobs WHERE lease IS NULL AND due_at <= now()";
    assert_eq!(world.value(free).await, 1);
    let alive = "SELECT count(*) FROM instances WHERE first_lease::text LIKE 'feed%'";
    assert_eq!(world.value(alive).await, 1);
}

#[tokio::test]
async fn a_leftover_job_of_a_settled_message_makes_no_attempt() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let answer = tenant.owner().post("/messages/send", sms()).await;
    let id = answer.data(202)["id"].clone();
    tenant.owner().message_that_is("DELIVERED", &id).await;

    world
        .sql(&format!(
            "INSERT INTO delivery_jobs (id, organization_id, priority, due_at) \
             VALUES ({}, '{}', 2, now())",
            id.to_string().replace('"', "'"),
            tenant.id
        ))
        .await;

    until("the job ends", async || tenant.count("delivery_jobs").await == 0).await;
    let message = tenant.owner().message_that_is("DELIVERED", &id).await;
    assert_eq!(message["attempts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_leftover_job_of_a_failed_message_refunds_nothing() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let message = json!({"channel": "SMS", "to": "0241230000", "body": "Akwaaba"});
    let answer = tenant.owner().post("/messages/send", message).await;
    let id = answer.data(201)["id"].clone();
    tenant.owner().message_that_is("FAILED", &id).await;

    // Once unchanged, and once with an attempt without a known end.
    let open =
        "attempts = '[{\"provider\": \"simulated-sms\", \"startedAt\": \"2026-01-01T00:00:00Z\"}]'";
    for attempts in ["attempts = attempts", open] {
        let id = id.to_string().replace('"', "'");
        world
            .sql(&format!(
                "UPDATE delivery_logs SET {attempts} WHERE id = {id}; \
                 INSERT INTO delivery_jobs (id, organization_id, priority, due_at) \
                 VALUES ({id}, '{}', 2, now())",
                tenant.id
            ))
            .await;
        let has_ended = async || tenant.count("delivery_jobs").await == 0;
        until(&format!("the job ends: {attempts}"), has_ended).await;
    }

    assert_eq!(tenant.refunds().await, 1);
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_disconnecting_client_stops_no_delivery() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = tenant.live_key().await;
    for _ in 0..50 {
        let hasty =
            tokio::time::timeout(Duration::from_millis(1), key.post("/messages/send", sms()));
        let _ = hasty.await;
    }

    key.post("/messages/send", sms()).await.data(202);
    let undelivered = format!("{UNDELIVERED} AND organization_id = '{}'", tenant.id);
    until("every message is delivered", async || world.value(&undelivered).await == 0).await;
    tenant.assert_ledger_adds_up().await;
}
