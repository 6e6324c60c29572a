//! Sender names: ownership and concurrent claims.

use std::collections::BTreeSet;

use domain::{
    content::sender_name::{SenderName, SenderNameStatus},
    identity::organization::Organization,
    shared::{channel::Channel, country::Country, id::Id, sender::Sender},
};
use futures_util::future::try_join_all;
use ports::content::sender_names::{Claim, SenderNameRepository};

use crate::{World, now};

fn names(world: &World) -> &dyn SenderNameRepository {
    &world.store
}

fn name(organization: Id<Organization>) -> SenderName {
    SenderName {
        id: Id::new_in(now(), organization),
        organization,
        sender: Sender::stored("Kente".into()),
        channel: Channel::Sms,
        country: Country::GH,
        status: SenderNameStatus::PendingApproval,
        created_at: now(),
    }
}

async fn insert(world: &World, name: &SenderName, claim: &Claim) -> bool {
    let approval = name.approval(Id::new(now()), [7; 32]);
    names(world).insert(name, &approval, claim).await.unwrap()
}

/// Number of pending approvals.
async fn waiting(world: &World) -> i64 {
    let query = "SELECT count(*) FROM approvals WHERE closed_at IS NULL";
    world.client().await.query_one(query, &[]).await.unwrap().get(0)
}

async fn age(world: &World, seconds: u32) {
    let age = format!(
        "UPDATE sender_name_claims SET claimed_at = claimed_at - interval '{seconds} seconds'"
    );
    world.sql(&age).await;
}

#[tokio::test]
async fn concurrent_claims_give_a_name_to_one_organization() {
    let world = World::alone().await;
    let (one, other) = (world.organization().await.id, world.organization().await.id);

    let claims = [one, other, one, other].map(|claimer| names(&world).claim(claimer, "kente"));
    let claims = try_join_all(claims).await.unwrap();

    let owners: BTreeSet<_> = claims.iter().map(|claim| claim.organization).collect();
    assert_eq!(owners.len(), 1, "{claims:?}");
}

#[tokio::test]
async fn a_claim_is_taken_over_once_and_not_before_a_minute() {
    let world = World::alone().await;
    let [own, second, third] = [
        world.organization().await.id,
        world.organization().await.id,
        world.organization().await.id,
    ];
    names(&world).claim(own, "kente").await.unwrap();
    let seen = names(&world).claim(second, "kente").await.unwrap();
    assert_eq!(seen.organization, own);
    assert_eq!(names(&world).take_over(second, &seen).await.unwrap(), None, "it is young");

    age(&world, 61).await;
    assert_eq!(
        names(&world).take_over(second, &seen).await.unwrap(),
        None,
        "it was seen otherwise"
    );
    let seen = names(&world).find_claim("kente").await.unwrap().unwrap();
    let takers = [second, third].map(|taker| names(&world).take_over(taker, &seen));
    let taken = try_join_all(takers).await.unwrap();

    assert_eq!(taken.iter().flatten().count(), 1, "{taken:?}");
    names(&world).release(&seen).await.unwrap();
    let kept = names(&world).find_claim("kente").await.unwrap();
    assert_eq!(kept.as_ref(), taken.iter().flatten().next(), "only what was seen is released");
}

#[tokio::test]
async fn a_name_is_added_once_under_a_claim_of_the_last_30_seconds() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    names(&world).claim(own, "kente").await.unwrap();
    age(&world, 31).await;
    let stale = names(&world).find_claim("kente").await.unwrap().unwrap();
    assert!(!insert(&world, &name(own), &stale).await);
    assert!(!names(&world).uses(own, "kente").await.unwrap());

    let renewed = names(&world).claim(own, "kente").await.unwrap();
    let first = name(own);
    assert!(insert(&world, &first, &renewed).await);
    assert!(!insert(&world, &name(own), &renewed).await);

    assert!(names(&world).uses(own, "kente").await.unwrap());
    assert_eq!(names(&world).list(own).await.unwrap(), std::slice::from_ref(&first));
    assert_eq!(names(&world).approved(own).await.unwrap(), []);
    assert_eq!(waiting(&world).await, 1);
    let deleted = names(&world).delete(own, first.id, now()).await.unwrap();
    assert_eq!(deleted.as_deref(), Some("kente"));
    assert_eq!(waiting(&world).await, 0);
    assert_eq!(names(&world).list(own).await.unwrap(), []);
}
