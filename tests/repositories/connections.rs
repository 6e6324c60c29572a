//! Transactions, and connections that are lost.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use adapters_postgres::PgStore;
use ports::{
    auth::UserRepository, identity::IdentityStore, organizations::OrganizationRepository,
    store::StoreError,
};

use super::{World, user};

#[tokio::test]
async fn what_a_dropped_transaction_did_is_undone_and_its_locks_are_free() {
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
async fn a_commit_that_nobody_waits_for_leaves_no_transaction_open() {
    let world = World::new().await;
    let store = PgStore::connect(&world.url, 1).unwrap();
    let organization = world.organization().await;
    for patience in 0..30 {
        let mut transaction = store.begin().await.unwrap();
        transaction.lock_organization(organization.id).await.unwrap();
        let _ =
            tokio::time::timeout(Duration::from_micros(patience * 20), transaction.commit()).await;
    }

    let found = OrganizationRepository::find(&store, organization.id).await;
    assert!(found.unwrap().is_some());
    let mut last = store.begin().await.unwrap();
    assert!(last.lock_organization(organization.id).await.unwrap().is_some());
}

#[tokio::test]
async fn a_transaction_in_which_a_statement_failed_cannot_be_committed() {
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
async fn connections_that_the_server_closed_are_replaced_before_anybody_notices() {
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
