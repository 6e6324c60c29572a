//! Events written once, in the transaction of their cause.

use domain::{
    identity::organization::Organization,
    money::top_up::{PaymentMethod, TopUp, TopUpReference, TopUpStatus},
    shared::{id::Id, money::Money},
};
use futures_util::future::join_all;
use ports::money::top_ups::TopUpRepository;
use serde_json::{Value, json};

use crate::{World, now};

impl World {
    /// Returns the data of an organization's events of one kind.
    async fn data_of(&self, organization: Id<Organization>, event: &str) -> Vec<Value> {
        let query = "SELECT data FROM outbound_events WHERE organization_id = $1 AND event = $2";
        let rows = self.client().await.query(query, &[&organization.uuid(), &event]).await.unwrap();
        rows.iter().map(|row| serde_json::from_str(row.get(0)).unwrap()).collect()
    }
}

/// An organization with a wallet and, if `listens`, an endpoint for all events.
async fn organization(world: &World, listens: bool) -> Id<Organization> {
    let organization = world.organization().await.id;
    world.open_wallet(organization, Money::from_cedis(10)).await;
    if listens {
        world.sql(&acceptance::silent_endpoint(&organization.to_string())).await;
    }
    organization
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_top_up_credited_by_many_is_published_once() {
    let world = World::new().await;
    for listens in [true, false] {
        let organization = organization(&world, listens).await;
        let top_up = TopUp {
            id: Id::new_in(now(), organization),
            organization,
            reference: TopUpReference::new_in(organization, [u8::from(listens); 32]),
            amount: Money::from_cedis(5),
            method: PaymentMethod::Card,
            status: TopUpStatus::Pending,
            requested_by: Id::new(now()),
            created_at: now(),
            credited_at: None,
        };
        let top_ups: &dyn TopUpRepository = &world.store;
        assert!(top_ups.insert(&top_up, Some(now()), 100).await.unwrap());

        let credits: Vec<_> = (0..16).map(|_| top_up.credit(now())).collect();
        let credited = join_all(credits.iter().map(|credit| top_ups.credit(&top_up, credit))).await;

        assert!(credited.iter().all(Result::is_ok));
        let expected = top_up.credited(&credits[0]).to_json();
        let expected = if listens { vec![expected] } else { vec![] };
        assert_eq!(world.data_of(organization, "top_up.completed").await, expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fall_below_the_threshold_is_published_once_and_a_rise_is_not() {
    let world = World::alone().await;
    let organization = organization(&world, true).await;
    let note = async |balance: i64| {
        let balance = format!(
            "UPDATE wallets SET balance_micros = {balance} * 1000000, low_balance_micros = 5000000 \
             WHERE organization_id = '{organization}'"
        );
        world.sql(&balance).await;
        let noted = join_all((0..8).map(|_| world.store.note_low_balances())).await;
        assert!(noted.iter().all(Result::is_ok));
        world.data_of(organization, "wallet.low").await
    };

    let first = note(4).await;
    let [data] = first.as_slice() else { panic!("{first:?}") };
    assert_eq!(
        data,
        &json!({
            "balance": 4.0, "currency": "GHS", "lowBalanceThreshold": 5.0,
            "updatedAt": data["updatedAt"],
        })
    );
    assert_eq!(note(6).await.len(), 1);
    assert_eq!(note(3).await.len(), 2);
}
