//! The second step of founding an organization.

use std::sync::Arc;

use app::clock::SystemClock;
use domain::{
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};
use usecases::identity::provisioning::Provisioning;

use crate::{World, minutes, now};

const CREDIT: Money = Money::from_cedis(10);

/// The balance, how many entries the ledger has, and their sum.
async fn books(world: &World, organization: Id<Organization>) -> (Option<Money>, i64, i64) {
    let wallet = world.wallets().find(organization).await.unwrap();
    let entries = "SELECT count(*), coalesce(sum(amount_micros), 0)::bigint FROM ledger \
                   WHERE organization_id = $1";
    let row = world.client().await.query_one(entries, &[&organization.uuid()]).await.unwrap();
    (wallet.map(|wallet| wallet.balance), row.get(0), row.get(1))
}

#[tokio::test]
async fn a_wallet_that_is_opened_by_many_at_once_is_credited_once() {
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
async fn opening_a_wallet_again_leaves_what_was_spent_spent() {
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
async fn an_organization_of_which_only_the_first_step_was_done_is_provisioned_later_and_once() {
    let world = World::alone().await;
    let (own, younger) = (world.organization().await.id, world.organization().await.id);
    // World founds all of them at the same moment, before the present one.
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
