//! Transactions and lost connections.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use acceptance::until;
use adapters_postgres::{PgShare, PgStore};
use ports::{
    identity::{
        auth::UserRepository, identity_store::IdentityStore, organizations::OrganizationRepository,
    },
    shared::store::StoreError,
};

use crate::{World, user};

#[tokio::test]
async fn a_dropped_transaction_rolls_back_and_frees_its_locks() {
    let world = World::new().await;
    let organization = world.organization().await;
    let ama = user("dropped@example.com");
    let mut transaction = world.store.begin().await.unwrap();
    transaction.lock_organization(organization.id).await.unwrap();
    transaction.insert_user(&ama).await.unwrap();

    drop(transaction);

    let mut next = world.store.begin().await.unwrap();
    assert!(next.lock_organization(organization.id).await.unwrap().is_some());
    assert_eq!(world.users().find(ama.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_cancelled_commit_leaves_no_transaction_open() {
    let world = World::new().await;
    let store = PgStore::connect(&world.url, 1).unwrap();
    let organization = world.organization().await;
    for attempt in 0..30 {
        let mut transaction = store.begin().await.unwrap();
        transaction.lock_organization(organization.id).await.unwrap();
        let _ =
            tokio::time::timeout(Duration::from_micros(attempt * 20), transaction.commit()).await;
    }

    let found = OrganizationRepository::find(&store, organization.id).await;
    assert!(found.unwrap().is_some());
    let mut last = store.begin().await.unwrap();
    assert!(last.lock_organization(organization.id).await.unwrap().is_some());
}

#[tokio::test]
async fn a_transaction_with_a_failed_statement_cannot_commit() {
    let world = World::new().await;
    let ama = world.user().await;
    let kofi = user("swallowed@example.com");
    let mut transaction = world.store.begin().await.unwrap();
    transaction.insert_user(&kofi).await.unwrap();
    assert!(transaction.insert_user(&ama).await.is_err());

    assert!(transaction.commit().await.is_err());

    assert_eq!(world.users().find(kofi.id).await.unwrap(), None);
}

#[tokio::test]
async fn connections_closed_by_the_server_are_replaced() {
    let world = World::new().await;
    let store = PgStore::connect(&world.url_with("application_name=unlucky"), 2).unwrap();
    let mut under_way = store.begin().await.unwrap();
    let ama = world.user().await;
    UserRepository::find(&store, ama.id).await.unwrap();

    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE application_name = 'unlucky'";
    world.sql(kill).await;
    let lost = under_way.lock_user(ama.id).await;
    assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");
    drop(under_way);
    tokio::time::sleep(Duration::from_millis(50)).await;

    for _ in 0..4 {
        let mut transaction = store.begin().await.unwrap();
        assert_eq!(transaction.lock_user(ama.id).await.unwrap().as_ref(), Some(&ama));
        transaction.commit().await.unwrap();
    }
}

#[tokio::test]
async fn stores_that_share_connections_hold_no_more_than_there_are_places() {
    let world = World::new().await;
    let share = PgShare::new(&world.url_with("application_name=sharing"), 2);
    let (writers, queues) = (share.writers(2).unwrap(), share.queues(2, "tests:").unwrap());
    let background = share.background(2).unwrap();
    let ama = world.user().await;
    let open = async || {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sharing'";
        world.client().await.query_one(count, &[]).await.unwrap().get::<_, i64>(0)
    };

    let (first, second) = (writers.begin().await.unwrap(), queues.begin().await.unwrap());
    let none_free = tokio::time::timeout(Duration::from_millis(300), background.begin()).await;
    assert!(none_free.is_err(), "both places are taken");
    assert_eq!(open().await, 2);

    // A connection that is returned makes room for another kind, for one that waits and later.
    let (third, ()) = tokio::join!(background.begin(), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        first.commit().await.unwrap();
    });
    third.unwrap().commit().await.unwrap();
    second.commit().await.unwrap();
    for store in [&writers, &queues, &background, &writers] {
        let found = UserRepository::find(store, ama.id).await.unwrap();
        assert_eq!(found.as_ref(), Some(&ama));
    }
    until("at most two are open", async || open().await <= 2).await;
}

#[tokio::test]
async fn short_work_of_a_kind_leaves_the_connections_of_other_kinds_open() {
    let world = World::new().await;
    let share = PgShare::new(&world.url_with("application_name=patient"), 2);
    let (writers, queues) = (share.writers(2).unwrap(), share.queues(2, "tests:").unwrap());
    let ama = world.user().await;
    let backends = async || {
        let pids = "SELECT array_agg(pid ORDER BY pid) FROM pg_stat_activity \
                    WHERE application_name = 'patient'";
        world.client().await.query_one(pids, &[]).await.unwrap().get::<_, Vec<i32>>(0)
    };
    for store in [&writers, &queues] {
        UserRepository::find(store, ama.id).await.unwrap();
    }
    let before = backends().await;

    for store in [&writers, &queues, &writers] {
        let both = [UserRepository::find(store, ama.id), UserRepository::find(store, ama.id)];
        let found = futures_util::future::join_all(both).await;
        assert!(found.iter().all(Result::is_ok), "{found:?}");
    }

    assert_eq!(backends().await, before);
}

#[tokio::test]
async fn work_that_begins_at_the_same_moment_opens_one_connection_of_each_kind() {
    let world = World::alone().await;
    let (url, ama) = (world.url.clone(), world.user().await);
    let name = url.split('?').next().unwrap().rsplit('/').next().unwrap().to_owned();
    drop(world);
    let watcher = World::new().await.client().await;
    let number =
        async |query: &str| -> i64 { watcher.query_one(query, &[&name]).await.unwrap().get(0) };
    // A connection is counted at its end at the latest.
    let open = "SELECT count(*) FROM pg_stat_activity WHERE datname = $1";
    let opened = "SELECT sessions FROM pg_stat_database WHERE datname = $1";
    until("the connections before have ended", async || number(open).await == 0).await;
    let before = number(opened).await;

    let share = PgShare::new(&url, 4);
    let stores =
        [share.writers(2), share.queues(2, "tests:"), share.background(2), share.maintenance(1)];
    let stores = stores.map(Result::unwrap);
    let finds = (0..48).map(|turn| UserRepository::find(&stores[turn % stores.len()], ama.id));
    let found = futures_util::future::join_all(finds).await;
    assert!(found.iter().all(|found| found.as_ref().is_ok_and(|it| it.as_ref() == Some(&ama))));
    drop((stores, share));
    until("the connections have ended", async || number(open).await == 0).await;

    assert_eq!(number(opened).await - before, 4);
}

#[tokio::test]
async fn work_that_waits_for_a_shared_connection_is_done_by_and_by() {
    let world = World::new().await;
    let share = PgShare::new(&world.url, 2);
    let stores =
        [share.writers(2), share.queues(2, "tests:"), share.background(2), share.maintenance(1)];
    let stores = stores.map(Result::unwrap);
    let ama = world.user().await;

    let finds = (0..200).map(|turn| UserRepository::find(&stores[turn % stores.len()], ama.id));
    let found = futures_util::future::join_all(finds).await;

    assert!(found.iter().all(|found| found.as_ref().is_ok_and(|it| it.as_ref() == Some(&ama))));
}

#[tokio::test]
async fn an_absent_database_is_unavailable_within_seconds() {
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for address in [mute.local_addr().unwrap(), nobody] {
        let store = PgStore::connect(&format!("postgres://nobody@{address}/none"), 1).unwrap();
        let begin = Instant::now();

        let result = store.begin().await.map(drop);

        assert!(matches!(result, Err(StoreError::Unavailable(_))), "{result:?}");
        assert!(begin.elapsed() < Duration::from_secs(3));
    }
}

#[tokio::test]
async fn a_malformed_address_is_refused_at_once() {
    assert!(PgStore::connect("mysql://localhost", 1).is_err());
}

/// Notes the settings of the connection that inserts a user.
const NOTE_SETTINGS: &str = "\
    CREATE TABLE noted (application text, settings text); \
    CREATE FUNCTION note_settings() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
        INSERT INTO noted SELECT current_setting('application_name'), \
            string_agg(name || '=' || current_setting(name), ' ' ORDER BY name) \
        FROM pg_settings WHERE source = 'client' \
            AND name NOT IN ('application_name', 'client_encoding'); \
        RETURN NEW; \
    END $$; \
    CREATE TRIGGER noted AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION note_settings(); \
    DROP ROLE IF EXISTS unprivileged; CREATE ROLE unprivileged LOGIN; \
    GRANT ALL ON users, user_directory, noted TO unprivileged";
const OF_WRITERS: &str = "enable_hashjoin=off enable_material=off enable_mergejoin=off \
                          enable_seqscan=off idle_in_transaction_session_timeout=15s jit=off \
                          lc_messages=C lock_timeout=200ms plan_cache_mode=force_generic_plan \
                          statement_timeout=5s";

const OF_QUEUES: &str = "enable_hashjoin=off enable_material=off enable_mergejoin=off \
                         enable_seqscan=off enable_sort=off \
                         idle_in_transaction_session_timeout=15s jit=off lc_messages=C \
                         statement_timeout=30s";

#[tokio::test]
async fn every_connection_is_opened_with_the_settings_of_its_kind() {
    let world = World::alone().await;
    world.sql(NOTE_SETTINGS).await;
    let named = |name: &str| world.url_with(&format!("application_name={name}"));
    let of_others = |limit: &str| {
        format!(
            "idle_in_transaction_session_timeout=15s jit=off lc_messages=C statement_timeout={limit}"
        )
    };
    let given = named("given") + "&options=-c%20statement_timeout%3D7s%20-c%20work_mem%3D8MB";
    let unprivileged = named("unprivileged").replace("//atumpan@", "//unprivileged@");
    let stores = [
        (PgStore::connect(&named("requests"), 1), of_others("5s")),
        (PgStore::connect_writers(&named("writers"), 1), OF_WRITERS.to_owned()),
        (PgStore::connect_background(&named("background"), 1), of_others("30s")),
        (PgStore::connect_queues(&named("queues"), 1), OF_QUEUES.to_owned()),
        (PgStore::connect_maintenance(&named("maintenance"), 1), of_others("10min")),
        (PgStore::connect(&given, 1), of_others("7s") + " work_mem=8MB"),
        // Only superusers and roles with the privilege can set the language of messages.
        (PgStore::connect(&unprivileged, 1), of_others("5s").replace("lc_messages=C ", "")),
    ];

    for (number, (store, expected)) in stores.into_iter().enumerate() {
        let ama = user(&format!("ama-{number}@example.com"));
        UserRepository::insert(&store.unwrap(), &ama).await.unwrap();
        let noted = "DELETE FROM noted RETURNING application || ' ' || settings";
        let noted: String = world.client().await.query_one(noted, &[]).await.unwrap().get(0);
        let (application, settings) = noted.split_once(' ').unwrap();
        assert_eq!(settings, expected, "{application}");
    }
}

#[tokio::test]
async fn missing_settings_of_writers_are_detected() {
    let world = World::new().await;
    for (parameter, expected) in
        [("connect_timeout=2", true), ("options=-c%20lock_timeout%3D0", false)]
    {
        let store = PgStore::connect_writers(&world.url_with(parameter), 1).unwrap();
        assert_eq!(store.has_settings_of_writers().await.unwrap(), expected, "{parameter}");
    }
}
