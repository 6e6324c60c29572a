//! Closings of organizations, and the erasure that follows.

use std::collections::BTreeSet;

use adapters_postgres::PgStore;
use domain::{
    identity::organization::{Organization, RESTORABLE},
    platform::closing::Closing,
    shared::{id::Id, money::Money},
};
use ports::platform::closings::ClosingRepository;

use super::copying::{number, settle, settle_imports, settle_traffic, tenant_tables, work};
use crate::{
    World, messaging::intake_fixture::IntakeFixture, minutes, money::ledger::verified, now,
};

/// Closes an organization as long ago as that.
async fn close(world: &World, organization: Id<Organization>, ago: &str) {
    world
        .sql(&format!(
            "UPDATE organizations SET closed_at = now() - interval '{ago}' \
             WHERE id = '{organization}'; \
             INSERT INTO organization_closings (organization_id, closed_by, forfeits, closed_at) \
             VALUES ('{organization}', gen_random_uuid(), false, now() - interval '{ago}') \
             ON CONFLICT DO NOTHING"
        ))
        .await;
}

/// Erases until nothing is left to erase.
async fn erase(world: &World) {
    while world.store.erase_closed().await.unwrap() {}
}

#[tokio::test]
async fn each_table_of_organizations_is_either_erased_or_kept() {
    let (erased, kept) = (PgStore::ERASED_TABLES, PgStore::KEPT_TABLES);
    let named: BTreeSet<_> = erased.iter().chain(kept).map(|table| (*table).to_owned()).collect();
    assert_eq!(named.len(), erased.len() + kept.len(), "each is named once");

    let tables: BTreeSet<_> = tenant_tables(&World::new().await).await.into_iter().collect();

    assert_eq!(named, tables, "`closings/erasure.rs` names each table of organizations");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erased_organization_keeps_its_books_and_nothing_else() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let world = &fixture.world;
    let (own, other) = (fixture.organization, world.organization().await.id);
    world.open_wallet(other, Money::from_cedis(100)).await;
    for organization in [own, other] {
        settle(world, organization).await;
        settle_imports(world, organization).await;
        settle_traffic(world, organization).await;
        work(&fixture, organization, "before").await;
    }
    let user = world.user().await;
    let owner = format!("'{own}', '{}', 'TENANT_OWNER', now()", user.id);
    world.sql(&format!("INSERT INTO members VALUES ({owner})")).await;
    world.store.post_journal().await.unwrap();
    close(world, own, "30 days 2 hours").await;

    erase(world).await;

    for table in tenant_tables(world).await {
        let rows = |organization: Id<Organization>| {
            format!("SELECT count(*) FROM {table} WHERE organization_id = '{organization}'")
        };
        let is_kept = PgStore::KEPT_TABLES.contains(&table.as_str());
        assert_eq!(number(world, &rows(own)).await > 0, is_kept, "{table}");
        assert!(number(world, &rows(other)).await > 0, "{table} of another organization");
    }
    let members = format!("SELECT count(*) FROM members WHERE organization_id = '{own}'");
    assert_eq!(number(world, &members).await, 0);
    let kept = world.organizations().find(own).await.unwrap().unwrap();
    assert_eq!(kept.name, "Erased organization");
    assert!(world.users().find(user.id).await.unwrap().is_some(), "users stay");
    let found = verified(world).await;
    assert!(found.contains(" is in order"), "{found}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_figures_of_the_platform_outlive_an_erased_organization() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let world = &fixture.world;
    let other = world.organization().await.id;
    world.open_wallet(other, Money::from_cedis(100)).await;
    for organization in [fixture.organization, other] {
        work(&fixture, organization, "before").await;
    }
    world.store.post_journal().await.unwrap();
    close(world, fixture.organization, "31 days").await;

    erase(world).await;

    let store = PgStore::connect_maintenance(&world.url, 1).unwrap();
    let checked = store.check_counters().await.unwrap();
    assert!(checked.are_in_order(), "{checked}");
    let logged = "SELECT count(*) FROM delivery_logs";
    assert_eq!(number(world, logged).await, 5, "only the other organization has a log");
}

#[tokio::test]
async fn an_organization_that_can_be_restored_is_not_erased() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let days = RESTORABLE.num_days();
    for ago in ["1 minute".to_owned(), format!("{days} days")] {
        close(&world, organization, &ago).await;
        assert!(!world.store.erase_closed().await.unwrap(), "{ago}");
    }
}

#[tokio::test]
async fn two_instances_erase_one_organization_together() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    world
        .sql(&format!(
            "INSERT INTO contacts (id, organization_id, phone, created_at) \
             SELECT uuid_v7_in(now(), '{organization}'), '{organization}', \
                '+23324' || (1000000 + number), now() \
             FROM generate_series(1, 5000) AS number"
        ))
        .await;
    close(&world, organization, "31 days").await;

    let other = World::on(world.url.clone());
    futures_util::future::join(erase(&world), erase(&other)).await;

    assert_eq!(number(&world, "SELECT count(*) FROM contacts").await, 0);
    let erased = "SELECT count(*) FROM organizations WHERE erased_at IS NOT NULL";
    assert_eq!(number(&world, erased).await, 1);
}

#[tokio::test]
async fn a_closing_is_unsettled_until_it_is_marked_and_a_later_one_replaces_it() {
    let world = World::alone().await;
    let user = world.user().await;
    let organization = world.organization().await.id;
    let store = &world.store;
    let first = Closing { organization, closed_by: user.id, forfeits: false, at: now() };
    store.insert(&first).await.unwrap();
    assert_eq!(store.unsettled(None, 10).await.unwrap(), [first]);
    assert!(store.unsettled(Some(organization), 10).await.unwrap().is_empty());
    store.mark_settled(organization).await.unwrap();
    assert!(store.unsettled(None, 10).await.unwrap().is_empty());

    let second = Closing { forfeits: true, at: now() + minutes(5), ..first };
    store.insert(&second).await.unwrap();
    store.delete(organization, first.at).await.unwrap();
    let left = store.unsettled(None, 10).await.unwrap();
    assert_eq!(left, [second], "it is not deleted with the first");
    store.delete(organization, second.at).await.unwrap();
    assert!(store.unsettled(None, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn campaigns_that_go_on_by_themselves_are_found() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    for status in ["DRAFT", "SCHEDULED", "PENDING_APPROVAL", "SENDING", "PAUSED", "COMPLETED"] {
        let paused = if status == "PAUSED" { "'USER'" } else { "NULL" };
        world
            .sql(&format!(
                "INSERT INTO campaigns (id, organization_id, name, channel, status, paused_reason, \
                    created_by, authors, created_at, updated_at) \
                 VALUES (uuid_v7_in(now(), '{organization}'), '{organization}', 'c', 'SMS', \
                    '{status}', {paused}, gen_random_uuid(), '{{}}', now(), now())"
            ))
            .await;
    }

    let found = world.store.running_campaigns(organization, 10).await.unwrap();

    assert_eq!(found.len(), 4);
    assert_eq!(world.store.running_campaigns(organization, 3).await.unwrap().len(), 3);
}
