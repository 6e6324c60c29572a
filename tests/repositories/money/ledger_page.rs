//! The ledger, page by page.

use domain::{
    money::ledger::Movement,
    shared::{money::Money, page::Page},
};
use ports::{messaging::messages::Intake, money::ledger::LedgerRepository};

use crate::{
    World,
    messaging::intake_fixture::{IntakeFixture, PRICE},
    money::ledger::credit,
};

/// The name of a movement: the number of its entry, or else its reference.
fn name(movement: &Movement) -> String {
    match (&movement.link, &movement.reference) {
        (Some(link), _) => link.sequence.to_string(),
        (None, reference) => reference.clone().unwrap(),
    }
}

#[tokio::test]
async fn unentered_movements_precede_entries_in_descending_order() {
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    for organization in [own, other] {
        world.open_wallet(organization, Money::ZERO).await;
    }
    for reference in ["a", "b", "c"] {
        credit(&world, other, reference).await;
        credit(&world, own, reference).await;
        world.store.enter_credits().await.unwrap();
    }
    credit(&world, own, "d").await;
    credit(&world, own, "e").await;
    credit(&world, other, "f").await;
    let pages: [(i64, i64, &[&str]); 8] = [
        (1, 2, &["d", "e"]),
        (2, 2, &["3", "2"]),
        (3, 2, &["1"]),
        (4, 2, &[]),
        (1, 3, &["d", "e", "3"]),
        (2, 3, &["2", "1"]),
        (1, 100, &["d", "e", "3", "2", "1"]),
        (i64::from(u32::MAX), 100, &[]),
    ];

    for (number, limit, expected) in pages {
        let page = Page::new(Some(number), Some(limit)).unwrap();
        let found = LedgerRepository::page(&world.store, own, page).await.unwrap();

        assert_eq!((found.total, found.is_lower_bound), (5, false));
        let mut names: Vec<_> = found.items.iter().map(name).collect();
        // Both were created at the same moment.
        if names.len() > 1 && names[1] == "d" {
            names.swap(0, 1);
        }
        assert_eq!(names, expected, "page {number} of {limit}");
    }
}

#[tokio::test]
async fn message_payments_of_an_hour_are_one_movement() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let page = Page::new(None, None).unwrap();
    // The three places: an open hour, rollups and lines.
    for stage in 0..3 {
        fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
        if stage < 2 {
            fixture.world.store.fold_journal(None).await.unwrap();
        }
        if stage < 1 {
            fixture.world.store.post_oldest_bucket(None).await.unwrap();
        }
    }
    // At the end of the hour there would be two movements.
    let hour = "UPDATE # SET written_at = date_trunc('hour', now(), 'UTC')";
    for table in ["journal", "journal_rollups"] {
        fixture.world.tamper(&hour.replace('#', table)).await;
    }
    fixture.world.tamper("UPDATE ledger_hours SET hour = date_trunc('hour', now(), 'UTC')").await;

    let store = &fixture.world.store;
    let found = LedgerRepository::page(store, fixture.organization, page).await.unwrap();

    let (debit, trial) = (&found.items[0], &found.items[1]);
    assert_eq!((found.items.len(), found.total), (2, 2));
    assert_eq!((debit.messages, debit.amount), (3, Money::ZERO - PRICE * 3));
    assert!(debit.id.is_some(), "it has that of its open hour");
    assert_eq!(trial.amount, Money::from_cedis(100));
}
