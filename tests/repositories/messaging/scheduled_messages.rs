//! Messages that wait for their time: their release, and requests that cancel or move them.

use adapters_postgres::{PgScheduledMessages, PgStore};
use domain::{
    messaging::{
        delivery::{Delivery, Failure, FailureCode, Status},
        job::Job,
        message::Message,
    },
    shared::money::Money,
};
use ports::messaging::{
    messages::{ClaimLimits, FirstWorker, Intake, Jobs, Receipt, Recorded, Submission},
    scheduled_messages::ScheduledMessageRepository,
};

use crate::{
    messaging::{
        claims::{COUNTING, backlog},
        intake_fixture::{IntakeFixture, PRICE},
    },
    minutes, now,
};

/// The repository on connections of its own.
fn scheduled(fixture: &IntakeFixture) -> PgScheduledMessages {
    fixture.jobs.scheduled_messages(PgStore::connect(&fixture.world.url, 4).unwrap())
}

/// A message that was accepted to go in ten minutes.
async fn accepted(fixture: &IntakeFixture, is_async: bool) -> Message {
    let message = fixture.message().scheduled(now() + minutes(10), is_async);
    let first_worker = if is_async { FirstWorker::Workers } else { FirstWorker::Submitter };
    let submission = Submission { first_worker, ..fixture.submission(&[message]) };
    let receipt = fixture.intake.accept(submission).await.unwrap();
    let Receipt::Accepted(mut jobs) = receipt else { panic!("{receipt:?}") };
    let job = jobs.pop().unwrap();
    assert!(!job.lease.is_held(), "nobody works on it");
    job.message
}

/// Lets the time of all scheduled messages come.
async fn pass_time(fixture: &IntakeFixture) {
    let past = "now() - interval '1 second'";
    fixture.world.sql(&format!("UPDATE scheduled_messages SET due_at = {past}")).await;
    let update = format!("UPDATE delivery_logs SET scheduled_at = {past}");
    fixture.world.sql(&update).await;
}

async fn claim(fixture: &IntakeFixture) -> Vec<Job> {
    fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap()
}

/// Ends the message of a job that was taken to be cancelled.
async fn cancel(fixture: &IntakeFixture, job: Job) -> Recorded {
    let failed = Delivery::Failed { sent_at: None, at: now(), failure: Failure::withdrawn() };
    fixture.jobs.record(job.conclude(failed).into()).await.unwrap()
}

#[tokio::test]
async fn a_scheduled_message_is_claimed_only_after_its_release() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let scheduled = scheduled(&fixture);
    for (is_async, status) in [(true, Status::Queued), (false, Status::Pending)] {
        let message = accepted(&fixture, is_async).await;
        let stored = fixture.jobs.find(message.id).await.unwrap().unwrap();
        assert_eq!((stored.delivery.status(), stored.is_scheduled()), (status, true));
        assert_eq!(stored.valid_from, message.valid_from);
        assert_eq!(stored.expires_at, message.expires_at);

        // The clock of the fixture is in the past, and so is the time of its messages.
        fixture.world.sql("UPDATE scheduled_messages SET due_at = now() + interval '1 day'").await;
        assert_eq!(scheduled.release_due().await.unwrap(), 0);
        assert!(claim(&fixture).await.is_empty());
        pass_time(&fixture).await;
        assert_eq!(scheduled.release_due().await.unwrap(), 1);
        assert_eq!(scheduled.release_due().await.unwrap(), 0);

        let claimed = claim(&fixture).await;
        assert_eq!(claimed.len(), 1);
        assert_eq!(claimed[0].message.id, message.id);
        assert!(claimed[0].message.is_untried() && claimed[0].message.refusal().is_none());
    }
}

#[tokio::test]
async fn a_crash_after_the_release_loses_nothing() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let message = accepted(&fixture, true).await;
    pass_time(&fixture).await;
    assert_eq!(scheduled(&fixture).release_due().await.unwrap(), 1);
    assert_eq!(claim(&fixture).await.len(), 1);

    // Its worker is gone, and the lease ends.
    fixture.world.sql("UPDATE delivery_jobs SET due_at = now() - interval '1 second'").await;

    let again = claim(&fixture).await;
    assert_eq!(again.iter().map(|job| job.message.id).collect::<Vec<_>>(), [message.id]);
}

#[tokio::test]
async fn a_recipient_who_was_suppressed_meanwhile_gets_nothing() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let message = accepted(&fixture, false).await;
    let suppress = format!(
        "INSERT INTO suppressions (id, organization_id, phone, reason, created_at) \
         VALUES (uuid_v7_in(now(), '{0}'), '{0}', '{1}', 'USER', now())",
        fixture.organization,
        message.draft.recipient.as_str()
    );
    fixture.world.sql(&suppress).await;
    pass_time(&fixture).await;

    assert_eq!(scheduled(&fixture).release_due().await.unwrap(), 1);

    let claimed = claim(&fixture).await;
    let refusal = claimed[0].message.refusal().map(|failure| failure.code);
    assert_eq!(refusal, Some(FailureCode::RecipientSuppressed));
    assert_eq!(claimed[0].message.cost, PRICE, "it is refunded when it fails");
}

