//! Growth of tables: partitions ahead of time and deletion of old rows.

use chrono::TimeDelta;
use domain::{
    messaging::message::Message,
    shared::{id::Id, money::Money},
};
use ports::messaging::messages::Intake;

use crate::{World, messaging::intake_fixture::IntakeFixture, now};

const LOGS: &str = "SELECT count(*) FROM delivery_logs";
const COUNTED: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_counts \
                       WHERE span = 'DAY'";
const SLOTTED: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_slot_counts";

const LOG: &str = "delivery_logs";
const LEDGER: &str = "ledger_entries";

/// Name of the partition of a table that many months ahead.
fn partition(table: &str, ahead: u8) -> String {
    format!(
        "'{table}_' || to_char(now() AT TIME ZONE 'UTC' + interval '{ahead} months', 'YYYY_MM')"
    )
}

/// Writes messages of a clock that is that many months ahead into the log.
async fn stray(world: &World, ahead: u8, count: u32) {
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, recipient, country_code, \
                category, priority, body, segments, cost_micros, is_sandbox, is_confidential, \
                created_at, status) \
             SELECT (left(uuid_floor(date_trunc('month', now(), 'UTC') + interval '{ahead} months' \
                    + interval '3 days')::text, 24) || lpad(to_hex(number), 12, '0'))::uuid, \
                gen_random_uuid(), 'SMS', '+233241234567', 'GH', 'TRANSACTIONAL', 2, 'B', 1, 0, \
                false, false, now(), 'QUEUED' FROM generate_series(1, {count}) AS number"
        ))
        .await;
}

async fn drop_partition(world: &World, table: &str, ahead: u8) {
    let name = partition(table, ahead);
    world.sql(&format!("DO $$ BEGIN EXECUTE format('DROP TABLE %I', {name}); END $$")).await;
}

/// Number of rows in the partition that many months ahead; -1 if it does not exist.
async fn held(world: &World, table: &str, ahead: u8) -> i64 {
    let query = format!(
        "SELECT CASE WHEN to_regclass({name}) IS NULL THEN -1 ELSE \
            (SELECT count(*) FROM {table} WHERE tableoid = to_regclass({name})) END",
        name = partition(table, ahead)
    );
    world.client().await.query_one(&query, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn old_sandbox_messages_are_deleted_and_not_counted() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let old = |is_sandbox: bool| {
        let created_at = now() - TimeDelta::days(10);
        Message {
            id: Id::new_in(created_at, fixture.organization),
            created_at,
            is_sandbox,
            ..fixture.message()
        }
    };
    let messages = [old(true), old(true), old(false), old(true), old(false)];
    fixture.intake.accept(fixture.submission(&messages)).await.unwrap();
    let future = chrono::DateTime::from_timestamp(4_000_000_000, 0).unwrap();
    fixture
        .world
        .sql(&format!(
            "INSERT INTO provider_references (organization_id, provider, reference, message_id) \
             VALUES ('{0}', 'first', 'one', '{1}'), ('{0}', 'first', 'two', '{2}')",
            fixture.organization,
            messages[0].id,
            Id::<Message>::new_in(future, fixture.organization)
        ))
        .await;
    assert_eq!((fixture.number(LOGS).await, fixture.number(COUNTED).await), (5, 5));

    fixture.world.store.maintain().await.unwrap();

    assert_eq!((fixture.number(LOGS).await, fixture.number(COUNTED).await), (2, 2));
    assert_eq!(fixture.number(SLOTTED).await, 2);
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_jobs").await, 2);
    assert_eq!(fixture.number("SELECT count(*) FROM provider_references").await, 1);
    fixture.world.store.post_journal().await.unwrap();
    assert_eq!((fixture.number(COUNTED).await, fixture.number(SLOTTED).await), (2, 2));
}

#[tokio::test]
async fn stray_messages_move_into_the_partition_of_their_month() {
    let world = World::alone().await;
    drop_partition(&world, LOG, 2).await;
    drop_partition(&world, LOG, 3).await;
    stray(&world, 2, 5).await;

    world.store.maintain().await.unwrap();

    assert_eq!((held(&world, LOG, 2).await, held(&world, LOG, 3).await), (5, 0));
    stray(&world, 3, 1).await;
    assert_eq!(held(&world, LOG, 3).await, 1);
}

#[tokio::test]
async fn a_month_that_cannot_be_prepared_stops_no_other() {
    let world = World::alone().await;
    drop_partition(&world, LOG, 2).await;
    drop_partition(&world, LOG, 3).await;
    drop_partition(&world, LEDGER, 3).await;
    stray(&world, 2, 10_001).await;

    assert!(world.store.maintain().await.is_err());

    assert_eq!((held(&world, LOG, 2).await, held(&world, LOG, 3).await), (-1, 0));
    assert_eq!(held(&world, LEDGER, 3).await, 0);
}

#[tokio::test]
async fn stray_entries_move_into_a_partition_that_refuses_changes() {
    let world = World::alone().await;
    drop_partition(&world, LEDGER, 2).await;
    world
        .sql(
            "INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, created_at) \
             SELECT uuid_v7(date_trunc('month', now(), 'UTC') + interval '2 months 3 days'), \
                gen_random_uuid(), 'CORRECTION', 1, now() FROM generate_series(1, 5)",
        )
        .await;
    assert_eq!(held(&world, LEDGER, 2).await, -1);

    world.store.maintain().await.unwrap();

    assert_eq!(held(&world, LEDGER, 2).await, 5);
    let client = world.client().await;
    let tables = "SELECT inhrelid::regclass::text FROM pg_inherits \
                  WHERE inhparent = 'ledger_entries'::regclass \
                  UNION ALL SELECT 'ledger_entries'";
    let tables = client.query(tables, &[]).await.unwrap();
    assert!(tables.len() >= 6, "{}", tables.len());
    for table in tables.iter().map(|row| row.get::<_, String>(0)) {
        for change in ["UPDATE # SET amount_micros = 0", "DELETE FROM #", "TRUNCATE #"] {
            let refused = client.batch_execute(&change.replace('#', &table)).await.unwrap_err();
            let refused = refused.as_db_error().unwrap().message();
            assert!(refused.ends_with(" is append-only"), "{change} {table}: {refused}");
        }
    }
}

#[tokio::test]
async fn a_table_that_cannot_be_purged_stops_no_other() {
    let world = World::alone().await;
    world
        .sql(
            "INSERT INTO login_attempts VALUES ('old', 1, now() - interval '25 h'); \
             DROP TABLE idempotency_keys CASCADE",
        )
        .await;

    assert!(world.store.maintain().await.is_err());

    let left = "SELECT count(*) FROM login_attempts";
    assert_eq!(world.client().await.query_one(left, &[]).await.unwrap().get::<_, i64>(0), 0);
}
