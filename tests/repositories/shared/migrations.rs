//! Migrations while instances run.

use std::time::Duration;

use adapters_postgres::migrate;
use tokio::time::timeout;

use crate::World;

const DOWN: &str = include_str!("../../../migrations/2026-11-23-000370_retention/down.sql");
const VERSION: &str = "20261123000370";
/// The insert of an opt-out by the previous version, without a subject.
const WRITE: &str = "SET lock_timeout = '5s'; \
    INSERT INTO outbound_events (organization_id, id, event, data, created_at) \
    VALUES (gen_random_uuid(), uuid_v7(now()), 'contact.opted_out', '{}', now())";

#[tokio::test]
async fn a_migration_waits_for_readers_and_blocks_no_writer() {
    let world = World::alone().await;
    world.sql(DOWN).await;
    world.sql("ALTER TABLE outbound_events ALTER COLUMN subject_id DROP NOT NULL").await;
    let forget = format!("DELETE FROM __diesel_schema_migrations WHERE version = '{VERSION}'");
    world.sql(&forget).await;
    let reader = world.client().await;
    reader.batch_execute("BEGIN; SELECT count(*) FROM outbound_events").await.unwrap();
    let url = world.url.clone();
    let mut migration = tokio::spawn(async move { migrate(&url).await });

    let writer = world.client().await;
    for _ in 0..100 {
        writer.batch_execute(WRITE).await.unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
    }

    let ended = timeout(Duration::from_millis(1), &mut migration).await;
    assert!(ended.is_err(), "it waits for the reader");
    reader.batch_execute("COMMIT").await.unwrap();
    migration.await.unwrap().unwrap();
    writer.batch_execute(WRITE).await.unwrap();
    let written = "SELECT count(*), count(subject_id) FROM outbound_events";
    let written = writer.query_one(written, &[]).await.unwrap();
    assert_eq!((written.get::<_, i64>(0), written.get::<_, i64>(1)), (101, 1));
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_accepted() {
    let world = World::alone().await;
    world.sql("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231235959')").await;

    migrate(&world.url).await.unwrap();

    let kept = "SELECT count(*) FROM __diesel_schema_migrations WHERE version = '29991231235959'";
    assert_eq!(world.client().await.query_one(kept, &[]).await.unwrap().get::<_, i64>(0), 1);
}

#[tokio::test]
async fn a_connection_lost_while_migrating_is_reopened() {
    let world = World::alone().await;
    world.sql(DOWN).await;
    let forget = format!("DELETE FROM __diesel_schema_migrations WHERE version = '{VERSION}'");
    world.sql(&forget).await;
    let other = world.client().await;
    other.batch_execute("SELECT pg_advisory_lock(hashtext('atumpan migrations'))").await.unwrap();
    let url = world.url.clone();
    let migration = tokio::spawn(async move { migrate(&url).await });
    let end = "SELECT count(pg_terminate_backend(pid)) > 0 FROM pg_stat_activity \
               WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let end = async || other.query_one(end, &[]).await.unwrap().get(0);
    acceptance::until("the migration waits for its turn", end).await;
    drop(other);

    migration.await.unwrap().unwrap();

    let done =
        format!("SELECT count(*) FROM __diesel_schema_migrations WHERE version = '{VERSION}'");
    assert_eq!(world.client().await.query_one(&done, &[]).await.unwrap().get::<_, i64>(0), 1);
}

#[tokio::test]
async fn the_migration_analyzes_tables_with_rows_only() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    world
        .sql(&format!(
            "INSERT INTO contacts (organization_id, id, phone, created_at) \
             VALUES ('{organization}', '{organization}', '+233241234567', now())"
        ))
        .await;

    migrate(&world.url).await.unwrap();

    let known = "SELECT string_agg(relname || ' ' || reltuples, ', ' ORDER BY relname) FROM pg_class \
                 WHERE relname IN ('contacts', 'campaigns')";
    let known: String = world.client().await.query_one(known, &[]).await.unwrap().get(0);
    assert_eq!(known, "campaigns -1, contacts 1");
}
