//! Accepting messages while another instance does.

use std::sync::Arc;

use domain::{address::Address, money::Money};
use futures_util::future::join_all;
use ports::messages::{Idempotency, Intake, IntakeError, Receipt, Submission};

use super::desk::{Desk, PRICE};

#[tokio::test]
async fn two_instances_that_get_the_same_keys_accept_each_once() {
    let desk = Desk::open(Money::from_cedis(100)).await;
    let another = desk.another();
    let keyed = |key: u8| Submission {
        idempotency: Some(Idempotency {
            key: format!("order-{key}"),
            is_sandbox: false,
            fingerprint: [key; 32],
        }),
        ..desk.submission(&[desk.message()])
    };

    let here = (0..20).map(|key| desk.intake.accept(keyed(key)));
    let there = (0..20).rev().map(|key| another.accept(keyed(key)));
    let receipts = join_all(here.chain(there)).await;

    let accepted = receipts.iter().filter(|it| matches!(it, Ok(Receipt::Accepted(_)))).count();
    let replayed = receipts.iter().filter(|it| matches!(it, Ok(Receipt::Replayed(_)))).count();
    assert_eq!((accepted, replayed), (20, 20), "{receipts:?}");
    assert_eq!(desk.number("SELECT count(*) FROM delivery_logs").await, 20);
    let balance = desk.number("SELECT balance_micros FROM wallets WHERE balance_micros > 0").await;
    assert_eq!(Money::from_micros(balance), Money::from_cedis(100) - PRICE * 20);
}

#[tokio::test]
async fn two_instances_spend_the_last_money_of_a_wallet_once() {
    let desk = Desk::open(PRICE * 30).await;
    let another = desk.another();

    let here = (0..40).map(|_| desk.intake.accept(desk.submission(&[desk.message()])));
    let there = (0..40).map(|_| another.accept(desk.submission(&[desk.message()])));
    let receipts = join_all(here.chain(there)).await;

    let accepted = receipts.iter().filter(|it| it.is_ok()).count();
    let refused = |it: &&Result<_, _>| matches!(it, Err(IntakeError::InsufficientBalance(_)));
    assert_eq!((accepted, receipts.iter().filter(refused).count()), (30, 50), "{receipts:?}");
    assert_eq!(desk.number("SELECT count(*) FROM delivery_logs").await, 30);
    assert_eq!(desk.number("SELECT sum(balance_micros)::bigint FROM wallets").await, 0);
}

#[tokio::test]
async fn a_suppressed_recipient_spares_the_wallet_and_nobody_else_in_the_batch() {
    let desk = Desk::open(Money::from_cedis(100)).await;
    let (organization, barred) = (desk.organization, "+233241234568");
    desk.world
        .sql(&format!(
            "INSERT INTO suppressions (id, organization_id, phone, created_at) \
             VALUES (gen_random_uuid(), '{organization}', '{barred}', now())"
        ))
        .await;
    let message_to_barred = || {
        let mut message = desk.message();
        Arc::make_mut(&mut message.draft).recipient = Address::stored(barred.into());
        message
    };

    // The first batches are decided without a look, those after them are not.
    for _ in 0..2 {
        let submissions = (0..10).map(|number| {
            let message = if number == 5 { message_to_barred() } else { desk.message() };
            desk.intake.accept(desk.submission(&[message]))
        });
        let receipts = join_all(submissions).await;
        assert!(receipts.iter().all(|it| matches!(it, Ok(Receipt::Accepted(_)))), "{receipts:?}");
    }

    let free = "SELECT count(*) FROM delivery_logs WHERE cost_micros = 0 \
                AND error_code = 'RECIPIENT_SUPPRESSED' AND recipient = '+233241234568'";
    assert_eq!(desk.number(free).await, 2);
    let paid = "SELECT sum(messages)::bigint FROM ledger WHERE kind = 'MESSAGE_DEBIT'";
    assert_eq!(desk.number(paid).await, 18);
}
