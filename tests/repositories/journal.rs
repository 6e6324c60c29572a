//! The journal, and what it is posted to.

use domain::money::Money;
use futures_util::future::{join_all, try_join};
use ports::messages::Intake;

use super::desk::{Desk, PRICE};

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

/// A desk that accepted so many messages one after the other, so that each has its own line.
async fn busy(messages: usize) -> Desk {
    let desk = Desk::open(Money::from_cedis(100)).await;
    for _ in 0..messages {
        desk.intake.accept(desk.submission(&[desk.message()])).await.unwrap();
    }
    desk
}

#[tokio::test]
async fn posting_makes_one_change_of_many_and_changes_no_total() {
    let desk = busy(5).await;
    let before = (desk.number(IN_ALL).await, desk.number(COSTS).await, desk.number(PAID).await);
    assert_eq!(before, (10, (PRICE * 5).micros(), 5));
    assert_eq!((desk.number(LINES).await, desk.number(COUNTED).await), (5, 0));
    assert_eq!(desk.number(SLOTTED).await, 5);
    assert_eq!((desk.number(DEBITS).await, desk.number(DIFFERENCE).await), (0, 0));

    assert_eq!(desk.world.store.post_journal().await.unwrap(), 5);

    let after = (desk.number(IN_ALL).await, desk.number(COSTS).await, desk.number(PAID).await);
    assert_eq!(after, before);
    assert_eq!((desk.number(LINES).await, desk.number(COUNTED).await), (0, 10));
    assert_eq!(desk.number(SLOTTED).await, 5);
    assert_eq!((desk.number(DEBITS).await, desk.number(DIFFERENCE).await), (1, 0));
    assert_eq!(desk.world.store.post_journal().await.unwrap(), 0);
}

#[tokio::test]
async fn what_is_posted_later_adds_to_what_was_posted_before() {
    let desk = busy(2).await;
    desk.world.store.post_journal().await.unwrap();
    let submission = desk.submission(&[desk.message(), desk.message()]);
    desk.intake.accept(submission).await.unwrap();

    desk.world.store.post_journal().await.unwrap();

    assert_eq!((desk.number(COUNTED).await, desk.number(IN_ALL).await), (8, 8));
    assert_eq!((desk.number(DEBITS).await, desk.number(PAID).await), (2, 4));
    assert_eq!(desk.number(DIFFERENCE).await, 0);
}

#[tokio::test]
async fn instances_that_post_at_the_same_time_post_each_line_once() {
    let desk = busy(20).await;
    let accept = join_all((0..20).map(|_| desk.intake.accept(desk.submission(&[desk.message()]))));
    let post = join_all((0..10).map(|_| desk.world.store.post_journal()));

    let (accepted, posted) = futures_util::future::join(accept, post).await;
    assert!(accepted.iter().all(Result::is_ok));
    assert!(posted.iter().all(Result::is_ok));
    desk.world.store.post_journal().await.unwrap();

    assert_eq!((desk.number(LINES).await, desk.number(COUNTED).await), (0, 80));
    assert_eq!((desk.number(PAID).await, desk.number(DIFFERENCE).await), (40, 0));
}

#[tokio::test]
async fn the_journal_can_be_cleaned_while_it_is_written() {
    let desk = busy(3).await;
    desk.world.store.post_journal().await.unwrap();
    let accept = async { Ok(desk.intake.accept(desk.submission(&[desk.message()])).await) };

    let ((), accepted) = try_join(desk.world.store.clean_journal(), accept).await.unwrap();

    accepted.unwrap();
    assert_eq!((desk.number(LINES).await, desk.number(IN_ALL).await), (1, 8));
}
