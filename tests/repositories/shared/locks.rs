//! Isolation of organizations from each other's locks.

use std::time::{Duration, Instant};

use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::DeliveryEvent,
        delivery::{Failure, FailureCode},
        job::{Job, Step},
        message::Message,
    },
    shared::{id::Id, money::Money},
};
use futures_util::future::join_all;
use ports::{
    messaging::messages::{
        ClaimLimits, Idempotency, Intake, IntakeError, Jobs, Receipt, Recorded, Submission,
    },
    shared::store::StoreError,
};
use tokio_postgres::Client;

use crate::{
    messaging::intake_fixture::{IntakeFixture, PRICE},
    now,
};

/// Difference between all balances and the ledger.
const DIFFERENCE: &str = "SELECT (SELECT sum(balance_micros) FROM wallet_balances)::bigint \
                          - (SELECT sum(amount_micros) FROM ledger)::bigint";
const REFUNDED: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM ledger_hours \
                        WHERE kind = 'MESSAGE_REFUND'";

/// A fixture and a second organization on it.
async fn two() -> (IntakeFixture, Id<Organization>) {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let other = fixture.world.organization().await.id;
    fixture.world.open_wallet(other, Money::from_cedis(1_000_000)).await;
    (fixture, other)
}

fn submission(fixture: &IntakeFixture, organization: Id<Organization>) -> Submission {
    let message = Message { organization, ..fixture.message() };
    Submission { organization, ..fixture.submission(&[message]) }
}

/// A connection that locks a wallet until `COMMIT`.
async fn lock(fixture: &IntakeFixture, organization: Id<Organization>) -> Client {
    let client = fixture.world.client().await;
    let lock =
        format!("BEGIN; SELECT FROM wallets WHERE organization_id = '{organization}' FOR UPDATE");
    client.batch_execute(&lock).await.unwrap();
    client
}

async fn balance(fixture: &IntakeFixture, organization: Id<Organization>) -> Money {
    fixture.world.wallets().find(organization).await.unwrap().unwrap().balance
}

/// The step by which a message fails for good.
pub(crate) fn failed(job: Job) -> Step {
    let failure = Failure::new(FailureCode::ProviderRejected, "no");
    let event = DeliveryEvent::Rejected { at: now(), failure };
    let delivery = job.message.delivery.after(event).unwrap();
    job.conclude(delivery).into()
}

#[tokio::test]
async fn a_locked_wallet_delays_no_other_organization() {
    let (fixture, other) = two().await;
    let holder = lock(&fixture, fixture.organization).await;
    let waiting = async {
        let both =
            (0..2).map(|_| fixture.intake.accept(submission(&fixture, fixture.organization)));
        (join_all(both).await, Instant::now())
    };
    let going_on = async {
        let began = Instant::now();
        let mut slowest = Duration::ZERO;
        while began.elapsed() < Duration::from_secs(2) {
            let asked = Instant::now();
            let together = (0..5).map(|_| fixture.intake.accept(submission(&fixture, other)));
            for receipt in join_all(together).await {
                assert!(matches!(receipt, Ok(Receipt::Accepted(_))), "{receipt:?}");
            }
            slowest = slowest.max(asked.elapsed());
        }
        let released = Instant::now();
        holder.batch_execute("COMMIT").await.unwrap();
        (slowest, released)
    };

    let ((receipts, answered), (slowest, released)) =
        futures_util::future::join(waiting, going_on).await;

    assert!(slowest < Duration::from_millis(1_500), "others waited for {slowest:?}");
    assert!(receipts.iter().all(|it| matches!(it, Ok(Receipt::Accepted(_)))), "{receipts:?}");
    assert!(answered >= released, "the wallet was locked until then");
    assert_eq!(balance(&fixture, fixture.organization).await, Money::from_cedis(100) - PRICE * 2);
    assert_eq!(fixture.number(DIFFERENCE).await, 0);
}

#[tokio::test]
async fn a_submission_fails_after_five_seconds_at_a_locked_wallet() {
    let (fixture, _) = two().await;
    let _holder = lock(&fixture, fixture.organization).await;
    let began = Instant::now();

    let receipt = fixture.intake.accept(submission(&fixture, fixture.organization)).await;

    let waited = began.elapsed();
    assert!(matches!(receipt, Err(IntakeError::Store(StoreError::Unavailable(_)))), "{receipt:?}");
    assert!(waited > Duration::from_secs(4) && waited < Duration::from_secs(15), "{waited:?}");
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_logs").await, 0);
    assert_eq!(balance(&fixture, fixture.organization).await, Money::from_cedis(100));
}

