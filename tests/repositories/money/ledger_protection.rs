//! Protection of the books: movements never change, and only the posting removes what it has
//! posted.

use domain::{
    identity::organization::Organization,
    money::wallet::LedgerKind,
    shared::{id::Id, money::Money},
};
use ports::messaging::messages::Intake;

use crate::{World, messaging::intake_fixture::IntakeFixture, money::ledger::verified};

/// Asserts that a change of the books is refused.
async fn assert_refused(world: &World, statement: &str) {
    let refused = world.client().await.batch_execute(statement).await;
    let refused = refused.unwrap_err();
    let refused = refused.as_db_error().unwrap().message();
    assert!(refused.ends_with(" is append-only"), "{statement}: {refused}");
}

/// Books with a row in each table.
async fn full() -> IntakeFixture {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let store = &fixture.world.store;
    for stage in 0..3 {
        fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
        match stage {
            0 => _ = store.post_journal().await.unwrap(),
            1 => _ = store.fold_journal(None).await.unwrap(),
            _ => {}
        }
    }
    fixture
}

#[tokio::test]
async fn every_table_of_the_books_refuses_changes() {
    let fixture = full().await;
    for (table, column) in [
        ("journal", "written_at"),
        ("journal_rollups", "written_at"),
        ("ledger_hours", "messages"),
        ("ledger_entries", "messages"),
        ("ledger_heads", "sequence"),
        ("wallet_credits", "amount_micros"),
    ] {
        let rows = format!("SELECT count(*) FROM {table}");
        assert_eq!(fixture.number(&rows).await, 1, "{table}");
        for change in ["UPDATE # SET $ = $", "DELETE FROM #", "TRUNCATE #"] {
            let change = change.replace('#', table).replace('$', column);
            assert_refused(&fixture.world, &change).await;
        }
        assert_eq!(fixture.number(&rows).await, 1, "{table}");
    }
    assert!(verified(&fixture.world).await.contains(" is in order"));
}

#[tokio::test]
async fn even_the_posting_cannot_change_append_only_rows() {
    let fixture = full().await;
    for change in [
        "UPDATE journal SET written_at = now()",
        "UPDATE journal_rollups SET written_at = now()",
        "TRUNCATE journal",
        "TRUNCATE ledger_hours",
        "DELETE FROM ledger_entries",
        "UPDATE ledger_heads SET sequence = 1",
        "UPDATE wallet_credits SET is_entered = true",
        "UPDATE wallet_credits SET is_entered = false",
        "DELETE FROM wallet_credits",
    ] {
        let posting = format!("BEGIN; SET LOCAL atumpan.posting = 'on'; {change}; COMMIT");
        assert_refused(&fixture.world, &posting).await;
    }
}

#[tokio::test]
async fn entering_a_credit_changes_nothing_else_of_it() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    world.open_wallet(own, Money::from_cedis(10)).await;

    let change = "UPDATE wallet_credits SET is_entered = true, amount_micros = amount_micros + 1";
    assert_refused(&world, &format!("BEGIN; SET LOCAL atumpan.posting = 'on'; {change}")).await;

    assert_eq!(world.store.enter_credits().await.unwrap(), 1);
    assert_eq!(world.store.enter_credits().await.unwrap(), 0);
}

#[tokio::test]
async fn each_kind_of_movement_has_exactly_one_account() {
    let world = World::alone().await;
    let own: Id<Organization> = world.organization().await.id;
    world.open_wallet(own, Money::ZERO).await;
    let client = world.client().await;
    let enter = |kind: &str, account: &str| {
        format!(
            "INSERT INTO ledger_entries (id, organization_id, kind, contra_account, amount_micros, \
                created_at) \
             VALUES (gen_random_uuid(), '{own}', '{kind}', {account}, 0, now())"
        )
    };
    for kind in LedgerKind::ALL {
        client.batch_execute(&enter(kind.as_str(), "NULL")).await.unwrap();
        for other in LedgerKind::ALL {
            let account = format!("'{}'", other.contra_account().as_str());
            let entered = client.batch_execute(&enter(kind.as_str(), &account)).await;
            assert_eq!(entered.is_ok(), kind == other, "{kind:?} against {account}");
        }
    }
    for (kind, account) in [("GIFT", "NULL"), ("GIFT", "'TRIAL'")] {
        assert!(client.batch_execute(&enter(kind, account)).await.is_err(), "{kind} {account}");
    }
    let entries = 2 * LedgerKind::ALL.len();
    let expected = format!("the ledger is in order: 2 wallets, {entries} entries, GHS 0.00");
    assert_eq!(verified(&world).await, expected);
}
