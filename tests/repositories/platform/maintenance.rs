//! The backlog, maintenance and migrations.

use std::sync::Arc;

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgMonitor, PgStore, migrate};
use domain::messaging::priority::{Priority, ProviderQueue};
use ports::platform::health::{Backlog, StoreProbe, StoreStats};

use crate::{
    World,
    messaging::claims::{COUNTING, READ},
};

const LOOKS: i64 = 5;

#[tokio::test]
async fn the_backlog_separates_waiting_active_and_follow_up_jobs() {
    let world = World::alone().await;
    assert_eq!(monitor(&world).await.backlog, Some(Backlog::default()));
    // id, organization, priority, is_follow_up, due_at, lease, rounds
    let row = |priority: u8, follow_up: bool, due: &str, lease: &str| {
        format!(
            "(gen_random_uuid(), gen_random_uuid(), {priority}, {follow_up}, now() + '{due}', {lease}, 0)"
        )
    };
    let rows = [
        row(2, false, "-10 min", "NULL"),
        row(2, false, "1 hour", "NULL"),
        row(0, false, "-12 min", "gen_random_uuid()"),
        row(3, false, "1 min", "gen_random_uuid()"),
        row(2, true, "-20 min", "NULL"),
        row(2, true, "1 min", "gen_random_uuid()"),
    ];
    world
        .sql(&format!(
            "INSERT INTO delivery_jobs (id, organization_id, priority, is_follow_up, due_at, lease, \
             rounds) VALUES {}",
            rows.join(",")
        ))
        .await;
    let instance = PgInstance::new(world.store.clone(), Arc::new(SystemRandom));
    instance.note_active(7);
    instance.heartbeat().await.unwrap();
    world
        .sql("INSERT INTO instances VALUES (gen_random_uuid(), gen_random_uuid(), now() - '1 min'::interval, 5)")
        .await;

    world
        .sql(
            "INSERT INTO journal_rollups SELECT 7, gen_random_uuid(), now() - interval '2 h 1 min', \
                 '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'",
        )
        .await;

    let stats = monitor(&world).await;

    assert_eq!((stats.database, stats.journal_lines), (Ok(()), 0));
    assert!(stats.partitions_ahead >= 3, "{}", stats.partitions_ahead);
    assert_eq!(stats.oldest_rollup.num_hours(), 2);
    let backlog = stats.backlog.unwrap();
    assert_eq!((backlog.waiting, backlog.active), (2, 7));
    assert_eq!(backlog.oldest.num_minutes(), 12, "its lease has ended, and nobody has claimed it");
    let priorities = backlog
        .priorities
        .iter()
        .map(|(priority, it)| (*priority, it.waiting, it.oldest.num_minutes()));
    assert_eq!(priorities.collect::<Vec<_>>(), [(Priority::Single, 2, 10)]);
}

#[tokio::test]
async fn a_held_provider_queue_does_not_age_the_backlog() {
    let world = World::alone().await;
    world
        .sql(
            "INSERT INTO delivery_jobs (id, organization_id, priority, line, due_at, is_ready) \
             SELECT gen_random_uuid(), gen_random_uuid(), 2, line, now() - line * '1 min'::interval, \
                number = 1 FROM generate_series(1, 3) AS line, generate_series(1, 2) AS number",
        )
        .await;
    let instance = PgInstance::new(world.store.clone(), Arc::new(SystemRandom));
    let monitor = PgMonitor::new(world.store.clone(), instance, Vec::new());
    monitor.hold(&[ProviderQueue(3)]);

    monitor.look().await.unwrap();

    let backlog = monitor.stats().backlog.unwrap();
    assert_eq!((backlog.waiting, backlog.oldest.num_minutes()), (6, 2));
}

#[tokio::test]
async fn measuring_the_backlog_reads_few_rows() {
    let world = World::alone().await;
    let client = world.client().await;
    let store = PgStore::connect_writers(&world.url, 1).unwrap();
    let instance = PgInstance::new(store.clone(), Arc::new(SystemRandom));
    let monitor = PgMonitor::new(store, instance, Vec::new());
    monitor.look().await.unwrap();
    world
        .sql(
            "INSERT INTO delivery_jobs (id, organization_id, priority, is_follow_up, due_at, is_ready) \
             SELECT gen_random_uuid(), gen_random_uuid(), number % 6, number % 5 > 1, \
                now() + CASE WHEN number % 5 < 2 THEN interval '-1 s' ELSE interval '10 min' END, \
                number % 5 < 2 \
             FROM generate_series(1, 200000) AS number",
        )
        .await;
    let read = async || {
        tokio::time::sleep(COUNTING).await;
        monitor.look().await.unwrap();
        client.query_one(READ, &[]).await.unwrap().get::<_, i64>(0)
    };
    read().await;
    let before = read().await;

    // The rows of one look may be counted with the next, so the limit applies to the mean of
    // several.
    let mut after = before;
    for _ in 0..LOOKS {
        after = read().await;
    }
    let read = (after - before) / LOOKS;

    assert_eq!(monitor.stats().backlog.unwrap().waiting, 60_000);
    assert!(read < 120_000, "{read} rows were read");
}