#[tokio::test]
async fn a_refund_counts_at_once_and_waits_for_its_wallet_only() {
    let (fixture, other) = two().await;
    for organization in [fixture.organization, other] {
        fixture.intake.accept(submission(&fixture, organization)).await.unwrap();
    }
    let jobs = fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    assert_eq!(jobs.len(), 2);
    let holder = lock(&fixture, fixture.organization).await;

    for job in jobs {
        let recorded = fixture.jobs.record(failed(job));
        let recorded = tokio::time::timeout(Duration::from_secs(10), recorded).await;
        assert_eq!(recorded.expect("no step waits for a wallet").unwrap(), Recorded::Done);
    }
    assert_eq!(balance(&fixture, fixture.organization).await, Money::from_cedis(100));
    assert_eq!(balance(&fixture, other).await, Money::from_cedis(1_000_000));
    assert_eq!(fixture.number(DIFFERENCE).await, 0);

    fixture.world.store.post_journal().await.unwrap();
    fixture.world.store.post_journal().await.unwrap();
    assert_eq!(fixture.number(REFUNDED).await, 1, "one wallet is locked");
    assert_eq!(balance(&fixture, fixture.organization).await, Money::from_cedis(100));
    assert_eq!(fixture.number(DIFFERENCE).await, 0);

    holder.batch_execute("COMMIT").await.unwrap();
    fixture.world.store.post_journal().await.unwrap();
    assert_eq!(fixture.number(REFUNDED).await, 2);
    assert_eq!(fixture.number("SELECT count(*) FROM journal").await, 0);
    let wallets = fixture.number("SELECT sum(balance_micros)::bigint FROM wallets").await;
    assert_eq!(Money::from_micros(wallets), Money::from_cedis(1_000_100));
    assert_eq!(fixture.number(DIFFERENCE).await, 0);
}

#[tokio::test]
async fn an_unposted_refund_pays_for_the_next_message() {
    let fixture = IntakeFixture::open(PRICE).await;
    let job = fixture.claim(&[fixture.message()]).await.remove(0);
    fixture.jobs.record(failed(job)).await.unwrap();
    assert_eq!(fixture.number("SELECT sum(balance_micros)::bigint FROM wallets").await, 0);

    let next = fixture.intake.accept(fixture.submission(&[fixture.message()])).await;
    let one_more = fixture.intake.accept(fixture.submission(&[fixture.message()])).await;

    assert!(matches!(next, Ok(Receipt::Accepted(_))), "{next:?}");
    assert!(matches!(one_more, Err(IntakeError::InsufficientBalance(_))), "{one_more:?}");
    assert_eq!(fixture.number(DIFFERENCE).await, 0);
}

#[tokio::test]
async fn a_step_at_a_lock_keeps_its_lease_and_delays_no_other() {
    let (fixture, other) = two().await;
    for organization in [fixture.organization, other] {
        fixture.intake.accept(submission(&fixture, organization)).await.unwrap();
    }
    let jobs = fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    let (own, others): (Vec<_>, Vec<_>) =
        jobs.into_iter().partition(|job| job.message.organization == fixture.organization);
    let holder = fixture.world.client().await;
    let lock = "BEGIN; SELECT FROM delivery_logs WHERE organization_id = '{}' FOR UPDATE";
    let lock = lock.replace("{}", &fixture.organization.to_string());
    holder.batch_execute(&lock).await.unwrap();

    let waiting = join_all(own.into_iter().map(|job| fixture.jobs.record(failed(job))));
    let going_on = async {
        let recorded = join_all(others.into_iter().map(|job| fixture.jobs.record(failed(job))));
        let recorded = tokio::time::timeout(Duration::from_secs(10), recorded).await;
        assert!(recorded.expect("they do not wait").iter().all(Result::is_ok));
        holder.batch_execute("COMMIT").await.unwrap();
    };
    let (recorded, ()) = futures_util::future::join(waiting, going_on).await;

    assert_eq!(recorded.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [Recorded::Done]);
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_jobs").await, 0);
    assert_eq!(fixture.number(DIFFERENCE).await, 0);
}

