//! Jobs of messages that were handed over together keep their leases for a while.

use app::clock::SystemClock;
use chrono::TimeDelta;
use domain::{
    messaging::{
        job::{Job, JobConcluded, ReportApplied},
        message::Message,
    },
    shared::money::Money,
};
use futures_util::future::{join, join_all};
use ports::{
    messaging::messages::{ClaimLimits, Intake, Jobs, Recorded, Submission},
    shared::clock::Clock,
};

use crate::{
    messaging::intake_fixture::IntakeFixture,
    shared::contract::{confirmed, sent},
};

const MESSAGES: usize = 10;
const JOBS: &str = "SELECT count(*) FROM delivery_jobs";
const LEASED: &str = "SELECT count(*) FROM delivery_jobs WHERE lease IS NOT NULL";
const PUT_OFF: &str = "SELECT count(*) FROM delivery_jobs \
                       WHERE lease IS NULL AND is_follow_up AND NOT is_ready AND due_at > now()";

async fn claimed(count: usize) -> (IntakeFixture, Vec<Job>) {
    let fixture = IntakeFixture::open(Money::from_cedis(10)).await;
    // Leases of messages that were not accepted just now are not kept.
    let accepted_at = SystemClock.now();
    let message = || Message { created_at: accepted_at, ..fixture.message() };
    let messages: Vec<_> = (0..count).map(|_| message()).collect();
    let jobs = fixture.claim(&messages).await;
    assert_eq!(jobs.len(), count);
    (fixture, jobs)
}

/// Records at once that a provider took the messages, which is queried after that time.
async fn hand_over(fixture: &IntakeFixture, jobs: &[Job], due_in: TimeDelta) -> Vec<Message> {
    let steps = jobs.iter().enumerate().map(|(number, job)| {
        let step = sent(job, "first", &format!("ref-{number}"));
        JobConcluded { due_in: Some(due_in), ..step }
    });
    let steps: Vec<JobConcluded> = steps.collect();
    let recorded = join_all(steps.iter().map(|step| fixture.jobs.record(step.clone().into())));
    for recorded in recorded.await {
        assert_eq!(recorded.unwrap(), Recorded::Done);
    }
    steps.into_iter().map(|step| step.message).collect()
}

#[tokio::test]
async fn jobs_of_messages_handed_over_together_keep_their_leases_until_the_reports() {
    let (fixture, jobs) = claimed(MESSAGES).await;

    let messages = hand_over(&fixture, &jobs, TimeDelta::minutes(10)).await;

    assert_eq!(fixture.number(LEASED).await, 10);
    for message in messages {
        let from = message.delivery.status();
        let delivery = message.delivery.after_report(confirmed()).unwrap();
        let message = Message { delivery, ..message };
        let report = ReportApplied { message, from, due_in: None, event: None };
        assert_eq!(fixture.jobs.record(report.into()).await.unwrap(), Recorded::Done);
    }
    assert_eq!(fixture.number(JOBS).await, 0);
}

#[tokio::test]
async fn the_job_of_a_message_handed_over_alone_is_put_off_at_once() {
    let (fixture, jobs) = claimed(1).await;

    hand_over(&fixture, &jobs, TimeDelta::minutes(10)).await;

    assert_eq!(fixture.number(PUT_OFF).await, 1);
}

#[tokio::test]
async fn jobs_without_reports_are_put_off_unless_somebody_else_has_them() {
    let (fixture, jobs) = claimed(MESSAGES).await;
    hand_over(&fixture, &jobs, TimeDelta::seconds(6)).await;
    assert_eq!(fixture.number(LEASED).await, 10);
    let taken = format!(
        "UPDATE delivery_jobs SET lease = gen_random_uuid() WHERE id = '{}'",
        jobs[0].message.id
    );
    fixture.world.sql(&taken).await;

    let all_others = async || fixture.number(PUT_OFF).await == 9;
    acceptance::until("the others are put off", all_others).await;

    assert_eq!(fixture.number(LEASED).await, 1);
}

#[tokio::test]
async fn all_jobs_are_put_off_when_the_instance_stops() {
    let (fixture, jobs) = claimed(MESSAGES).await;
    hand_over(&fixture, &jobs, TimeDelta::minutes(10)).await;

    fixture.jobs.put_off_kept().await;

    assert_eq!(fixture.number(PUT_OFF).await, 10);
}

#[tokio::test]
async fn jobs_whose_steps_waited_for_a_lock_are_put_off_at_once() {
    let (fixture, jobs) = claimed(MESSAGES).await;
    let other = fixture.world.organization().await.id;
    fixture.world.open_wallet(other, Money::from_cedis(10)).await;
    let messages = [IntakeFixture::message_of(other), IntakeFixture::message_of(other)];
    let submission = Submission { organization: other, ..fixture.submission(&messages) };
    fixture.intake.accept(submission).await.unwrap();
    let others = fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    let holder = fixture.world.client().await;
    let lock = format!(
        "BEGIN; SELECT FROM delivery_logs WHERE organization_id = '{}' FOR UPDATE",
        fixture.organization
    );
    holder.batch_execute(&lock).await.unwrap();
    let unlocking = async {
        // Once the second of them is written, the locked steps wait apart.
        for (number, job) in others.iter().enumerate() {
            let step = sent(job, "first", &format!("other-{number}"));
            assert_eq!(fixture.jobs.record(step.into()).await.unwrap(), Recorded::Done);
        }
        holder.batch_execute("COMMIT").await.unwrap();
    };

    join(hand_over(&fixture, &jobs, TimeDelta::minutes(10)), unlocking).await;

    assert_eq!(fixture.number(LEASED).await, 0);
    assert_eq!(fixture.number(PUT_OFF).await, 12);
}