/// The first statistics of an instance.
async fn monitor(world: &World) -> StoreStats {
    let instance = PgInstance::new(world.store.clone(), Arc::new(SystemRandom));
    let monitor =
        PgMonitor::new(world.store.clone(), instance, vec![("tests", world.store.clone())]);
    monitor.look().await.unwrap();
    let stats = monitor.stats();
    assert_eq!(stats.pools["tests"].max_size, 3);
    stats
}

#[tokio::test]
async fn maintenance_deletes_expired_rows_only() {
    let world = World::alone().await;
    let (own, ama) = (world.organization().await, world.user().await);
    world
        .sql(&format!(
            "INSERT INTO idempotency_keys \
                SELECT '{own}', number::text, '', '{{}}', \
                       now() + CASE WHEN number <= 3 THEN interval '1 h' ELSE interval '-1 s' END, \
                       false \
                FROM generate_series(1, 12000) number; \
             INSERT INTO password_reset_tokens VALUES \
                (sha256('old {ama}'), '{ama}', now() - interval '1 s'), \
                (sha256('new {ama}'), '{ama}', now() + interval '1 h'); \
             INSERT INTO login_attempts (email, attempts, window_start) VALUES \
                ('{ama}-old', 1, now() - interval '25 h'), ('{ama}-new', 1, now()); \
             INSERT INTO messaging_windows VALUES \
                ('{ama}', 'old', now() - interval '8 d'), ('{ama}', 'new', now() - interval '6 d'); \
             INSERT INTO providers VALUES ('{ama}', '{ama}', '', '', false, '[]', now()); \
             INSERT INTO delivery_log_counters \
                SELECT '{own}', span, starts_at, 'SMS', 'SENT', false, 1, 1, 1 \
                FROM (VALUES ('HOUR', hours_kept_since() - interval '1 h'), \
                    ('HOUR', hours_kept_since()), ('DAY', now() - interval '26 months'), \
                    ('DAY', now() - interval '24 months')) AS counters (span, starts_at); \
             INSERT INTO delivery_log_slots SELECT '{own}', starts_at, 'SMS', 1 \
                FROM (VALUES (hours_kept_since() - interval '1 min'), (hours_kept_since())) \
                    AS slots (starts_at); \
             INSERT INTO platform_counters SELECT day, 'SMS', 'SENT', false, 1, 1, 1 \
                FROM (VALUES ((now() - interval '26 months')::date), (now()::date)) AS days (day); \
             INSERT INTO provider_health SELECT gen_random_uuid(), '{ama}', 'CHECK', '', '', 1, at \
                FROM (VALUES (now() - interval '91 d'), (now() - interval '89 d')) AS events (at); \
             INSERT INTO outbound_events SELECT '{own}', uuid_v7(at), '', '{own}', '{{}}', at \
                FROM (VALUES (now() - interval '150 d'), (now() - interval '29 d')) AS events (at)",
            own = own.id,
            ama = ama.id
        ))
        .await;

    world.store.maintain().await.unwrap();

    let left = format!(
        "SELECT (SELECT count(*) FROM idempotency_keys WHERE organization_id = '{}'), \
                (SELECT count(*) FROM password_reset_tokens WHERE user_id = '{ama}'), \
                (SELECT string_agg(email, '') FROM login_attempts WHERE email LIKE '{ama}%'), \
                (SELECT string_agg(address, '') FROM messaging_windows WHERE provider = '{ama}'), \
                (SELECT count(*) FROM provider_health WHERE provider_id = '{ama}'), \
                (SELECT string_agg(span, ' ' ORDER BY starts_at) FROM delivery_log_counters), \
                (SELECT count(*) FROM delivery_log_slots), \
                (SELECT count(*) FROM platform_counters), \
                (SELECT count(*) FROM outbound_events)",
        own.id,
        ama = ama.id
    );
    let left = world.client().await.query_one(&left, &[]).await.unwrap();
    assert_eq!((left.get::<_, i64>(0), left.get::<_, i64>(1)), (3, 1));
    assert_eq!(left.get::<_, String>(2), format!("{}-new", ama.id));
    assert_eq!((left.get::<_, String>(3).as_str(), left.get::<_, i64>(4)), ("new", 1));
    assert_eq!(left.get::<_, String>(5), "DAY HOUR");
    // The platform's daily totals are kept for ever.
    assert_eq!((left.get::<_, i64>(6), left.get::<_, i64>(7)), (1, 2));
    assert_eq!(left.get::<_, i64>(8), 1);
}

#[tokio::test]
async fn instances_that_start_together_migrate_a_database_once() {
    let world = World::new().await;
    world.sql("CREATE DATABASE together").await;
    let url = world.url_with("dbname=together");

    let (first, second, third) = tokio::join!(migrate(&url), migrate(&url), migrate(&url));

    first.and(second).and(third).unwrap();
    migrate(&url).await.unwrap();
}
