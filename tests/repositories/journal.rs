//! The journal, and what it is posted to.

use domain::money::Money;
use futures_util::future::{join_all, try_join};
use ports::messages::Intake;

use super::intake_fixture::{IntakeFixture, PRICE};

const LINES: &str = "SELECT count(*) FROM journal";
/// A message counts for its hour and for its day.
const COUNTED: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_counters";
const IN_ALL: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_counts";
const SLOTTED: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_slot_counts";
const COSTS: &str = "SELECT coalesce(sum(cost_micros), 0)::bigint FROM delivery_log_counts \
                     WHERE span = 'DAY' AND status = 'QUEUED' AND channel = 'SMS'";
const DEBITS: &str = "SELECT count(*) FROM ledger_entries WHERE kind = 'MESSAGE_DEBIT'";
const PAID: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM ledger \
                    WHERE kind = 'MESSAGE_DEBIT'";
/// By how much the balances differ from the ledger.
const DIFFERENCE: &str = "SELECT (SELECT sum(balance_micros) FROM wallet_balances)::bigint \
                          - (SELECT sum(amount_micros) FROM ledger)::bigint";

/// A fixture that accepted so many messages one after the other, so that each has its own line.
async fn busy(messages: usize) -> IntakeFixture {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    for _ in 0..messages {
        fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
    }
    fixture
}

#[tokio::test]
async fn posting_makes_one_change_of_many_and_changes_no_total() {
    let fixture = busy(5).await;
    let before =
        (fixture.number(IN_ALL).await, fixture.number(COSTS).await, fixture.number(PAID).await);
    assert_eq!(before, (10, (PRICE * 5).micros(), 5));
    assert_eq!((fixture.number(LINES).await, fixture.number(COUNTED).await), (5, 0));
    assert_eq!(fixture.number(SLOTTED).await, 5);
    assert_eq!((fixture.number(DEBITS).await, fixture.number(DIFFERENCE).await), (0, 0));

    assert_eq!(fixture.world.store.post_journal().await.unwrap(), 5);

    let after =
        (fixture.number(IN_ALL).await, fixture.number(COSTS).await, fixture.number(PAID).await);
    assert_eq!(after, before);
    assert_eq!((fixture.number(LINES).await, fixture.number(COUNTED).await), (0, 10));
    assert_eq!(fixture.number(SLOTTED).await, 5);
    assert_eq!((fixture.number(DEBITS).await, fixture.number(DIFFERENCE).await), (1, 0));
    assert_eq!(fixture.world.store.post_journal().await.unwrap(), 0);
}

#[tokio::test]
async fn what_is_posted_later_adds_to_what_was_posted_before() {
    let fixture = busy(2).await;
    fixture.world.store.post_journal().await.unwrap();
    let submission = fixture.submission(&[fixture.message(), fixture.message()]);
    fixture.intake.accept(submission).await.unwrap();

    fixture.world.store.post_journal().await.unwrap();

    assert_eq!((fixture.number(COUNTED).await, fixture.number(IN_ALL).await), (8, 8));
    assert_eq!((fixture.number(DEBITS).await, fixture.number(PAID).await), (2, 4));
    assert_eq!(fixture.number(DIFFERENCE).await, 0);
}

#[tokio::test]
async fn instances_that_post_at_the_same_time_post_each_line_once() {
    let fixture = busy(20).await;
    let accept =
        join_all((0..20).map(|_| fixture.intake.accept(fixture.submission(&[fixture.message()]))));
    let post = join_all((0..10).map(|_| fixture.world.store.post_journal()));

    let (accepted, posted) = futures_util::future::join(accept, post).await;
    assert!(accepted.iter().all(Result::is_ok));
    assert!(posted.iter().all(Result::is_ok));
    fixture.world.store.post_journal().await.unwrap();

    assert_eq!((fixture.number(LINES).await, fixture.number(COUNTED).await), (0, 80));
    assert_eq!((fixture.number(PAID).await, fixture.number(DIFFERENCE).await), (40, 0));
}

#[tokio::test]
async fn the_journal_can_be_cleaned_while_it_is_written() {
    let fixture = busy(3).await;
    fixture.world.store.post_journal().await.unwrap();
    let accept =
        async { Ok(fixture.intake.accept(fixture.submission(&[fixture.message()])).await) };

    let ((), accepted) = try_join(fixture.world.store.clean_journal(), accept).await.unwrap();

    accepted.unwrap();
    assert_eq!((fixture.number(LINES).await, fixture.number(IN_ALL).await), (1, 8));
}