#[tokio::test]
async fn a_message_whose_template_is_gone_does_not_go() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let message = accepted(&fixture, true).await;
    let template = "UPDATE delivery_logs SET template_id = gen_random_uuid()";
    fixture.world.sql(template).await;
    pass_time(&fixture).await;

    assert_eq!(scheduled(&fixture).release_due().await.unwrap(), 1);

    let claimed = claim(&fixture).await;
    assert_eq!(claimed[0].message.id, message.id);
    let refusal = claimed[0].message.refusal().map(|failure| failure.code);
    assert_eq!(refusal, Some(FailureCode::BlockedContent));
}

#[tokio::test]
async fn a_crash_while_a_message_is_cancelled_leaves_it_to_a_worker() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    for is_async in [true, false] {
        let message = accepted(&fixture, is_async).await;
        // The clock of the fixture is in the past, and so is the time of its messages.
        fixture.world.sql("UPDATE scheduled_messages SET due_at = now() + interval '1 day'").await;
        let taken = scheduled(&fixture).take(message.organization, message.id).await.unwrap();
        assert!(taken.unwrap().message.is_without_provider());

        // Its process is gone, and the lease ends.
        fixture.world.sql("UPDATE delivery_jobs SET due_at = now() - interval '1 second'").await;

        let job = claim(&fixture).await.pop().unwrap();
        assert_eq!(job.message.refusal(), Some(&Failure::withdrawn()));
        assert_eq!(cancel(&fixture, job).await, Recorded::Done);
    }
}

#[tokio::test]
async fn a_message_that_is_cancelled_while_it_is_released_has_one_outcome() {
    let fixture = IntakeFixture::open(Money::from_cedis(10)).await;
    for _ in 0..10 {
        let message = accepted(&fixture, true).await;
        pass_time(&fixture).await;
        let (one, other) = (scheduled(&fixture), scheduled(&fixture));
        let releasing = scheduled(&fixture);
        let (organization, id) = (message.organization, message.id);

        let (first, second, released) = tokio::join!(
            one.take(organization, id),
            other.take(organization, id),
            releasing.release_due(),
        );

        released.unwrap();
        let taken: Vec<Job> = first.unwrap().into_iter().chain(second.unwrap()).collect();
        let claimed = claim(&fixture).await;
        assert_eq!(taken.len() + claimed.len(), 1, "somebody has it, and one only");
        for job in taken.into_iter().chain(claimed) {
            assert_eq!(cancel(&fixture, job.clone()).await, Recorded::Done);
            assert_eq!(cancel(&fixture, job).await, Recorded::Stale);
        }
    }
    let failed = "SELECT count(*) FROM delivery_logs WHERE status = 'FAILED'";
    assert_eq!(fixture.number(failed).await, 10);
    for table in ["delivery_jobs", "scheduled_messages"] {
        assert_eq!(fixture.number(&format!("SELECT count(*) FROM {table}")).await, 0, "{table}");
    }
}

#[tokio::test]
async fn a_message_is_moved_until_it_is_released() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let scheduled = scheduled(&fixture);
    let message = accepted(&fixture, true).await;
    let moved = message.rescheduled(now() + minutes(30), now()).unwrap();

    assert!(scheduled.reschedule(&moved).await.unwrap());

    let stored = fixture.jobs.find(moved.id).await.unwrap().unwrap();
    assert_eq!(stored.scheduled_at, moved.scheduled_at);
    assert_eq!((stored.valid_from, stored.expires_at), (moved.valid_from, moved.expires_at));
    pass_time(&fixture).await;
    assert_eq!(scheduled.release_due().await.unwrap(), 1);
    assert!(!scheduled.reschedule(&moved).await.unwrap());
}

#[tokio::test]
async fn a_job_that_a_worker_has_is_not_taken() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let claimed = fixture.claim(&[fixture.message()]).await;
    let message = &claimed[0].message;
    let scheduled = scheduled(&fixture);

    assert!(scheduled.take(message.organization, message.id).await.unwrap().is_none());

    fixture.jobs.release(&claimed).await.unwrap();
    let taken = scheduled.take(message.organization, message.id).await.unwrap();
    assert_eq!(taken.map(|job| job.message.id), Some(message.id));
    assert!(claim(&fixture).await.is_empty());
}

#[tokio::test]
async fn a_release_reads_only_what_is_due() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let message = accepted(&fixture, true).await;
    pass_time(&fixture).await;
    fixture
        .world
        .sql(&format!(
            "INSERT INTO scheduled_messages (organization_id, id, due_at, priority, line) \
             SELECT gen_random_uuid(), gen_random_uuid(), now() + interval '1 day', 2, 0 \
             FROM generate_series(1, {})",
            backlog()
        ))
        .await;
    fixture.world.sql("VACUUM ANALYZE scheduled_messages").await;
    tokio::time::sleep(COUNTING).await;
    let before = fixture.number(READ).await;

    assert_eq!(scheduled(&fixture).release_due().await.unwrap(), 1);

    tokio::time::sleep(COUNTING).await;
    let read = fixture.number(READ).await - before;
    assert!(read < 100, "it read {read} rows");
    assert_eq!(claim(&fixture).await[0].message.id, message.id);
}

#[tokio::test]
async fn the_month_of_a_scheduled_message_is_unfinished() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let unfinished = "SELECT log_has_unfinished(now() + interval '1 day')::integer::bigint";
    assert_eq!(fixture.number(unfinished).await, 0);

    accepted(&fixture, true).await;

    assert_eq!(fixture.number(unfinished).await, 1);
}

/// Number of rows of scheduled messages read so far.
const READ: &str = "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes \
        WHERE relname = 'scheduled_messages')::bigint + seq_tup_read \
    FROM pg_stat_user_tables WHERE relname = 'scheduled_messages'";
