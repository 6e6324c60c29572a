//! Verification of the ledger under load and after tampering.

use adapters_postgres::PgStore;
use domain::{
    identity::organization::Organization,
    messaging::message::Message,
    money::wallet::{Credit, LedgerKind},
    shared::{id::Id, money::Money},
};
use futures_util::future::{join_all, join5};
use ports::messaging::messages::{ClaimLimits, Intake, Jobs, Submission};
use usecases::money::ledger::verify;

use crate::{World, messaging::intake_fixture::IntakeFixture, now, shared::locks::failed};

/// The result of a verification. The platform's own wallet is included.
pub(crate) async fn verified(world: &World) -> String {
    verify(&world.store).await.unwrap().to_string()
}

/// Credits a wallet under a new reference.
pub(crate) async fn credit(world: &World, organization: Id<Organization>, reference: &str) {
    let credit = Credit {
        id: Id::new_in(now(), organization),
        organization,
        kind: LedgerKind::TopUp,
        reference: reference.into(),
        amount: Money::from_cedis(5),
        at: now(),
    };
    assert!(world.wallets().credit(&credit).await.unwrap().is_new);
}

/// A world with an organization that has that many entries, and a neighbour on either side.
async fn world_with_entries(count: u8) -> (World, Id<Organization>) {
    let world = World::alone().await;
    let mut organizations = [world.organization().await.id, world.organization().await.id];
    organizations.sort();
    let own = world.organization().await.id;
    for organization in [organizations[0], own, organizations[1]] {
        world.open_wallet(organization, Money::ZERO).await;
        for number in 0..count {
            credit(&world, organization, &number.to_string()).await;
            world.store.enter_credits().await.unwrap();
        }
    }
    (world, own)
}

/// Accepts messages of an organization in one submission.
async fn accept(fixture: &IntakeFixture, organization: Id<Organization>) {
    let messages = [(); 3].map(|()| Message { organization, ..fixture.message() });
    let submission = Submission { organization, ..fixture.submission(&messages) };
    fixture.intake.accept(submission).await.unwrap();
}

async fn fail_some(fixture: &IntakeFixture) {
    let jobs = fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    for recorded in join_all(jobs.into_iter().map(|job| fixture.jobs.record(failed(job)))).await {
        recorded.unwrap();
    }
}

/// Runs every kind of posting once.
async fn post(store: &PgStore) {
    store.fold_journal(None).await.unwrap();
    store.post_oldest_bucket(None).await.unwrap();
    store.close_ledger_hours().await.unwrap();
    store.enter_credits().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_ledger_is_in_order_at_every_moment_of_a_mixed_load() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let world = &fixture.world;
    let mut organizations = vec![fixture.organization];
    for _ in 0..5 {
        let organization = world.organization().await.id;
        world.open_wallet(organization, Money::from_cedis(100)).await;
        organizations.push(organization);
    }
    let posters: Vec<_> = (0..2).map(|_| PgStore::connect(&world.url, 2).unwrap()).collect();
    let store = PgStore::connect(&world.url, 2).unwrap();

    for round in 0..6 {
        let accepted = organizations.iter().map(|&organization| accept(&fixture, organization));
        let reference = round.to_string();
        let credits = organizations.iter().map(|&it| credit(world, it, &reference));
        let verified = async { verify(&store).await.unwrap().to_string() };
        let (.., found) = join5(
            join_all(accepted),
            join_all(credits),
            fail_some(&fixture),
            join_all(posters.iter().map(post)),
            verified,
        )
        .await;
        assert!(found.starts_with("the ledger is in order: 7 wallets"), "{found}");
        let earlier = "UPDATE journal SET written_at = written_at - interval '2 hours'";
        world.tamper(earlier).await;
    }
    // Posting may have taken all lines of the rounds within the present hour, which is not over.
    accept(&fixture, fixture.organization).await;
    fail_some(&fixture).await;
    world.tamper("UPDATE journal SET written_at = written_at - interval '2 hours'").await;
    world.store.post_journal().await.unwrap();
    while world.store.close_ledger_hours().await.unwrap() > 0 {}

    let left = "SELECT count(*) FROM unentered_movements WHERE created_at < now() - interval '1 h'";
    assert_eq!(fixture.number(left).await, 0);
    let kinds = "SELECT count(DISTINCT kind) FROM ledger_entries";
    assert_eq!(fixture.number(kinds).await, 4, "trial, top-up, debit and refund");
    assert_eq!(fixture.number("SELECT sum(amount_micros)::bigint FROM ledger_sides").await, 0);
    let found = verified(world).await;
    let total = fixture.number("SELECT sum(balance_micros)::bigint FROM wallets").await;
    let entries = fixture.number("SELECT count(*) FROM ledger_entries").await;
    let total = Money::from_micros(total);
    assert_eq!(found, format!("the ledger is in order: 7 wallets, {entries} entries, {total}"));
}

