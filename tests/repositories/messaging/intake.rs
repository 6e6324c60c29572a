//! Concurrent acceptance of messages by several instances.

use std::{iter, sync::Arc};

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{IntakeDeps, PgInstance, PgIntake, PgStore, Task};
use app::{clock::SystemClock, supervisor::Supervisor};
use domain::{
    messaging::{
        job::Job,
        message::Message,
        priority::{Priority, ProviderQueue},
    },
    shared::{address::Address, channel::Channel, money::Money},
};
use futures_util::future::join_all;
use ports::{
    messaging::messages::{Idempotency, Intake, IntakeError, LocalQueue, Receipt, Submission},
    shared::traces::Tracer,
};

use crate::messaging::intake_fixture::{IntakeFixture, PRICE};

#[tokio::test]
async fn two_instances_accept_each_idempotency_key_once() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let another = fixture.another();
    let keyed = |key: u8| Submission {
        idempotency: Some(Idempotency {
            key: format!("order-{key}"),
            is_sandbox: false,
            fingerprint: [key; 32],
            gaps: Vec::new(),
        }),
        ..fixture.submission(&[fixture.message()])
    };

    let here = (0..20).map(|key| fixture.intake.accept(keyed(key)));
    let there = (0..20).rev().map(|key| another.accept(keyed(key)));
    let receipts = join_all(here.chain(there)).await;

    let accepted = receipts.iter().filter(|it| matches!(it, Ok(Receipt::Accepted(_)))).count();
    let replayed = receipts.iter().filter(|it| matches!(it, Ok(Receipt::Replayed(_)))).count();
    assert_eq!((accepted, replayed), (20, 20), "{receipts:?}");
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_logs").await, 20);
    let balance =
        fixture.number("SELECT balance_micros FROM wallets WHERE balance_micros > 0").await;
    assert_eq!(Money::from_micros(balance), Money::from_cedis(100) - PRICE * 20);
}

#[tokio::test]
async fn two_instances_together_never_overspend_a_wallet() {
    let fixture = IntakeFixture::open(PRICE * 30).await;
    let another = fixture.another();

    let here = (0..40).map(|_| fixture.intake.accept(fixture.submission(&[fixture.message()])));
    let there = (0..40).map(|_| another.accept(fixture.submission(&[fixture.message()])));
    let receipts = join_all(here.chain(there)).await;

    let accepted = receipts.iter().filter(|it| it.is_ok()).count();
    let refused = |it: &&Result<_, _>| matches!(it, Err(IntakeError::InsufficientBalance(_)));
    assert_eq!((accepted, receipts.iter().filter(refused).count()), (30, 50), "{receipts:?}");
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_logs").await, 30);
    assert_eq!(fixture.number("SELECT sum(balance_micros)::bigint FROM wallets").await, 0);
}

#[tokio::test]
async fn only_the_suppressed_message_of_a_batch_is_free() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let (organization, barred) = (fixture.organization, "+233241234568");
    fixture
        .world
        .sql(&format!(
            "INSERT INTO suppressions (id, organization_id, phone, created_at) \
             VALUES (gen_random_uuid(), '{organization}', '{barred}', now())"
        ))
        .await;
    let message_to_barred = || {
        let mut message = fixture.message();
        Arc::make_mut(&mut message.draft).recipient = Address::stored(barred.into());
        message
    };

    // The first batches are decided without reading suppressions, later ones are not.
    for _ in 0..2 {
        let submissions = (0..10).map(|number| {
            let message = if number == 5 { message_to_barred() } else { fixture.message() };
            fixture.intake.accept(fixture.submission(&[message]))
        });
        let receipts = join_all(submissions).await;
        assert!(receipts.iter().all(|it| matches!(it, Ok(Receipt::Accepted(_)))), "{receipts:?}");
    }

    let free = "SELECT count(*) FROM delivery_logs WHERE cost_micros = 0 \
                AND error_code = 'RECIPIENT_SUPPRESSED' AND recipient = '+233241234568'";
    assert_eq!(fixture.number(free).await, 2);
    let paid = "SELECT sum(messages)::bigint FROM ledger WHERE kind = 'MESSAGE_DEBIT'";
    assert_eq!(fixture.number(paid).await, 18);
}

#[tokio::test]
async fn a_batch_that_is_decided_without_reading_finds_each_suppressed_recipient() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let organization = fixture.organization;
    let (phone, mail) = ((Channel::Sms, "+233241234568"), (Channel::Email, "ama@example.com"));
    fixture
        .world
        .sql(&format!(
            "INSERT INTO suppressions (id, organization_id, phone, email, created_at) \
             VALUES (gen_random_uuid(), '{organization}', '{}', NULL, now()), \
                (gen_random_uuid(), '{organization}', NULL, '{}', now())",
            phone.1, mail.1
        ))
        .await;
    let to_both = [(Channel::Sms, "+233241234567"), (Channel::Email, "esi@example.com")];
    let (to_phone, to_both) = (&to_both[..1], &to_both[..]);
    for (barred, others) in [(phone, to_phone), (phone, to_both), (mail, to_phone), (mail, to_both)]
    {
        // Another instance has had no refusal, and knows the wallet from its first batch.
        let intake = fixture.another();
        intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
        let messages = iter::once(&barred).chain(others).map(|(channel, to)| {
            let mut message = fixture.message();
            let draft = Arc::make_mut(&mut message.draft);
            (draft.channel, draft.recipient) = (*channel, Address::stored((*to).into()));
            message
        });

        let receipt = intake.accept(fixture.submission(&messages.collect::<Vec<_>>())).await;

        let Ok(Receipt::Accepted(jobs)) = receipt else { panic!("{receipt:?}") };
        let are_refused: Vec<_> = jobs.iter().map(|job| job.message.refusal().is_some()).collect();
        assert!(are_refused[0], "{barred:?} with {others:?}");
        assert!(!are_refused[1..].contains(&true), "{others:?} with {barred:?}");
    }
}

/// A queue that panics when it is offered jobs.
struct Clumsy;

impl LocalQueue for Clumsy {
    fn provider_queue(&self, _: &Message) -> ProviderQueue {
        ProviderQueue::FREE
    }

    fn room(&self, _: Priority, _: ProviderQueue) -> usize {
        0
    }

    fn offer(&self, _: Vec<Job>) -> Vec<Job> {
        panic!("it fell over")
    }

    fn wake(&self) {}
}

#[tokio::test]
async fn a_panic_of_a_writer_is_reported_with_its_name() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let store = PgStore::connect_writers(&fixture.world.url, 4).unwrap();
    let (intake, writers) = PgIntake::new(IntakeDeps {
        store: store.clone(),
        jobs: Arc::clone(&fixture.jobs),
        handover: Arc::new(Clumsy),
        clock: Arc::new(SystemClock),
        instance: PgInstance::new(store, Arc::new(SystemRandom)),
        tracer: Tracer::default(),
    });
    let mut supervisor = Supervisor::default();
    for Task { name, run } in writers {
        supervisor.spawn(name, run);
    }

    let accepted = intake.accept(fixture.submission(&[fixture.message()])).await;

    assert!(matches!(accepted, Ok(Receipt::Accepted(_))), "it was answered before: {accepted:?}");
    let ended = supervisor.ended().await.to_string();
    assert_eq!(ended, "the task \"intake writer\" panicked: it fell over");
}
