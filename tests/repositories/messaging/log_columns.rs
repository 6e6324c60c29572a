//! The change of the order of the log's columns, on a database that has messages.

use std::fs;

use adapters_postgres::migrate;

use crate::World;

const MIGRATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
const CHANGE: &str = "20261129000910";
const EMPTY: &str = "DROP SCHEMA public CASCADE; CREATE SCHEMA public; \
    CREATE TABLE __diesel_schema_migrations (version varchar(50) PRIMARY KEY, \
        run_on timestamp NOT NULL DEFAULT now())";

/// A database with the migrations before the change.
async fn before_the_change() -> World {
    let world = World::alone().await;
    world.sql(EMPTY).await;
    let folders = fs::read_dir(MIGRATIONS).unwrap();
    let mut names: Vec<_> =
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    for name in names {
        let version = name.split('_').next().unwrap().replace('-', "");
        if version.as_str() < CHANGE {
            world.sql(&fs::read_to_string(format!("{MIGRATIONS}/{name}/up.sql")).unwrap()).await;
            let note = "INSERT INTO __diesel_schema_migrations (version) VALUES";
            world.sql(&format!("{note} ('{version}')")).await;
        }
    }
    world
}

async fn text(world: &World, query: &str) -> String {
    world.client().await.query_one(query, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn months_with_messages_keep_the_former_order_of_columns_and_go_on() {
    let world = before_the_change().await;
    world.sql(ACCEPT).await;

    migrate(&world.url).await.unwrap();

    for month in ["to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')", "'other'"] {
        let fourth = format!(
            "SELECT attname::text FROM pg_attribute WHERE attnum = 4 \
                AND attrelid = ('delivery_logs_' || {month})::regclass"
        );
        assert_eq!(text(&world, &fourth).await, "status", "{month}");
    }
    assert_eq!(text(&world, MESSAGES).await, "2 QUEUED Akwaaba GH 7, 1 of them elsewhere");

    world.sql(ACCEPT).await;
    world.sql("UPDATE delivery_logs SET status = 'SENT', sent_at = now()").await;
    assert_eq!(text(&world, MESSAGES).await, "4 SENT Akwaaba GH 7, 2 of them elsewhere");

    world.sql("SELECT prepare_month('delivery_logs', 9)").await;
    assert_eq!(text(&world, MESSAGES).await, "4 SENT Akwaaba GH 7, 0 of them elsewhere");
    assert_eq!(text(&world, UNLIKE).await, "0 months, 0 indexes");
}

/// One message now, and one of a month that has no partition yet.
const ACCEPT: &str = "\
    INSERT INTO delivery_logs (id, organization_id, channel, recipient, country_code, category, priority, \
        body, segments, cost_micros, is_sandbox, is_confidential, status, created_at, metadata) \
    SELECT uuid_v7(at), '00000000-0000-7000-8000-000000000001', 'SMS', '+233241234567', 'GH', \
        'TRANSACTIONAL', 2, 'Akwaaba', 1, 35000, false, false, 'QUEUED', at, '{\"order\": \"7\"}' \
    FROM (VALUES (now()), ((date_trunc('month', now() AT TIME ZONE 'UTC') \
        + interval '9 months 3 days') AT TIME ZONE 'UTC')) AS given (at)";

const MESSAGES: &str = "\
    SELECT concat_ws(' ', count(*), min(status), min(body), min(country_code), \
            min(metadata ->> 'order')) || ', ' \
        || count(*) FILTER (WHERE tableoid = 'delivery_logs_other'::regclass) || ' of them elsewhere' \
    FROM delivery_logs";

/// Months that are filled otherwise, and indexes that are not those of the log.
const UNLIKE: &str = "\
    SELECT count(DISTINCT month.oid) \
            FILTER (WHERE ('fillfactor=33' = ANY(month.reloptions)) IS NOT TRUE) \
        || ' months, ' || count(*) FILTER (WHERE own.inhparent IS NULL) || ' indexes' \
    FROM pg_inherits JOIN pg_class month ON month.oid = inhrelid \
    JOIN pg_index ON indrelid = month.oid LEFT JOIN pg_inherits own ON own.inhrelid = indexrelid \
    WHERE pg_inherits.inhparent = 'delivery_logs'::regclass";
