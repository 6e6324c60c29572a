//! Migrations while instances run.

use std::error::Error;

use adapters_postgres::{SCHEMA_RELEASE, migrate};
use tokio_postgres::Client;

use crate::World;

const EMPTY: &str = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";
const BASELINE: &str = "20261124000480";
/// The table in which applied migrations are noted.
const NOTES: &str = "CREATE TABLE __diesel_schema_migrations (version varchar(50) PRIMARY KEY, \
    run_on timestamp NOT NULL DEFAULT now())";

async fn is(client: &Client, condition: &str) -> bool {
    client.query_one(&format!("SELECT {condition}"), &[]).await.unwrap().get(0)
}

const WAITS: &str = "EXISTS (SELECT FROM pg_stat_activity \
    WHERE datname = current_database() AND wait_event_type = 'Lock')";

#[tokio::test]
async fn a_migration_without_its_lock_rolls_back_and_is_retried() {
    let world = World::alone().await;
    world.sql(EMPTY).await;
    world.sql(NOTES).await;
    let other = world.client().await;
    let lock = "BEGIN; LOCK TABLE __diesel_schema_migrations IN SHARE MODE";
    other.batch_execute(lock).await.unwrap();
    let url = world.url.clone();
    let migration = tokio::spawn(async move { migrate(&url).await });
    let watcher = world.client().await;
    acceptance::until("the migration waits", async || is(&watcher, WAITS).await).await;
    let gives_up = format!("NOT {WAITS}");
    acceptance::until("it gives up", async || is(&watcher, &gives_up).await).await;
    assert!(is(&watcher, "to_regclass('users') IS NULL").await && !migration.is_finished());

    other.batch_execute("COMMIT").await.unwrap();

    migration.await.unwrap().unwrap();
    assert!(is(&watcher, "to_regclass('users') IS NOT NULL").await);
}

#[tokio::test]
async fn refuses_a_database_from_before_the_baseline() {
    let world = World::alone().await;
    let older = "DELETE FROM __diesel_schema_migrations; \
        INSERT INTO __diesel_schema_migrations (version) VALUES ('20261121000000')";
    world.sql(older).await;

    let error = migrate(&world.url).await.unwrap_err();

    let reason = error.source().unwrap().to_string();
    assert!(reason.starts_with("its newest migration is 20261121000000, and upgrades begin at"));
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
async fn the_release_of_the_program_is_the_newest_of_its_migrations() {
    let newest = "SELECT max(number) FROM schema_releases";
    let newest: i32 =
        World::new().await.client().await.query_one(newest, &[]).await.unwrap().get(0);
    assert_eq!(newest, SCHEMA_RELEASE, "a release with migrations adds its row");
}

/// Notes the next releases, of which the last can be used by releases from `usable_from` on.
fn next_releases(usable_from: &[i32]) -> String {
    let rows = (SCHEMA_RELEASE + 1..).zip(usable_from).map(|(number, usable_from)| {
        format!("INSERT INTO schema_releases VALUES ({number}, 'next {number}', {usable_from}); ")
    });
    rows.collect()
}

#[tokio::test]
async fn the_schema_of_the_next_release_is_used() {
    let world = World::alone().await;
    world.sql(&next_releases(&[SCHEMA_RELEASE])).await;

    migrate(&world.url).await.unwrap();
}

#[tokio::test]
async fn a_schema_that_the_release_cannot_use_is_refused_by_name() {
    let own = SCHEMA_RELEASE;
    for (releases, newest) in [
        // Two releases newer.
        (&[own, own + 1][..], format!("next {}", own + 2)),
        // The next release, whose migration excludes this one.
        (&[own + 1][..], format!("next {}", own + 1)),
        // The same, followed by one that changes nothing for this one.
        (&[own + 1, own + 1][..], format!("next {}", own + 2)),
    ] {
        let world = World::alone().await;
        world.sql(&next_releases(releases)).await;

        let error = migrate(&world.url).await.unwrap_err();

        let reason = error.source().unwrap().to_string();
        let expected = format!("its schema is that of release {newest}, which release ");
        assert!(reason.starts_with(&expected), "{reason}");
        assert!(
            reason.contains(&format!("run release next {} or a newer one", own + 1)),
            "{reason}"
        );
    }
}

#[tokio::test]
async fn a_connection_lost_while_migrating_is_reopened() {
    let world = World::alone().await;
    world.sql(EMPTY).await;
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
        format!("SELECT count(*) FROM __diesel_schema_migrations WHERE version = '{BASELINE}'");
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

#[tokio::test]
async fn a_role_without_rights_is_shown_the_statement_that_grants_them() {
    let world = World::alone().await;
    world.sql("DROP ROLE IF EXISTS guest_of_migrations; CREATE ROLE guest_of_migrations").await;
    let as_guest = format!("{}&options=-c%20role%3Dguest_of_migrations", world.url);

    let error = migrate(&as_guest).await.unwrap_err();
    let reason = error.source().unwrap().to_string();
    let grant = "GRANT CREATE ON SCHEMA public TO guest_of_migrations";
    assert!(reason.starts_with("the role guest_of_migrations may not create tables"), "{reason}");
    assert!(reason.ends_with(grant), "{reason}");

    world.sql(grant).await;
    let error = migrate(&as_guest).await.unwrap_err();
    let reason = error.source().unwrap().to_string();
    assert!(reason.starts_with("its tables belong to atumpan, and the role"), "{reason}");
    assert!(reason.contains("GRANT atumpan TO guest_of_migrations"), "{reason}");
}

#[tokio::test]
async fn a_database_in_another_encoding_is_refused_before_anything_is_created() {
    let world = World::alone().await;
    let create = "CREATE DATABASE of_latin_letters ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0";
    world.sql(create).await;
    let (address, query) = world.url.split_once('?').unwrap();
    let (server, _) = address.rsplit_once('/').unwrap();

    let error = migrate(&format!("{server}/of_latin_letters?{query}")).await.unwrap_err();

    let reason = error.source().unwrap().to_string();
    assert!(reason.starts_with("its encoding is LATIN1, and texts need UTF8"), "{reason}");
}
