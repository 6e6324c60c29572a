//! The way of spending rules to wallets, and limits under load.

use domain::{
    identity::{
        organization::{Organization, Settings},
        spending::SpendingRules,
    },
    shared::{id::Id, money::Money},
};
use futures_util::future::join_all;
use ports::{
    messaging::messages::{Intake, IntakeError},
    money::spending::SpendingRulesStore,
};

use crate::{
    World,
    messaging::intake_fixture::{IntakeFixture, PRICE},
};

async fn decide(world: &World, organization: &Organization, limit: i64) {
    let spending =
        SpendingRules { low_balance_threshold: None, daily_limit: Some(Money::from_cedis(limit)) };
    let settings = Settings { spending, ..Settings::default() };
    let changed = Organization { settings, ..organization.clone() };
    let mut tx = world.begin().await;
    tx.update_organization(&changed).await.unwrap();
    tx.commit().await.unwrap();
}

async fn limit_of_wallet(world: &World, organization: Id<Organization>) -> Option<i64> {
    let limit = "SELECT daily_limit_micros FROM wallets WHERE organization_id = $1";
    world.client().await.query_one(limit, &[&organization.uuid()]).await.unwrap().get(0)
}

#[tokio::test]
async fn an_older_version_of_the_rules_never_replaces_a_newer_one() {
    let world = World::alone().await;
    let organization = world.organization().await;
    let id = organization.id;
    decide(&world, &organization, 10).await;
    let (older, first) = world.store.rules(id).await.unwrap().unwrap();
    assert!(!world.store.apply(id, older, first).await.unwrap(), "there is no wallet yet");
    world.open_wallet(id, Money::ZERO).await;

    decide(&world, &organization, 20).await;
    let (newer, second) = world.store.rules(id).await.unwrap().unwrap();
    assert!(world.store.apply(id, newer, second).await.unwrap());
    // The reader of the older rules was slow.
    assert!(world.store.apply(id, older, first).await.unwrap());
    world.store.mark_applied(id, first).await.unwrap();
    assert_eq!(limit_of_wallet(&world, id).await, Some(20_000_000));
    assert_eq!(world.store.unapplied(9).await.unwrap(), [id]);

    world.store.mark_applied(id, second).await.unwrap();
    world.store.mark_applied(id, first).await.unwrap();
    assert!(world.store.unapplied(9).await.unwrap().is_empty());
    decide(&world, &organization, 20).await;
    assert!(world.store.unapplied(9).await.unwrap().is_empty(), "nothing has changed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_together_never_exceed_the_daily_limit() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let another = fixture.another();
    let limit = (PRICE * 30).micros();
    let own = fixture.organization;
    fixture
        .world
        .sql(&format!(
            "UPDATE wallets SET daily_limit_micros = {limit} WHERE organization_id = '{own}'"
        ))
        .await;

    let here = (0..40).map(|_| fixture.intake.accept(fixture.submission(&[fixture.message()])));
    let there = (0..40).map(|_| another.accept(fixture.submission(&[fixture.message()])));
    let receipts = join_all(here.chain(there)).await;

    let accepted = receipts.iter().filter(|it| it.is_ok()).count();
    let refused = |it: &&Result<_, _>| matches!(it, Err(IntakeError::SpendingLimitReached(_)));
    assert_eq!((accepted, receipts.iter().filter(refused).count()), (30, 50), "{receipts:?}");
    assert_eq!(fixture.number("SELECT sum(spent_micros)::bigint FROM wallets").await, limit);
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_logs").await, 30);
}

#[tokio::test]
async fn watched_wallets_are_still_updated_heap_only() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let own = fixture.organization;
    let watch = format!(
        "UPDATE wallets SET low_balance_micros = 99999999, daily_limit_micros = 99999999 \
         WHERE organization_id = '{own}'"
    );
    fixture.world.sql(&watch).await;
    let columns = "SELECT count(*) FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid \
        WHERE a.attrelid = 'wallets'::regclass AND a.attname IN ('balance_micros', 'updated_at', \
            'spent_on', 'spent_micros', 'is_low', 'falls') \
            AND (a.attnum = ANY(i.indkey) \
                OR pg_get_expr(i.indpred, i.indrelid) ~ ('\\m' || a.attname || '\\M'))";
    assert_eq!(fixture.number(columns).await, 0);
    fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();

    for _ in 0..2 {
        fixture.world.store.note_low_balances().await.unwrap();
        assert_eq!(fixture.number("SELECT sum(falls)::bigint FROM wallets").await, 1);
    }
}
