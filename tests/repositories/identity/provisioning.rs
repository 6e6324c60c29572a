//! The second step of creating an organization.

use std::sync::Arc;

use app::clock::SystemClock;
use domain::{
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};
use usecases::identity::provisioning::Provisioning;

use crate::{World, minutes, now};

const CREDIT: Money = Money::from_cedis(10);

/// The balance, the number of ledger entries and their sum.
async fn books(world: &World, organization: Id<Organization>) -> (Option<Money>, i64, i64) {
    let wallet = world.wallets().find(organization).await.unwrap();
    let entries = "SELECT count(*), coalesce(sum(amount_micros), 0)::bigint FROM ledger \
                   WHERE organization_id = $1";
    let row = world.client().await.query_one(entries, &[&organization.uuid()]).await.unwrap();
    (wallet.map(|wallet| wallet.balance), row.get(0), row.get(1))
}

#[tokio::test]
async fn a_wallet_opened_concurrently_is_credited_once() {
    let world = World::new().await;
    let own = world.organization().await.id;

    let opening = (0..8).map(|_| {
        let store = world.store.clone();
        tokio::spawn(async move {
            ports::money::billing::WalletRepository::open(&store, own, CREDIT, now()).await
        })
    });
    for opened in opening.collect::<Vec<_>>() {
        opened.await.unwrap().unwrap();
    }

    assert_eq!(books(&world, own).await, (Some(CREDIT), 1, CREDIT.micros()));
}

#[tokio::test]
async fn opening_a_wallet_again_does_not_restore_spent_money() {
    let world = World::new().await;
    let own = world.organization().await.id;
    world.open_wallet(own, CREDIT).await;
    world
        .sql(&format!(
            "UPDATE wallets SET balance_micros = 1000000 WHERE organization_id = '{own}'; \
             INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, created_at) \
             VALUES (gen_random_uuid(), '{own}', 'MESSAGE_DEBIT', -9000000, now())"
        ))
        .await;

    world.open_wallet(own, CREDIT).await;

    assert_eq!(books(&world, own).await, (Some(Money::from_cedis(1)), 2, 1_000_000));
}

#[tokio::test]
async fn half_created_organizations_are_provisioned_once() {
    let world = World::alone().await;
    let (own, younger) = (world.organization().await.id, world.organization().await.id);
    // `World` creates all organizations at one moment, before the present.
    world
        .sql(&format!(
            "UPDATE organizations SET created_at = now() + interval '1 hour' WHERE id = '{younger}'"
        ))
        .await;
    let left = world.organizations().unprovisioned(now() + minutes(1), 10).await.unwrap();
    assert_eq!(left, [own], "the younger one is left to the request that founds it");
    let store = Arc::new(world.store.clone());
    let provisioning = Provisioning::new(store.clone(), store, Arc::new(SystemClock), CREDIT);
    assert_eq!(books(&world, own).await, (None, 0, 0));

    assert_eq!(provisioning.provision_left().await.unwrap(), 1);
    assert_eq!(provisioning.provision_left().await.unwrap(), 0);
    provisioning.provision(own).await.unwrap();

    assert_eq!(books(&world, own).await, (Some(CREDIT), 1, CREDIT.micros()));
    assert_eq!(books(&world, younger).await, (None, 0, 0));
}