#[tokio::test]
async fn an_organization_without_a_wallet_cannot_send() {
    let fixture = IntakeFixture::open(PRICE).await;
    let newcomer = fixture.world.organization().await.id;

    let receipt = fixture.intake.accept(submission(&fixture, newcomer)).await;
    assert!(matches!(receipt, Err(IntakeError::Store(StoreError::Unavailable(_)))), "{receipt:?}");
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_logs").await, 0);

    fixture.world.open_wallet(newcomer, PRICE).await;
    let receipt = fixture.intake.accept(submission(&fixture, newcomer)).await;
    assert!(matches!(receipt, Ok(Receipt::Accepted(_))), "{receipt:?}");
}

#[tokio::test]
async fn a_blocked_refund_delays_no_other_organization() {
    let (fixture, other) = two().await;
    let debit = Money::from_cedis(100) - PRICE;
    let spend = format!(
        "UPDATE wallets SET balance_micros = balance_micros - {} WHERE organization_id = '{}'",
        debit.micros(),
        fixture.organization
    );
    let job = fixture.claim(&[fixture.message()]).await.remove(0);
    fixture.jobs.record(failed(job)).await.unwrap();
    fixture.world.sql(&spend).await;
    let holder = fixture.world.client().await;
    // Only the folding of the journal writes there.
    let lock = "BEGIN; LOCK TABLE journal_rollups IN SHARE MODE";
    holder.batch_execute(lock).await.unwrap();

    let poor = async {
        let both =
            (0..2).map(|_| fixture.intake.accept(submission(&fixture, fixture.organization)));
        (join_all(both).await, Instant::now())
    };
    let going_on = async {
        let mut finished = Vec::new();
        for _ in 0..10 {
            let receipt = fixture.intake.accept(submission(&fixture, other)).await;
            assert!(matches!(receipt, Ok(Receipt::Accepted(_))), "{receipt:?}");
            finished.push(Instant::now());
        }
        finished
    };
    let ((refused, answered), finished) = futures_util::future::join(poor, going_on).await;

    let meanwhile = finished.iter().filter(|it| **it < answered).count();
    assert!(meanwhile >= 3, "others waited: {meanwhile} were accepted meanwhile");
    for reply in refused {
        assert!(matches!(reply, Err(IntakeError::InsufficientBalance(_))), "{reply:?}");
    }
    holder.batch_execute("COMMIT").await.unwrap();
    let paid = fixture.intake.accept(submission(&fixture, fixture.organization)).await;
    assert!(matches!(paid, Ok(Receipt::Accepted(_))), "{paid:?}");
}

#[tokio::test]
async fn a_batch_ended_by_a_deadlock_is_retried() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let other = fixture.world.client().await;
    // The batch checks for a deadlock after this time, which is before its lock timeout.
    let shorter = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 120', \
                   current_database()); END $$";
    fixture.world.sql(shorter).await;
    other.batch_execute("SET deadlock_timeout = '1min'").await.unwrap();
    let mut turn = 0;
    while fixture.number(DEADLOCKS).await == 0 {
        assert!(turn < 40, "the server met no deadlock");
        turn += 1;
        meet_in_a_circle(&fixture, &other, turn).await;
        // The server publishes its statistics once a second.
        tokio::time::sleep(Duration::from_millis(1_100)).await;
    }

    assert_eq!(fixture.number("SELECT count(*) FROM delivery_logs").await, i64::from(turn));
    assert_eq!(fixture.number(DIFFERENCE).await, 0);
}

const DEADLOCKS: &str = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                       AND datname = current_database()";

/// Makes a submission with a key wait for a wallet whose holder then waits for the key.
async fn meet_in_a_circle(fixture: &IntakeFixture, other: &Client, turn: u32) {
    let organization = fixture.organization;
    let key = format!("order-{turn}");
    let lock =
        format!("BEGIN; SELECT FROM wallets WHERE organization_id = '{organization}' FOR UPDATE");
    let take = format!(
        "INSERT INTO idempotency_keys \
             (organization_id, is_sandbox, key, fingerprint, message_ids, expires_at) \
         VALUES ('{organization}', false, '{key}', '', '{{}}', now()); ROLLBACK"
    );
    other.batch_execute(&lock).await.unwrap();
    let submission = Submission {
        idempotency: Some(Idempotency {
            key,
            is_sandbox: false,
            fingerprint: [1; 32],
            gaps: Vec::new(),
        }),
        ..submission(fixture, organization)
    };
    let meeting = async {
        let watcher = fixture.world.client().await;
        while watcher.query_one(WAITING, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        other.batch_execute(&take).await.unwrap();
    };
    let (receipt, ()) =
        futures_util::future::join(fixture.intake.accept(submission), meeting).await;
    assert!(matches!(receipt, Ok(Receipt::Accepted(_))), "{receipt:?}");
}