#[tokio::test]
async fn tampering_is_found_and_named() {
    let (world, own) = world_with_entries(3).await;
    credit(&world, own, "waits").await;
    let good = verified(&world).await;
    assert_eq!(good, "the ledger is in order: 4 wallets, 9 entries, GHS 50.00");
    for table in ["ledger_entries", "ledger_heads", "wallets", "wallet_credits"] {
        world.sql(&format!("CREATE TABLE saved_{table} AS SELECT * FROM {table}")).await;
    }
    world.sql("ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_sides").await;
    let mut cases = Vec::new();
    for sequence in 1..=3 {
        for change in [
            "amount_micros = amount_micros + 1",
            "reference = 'other'",
            "kind = 'CORRECTION', contra_account = 'ADJUSTMENTS'",
            "created_at = created_at + interval '1 microsecond'",
        ] {
            let tamper = format!("UPDATE ledger_entries SET {change} WHERE sequence = {sequence}");
            cases.push((tamper, format!("entry {sequence} does not match its hash")));
        }
        let remove = format!("DELETE FROM ledger_entries WHERE sequence = {sequence}");
        cases.push((remove, format!("entry {sequence} is missing")));
        let swap = "UPDATE ledger_entries SET contra_account = 'REVENUE' WHERE sequence =";
        let found = format!("entry {sequence} has TOP_UP against REVENUE");
        cases.push((format!("{swap} {sequence}"), found));
    }
    for (tamper, found) in [
        (
            "UPDATE wallets SET balance_micros = balance_micros + 1 WHERE true",
            "its wallet holds GHS 20.000001, and its ledger comes to GHS 20.00",
        ),
        (
            "DELETE FROM wallet_credits WHERE NOT is_entered",
            "its wallet holds GHS 20.00, and its ledger comes to GHS 15.00",
        ),
        ("DELETE FROM wallets WHERE true", "it has no wallet"),
        ("DELETE FROM ledger_heads WHERE true", "entry 3 is not the last one that was entered"),
        (
            "UPDATE ledger_heads SET sequence = 2 WHERE true",
            "entry 3 is not the last one that was entered",
        ),
        ("DELETE FROM ledger_entries WHERE true", "entry 1 is missing"),
    ] {
        cases.push((tamper.to_owned(), found.to_owned()));
    }

    for (tamper, found) in cases {
        world.tamper(&format!("{tamper} AND organization_id = '{own}'")).await;
        let expected = format!("the ledger is not in order: organization {own}: {found}");
        assert_eq!(verified(&world).await, expected, "{tamper}");
        for table in ["ledger_entries", "ledger_heads", "wallets", "wallet_credits"] {
            let restore =
                format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM saved_{table}");
            world.tamper(&restore).await;
        }
        assert_eq!(verified(&world).await, good, "{tamper}");
    }
}

#[tokio::test]
async fn entries_of_all_months_are_verified_in_batches() {
    let (world, own) = world_with_entries(1).await;
    world
        .sql(&format!(
            "INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, created_at) \
             SELECT uuid_v7_in(now() + number * interval '6 min', '{own}'), '{own}', 'TOP_UP', 1, now() \
             FROM generate_series(1, 12000) AS number; \
             UPDATE wallets SET balance_micros = balance_micros + 12000 \
             WHERE organization_id = '{own}'"
        ))
        .await;
    let tables = "SELECT count(DISTINCT tableoid) FROM ledger_entries";
    let tables: i64 = world.client().await.query_one(tables, &[]).await.unwrap().get(0);
    assert!(tables > 1);

    let found = verified(&world).await;

    assert_eq!(found, "the ledger is in order: 4 wallets, 12003 entries, GHS 15.012");
    world.tamper("UPDATE ledger_entries SET messages = 1 WHERE sequence = 11000").await;
    assert!(
        verified(&world)
            .await
            .ends_with(&format!("organization {own}: entry 11000 does not match its hash"))
    );
}
