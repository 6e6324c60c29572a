//! Jobs: leases, steps and reports.

use chrono::TimeDelta;
use domain::{
    messaging::{
        attempt::{Attempt, AttemptState},
        delivery::{DeliveryEvent, Failure, FailureCode},
        job::{AttemptBegun, Job, JobConcluded, JobPostponed, Lease, ReportApplied},
        message::Message,
        priority::ProviderQueue,
    },
    shared::money::Money,
};
use ports::messaging::messages::{ClaimLimits, FirstWorker, Receipt, Recorded, Submission};
use uuid::Uuid;

use super::{PRICE, Subject, accepted, after, confirmed, sent, subjects};
use crate::{minutes, now};

/// Longer than a lease.
const LEASE: TimeDelta = TimeDelta::seconds(121);

/// The step that stores an attempt before it begins.
fn begun(job: &Job, rounds: u8) -> AttemptBegun {
    let mut message = job.message.clone();
    message.delivery = after(&message, &[DeliveryEvent::Dispatched]);
    message.attempts = vec![Attempt::start("first", now())];
    AttemptBegun { message, from: job.message.delivery.status(), lease: job.lease, rounds }
}

fn failed(job: &Job) -> JobConcluded {
    let failure = Failure::new(FailureCode::Undelivered, "absent").with_vendor_code("27");
    let rejected = DeliveryEvent::Rejected { at: now(), failure };
    job.clone().conclude(after(&job.message, &[rejected]))
}

/// A report of a provider on a message with the state of `message`.
fn reported(message: &Message, event: DeliveryEvent) -> ReportApplied {
    let from = message.delivery.status();
    let delivery = message.delivery.after_report(event).unwrap();
    let message = Message { delivery, ..message.clone() };
    ReportApplied { message, from, due_in: None, event: None }
}

#[tokio::test]
async fn a_message_is_stored_as_accepted_and_after_each_step() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let job = subject.claimed().await;
        assert_eq!(subject.find(job.message.id).await, job.message);

        let step = sent(&job, "first", "ref-1");
        assert_eq!(subject.record(step.clone()).await, Recorded::Done);

        assert_eq!(subject.find(job.message.id).await, step.message);
        let logs = &subject.logs;
        let found = logs.find(subject.organization, job.message.id).await.unwrap();
        assert_eq!(found, Some(step.message));
        let other = subject.another_organization(PRICE).await;
        assert_eq!(logs.find(other, job.message.id).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_failed_message_is_refunded_once() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let job = subject.claimed().await;
        assert_eq!(subject.balance().await, PRICE * 9);

        let recorded = tokio::join!(subject.record(failed(&job)), subject.record(failed(&job)));

        assert!(recorded.0 != recorded.1, "one of them comes too late: {recorded:?}");
        assert_eq!(subject.balance().await, PRICE * 10);
        let late = Message { delivery: job.message.delivery.clone(), ..job.message.clone() };
        assert_eq!(subject.record(reported(&late, confirmed())).await, Recorded::Stale);
        assert_eq!(subject.balance().await, PRICE * 10);
        let ledger = subject.ledger(subject.organization).await;
        assert_eq!(ledger["MESSAGE_DEBIT"], (-PRICE, 1));
        assert_eq!(ledger["MESSAGE_REFUND"], (PRICE, 1));
    }
}

#[tokio::test]
async fn a_refund_pays_for_the_next_message_at_once() {
    for subject in subjects(PRICE).await {
        println!("on {}", subject.name);
        let job = subject.claimed().await;
        subject.record(failed(&job)).await;

        subject.accept(&[subject.message()]).await;

        assert_eq!(subject.balance().await, Money::ZERO);
    }
}

#[tokio::test]
async fn the_holder_of_an_expired_lease_writes_nothing() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let job = subject.claimed().await;
        assert_eq!(subject.claim().await, [], "somebody has it");

        subject.pass(LEASE).await;
        let (_, another) = subject.another_instance();
        let claimed = another.claim(&ClaimLimits::any(10)).await.unwrap();
        assert_eq!(claimed.len(), 1);
        assert!(claimed[0].message.id == job.message.id && claimed[0].lease != job.lease);

        assert_eq!(subject.record(failed(&job)).await, Recorded::Stale);
        assert_eq!(subject.record(begun(&job, 1)).await, Recorded::Stale);
        assert_eq!(subject.balance().await, PRICE * 9);
        let step = sent(&claimed[0], "first", "ref-1");
        assert_eq!(another.record(step.into()).await.unwrap(), Recorded::Done);
    }
}

#[tokio::test]
async fn each_attempt_renews_the_lease() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let mut job = subject.claimed().await;
        subject.pass(TimeDelta::seconds(100)).await;
        let step = begun(&job, 3);
        job.message = step.message.clone();
        assert_eq!(subject.record(step).await, Recorded::Done);
        subject.pass(TimeDelta::seconds(100)).await;
        assert_eq!(subject.claim().await, []);

        subject.pass(TimeDelta::seconds(21)).await;
        let claimed = subject.claim().await.remove(0);

        assert_eq!(claimed.rounds, 3, "they are known before the call begins");
        assert_eq!(claimed.message.attempts, job.message.attempts);
        assert_eq!(claimed.message.provider, None);
    }
}

#[tokio::test]
async fn a_report_ends_the_job_and_a_late_one_changes_nothing() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let job = subject.claimed().await;
        let step = sent(&job, "first", "ref-1");
        subject.record(step.clone()).await;

        let report = reported(&step.message, confirmed());
        assert_eq!(subject.record(report.clone()).await, Recorded::Done);
        let delivered = subject.find(job.message.id).await;
        assert_eq!(delivered, report.message);

        let failure = Failure::new(FailureCode::Undelivered, "absent");
        let rejected = DeliveryEvent::Rejected { at: now(), failure };
        assert_eq!(subject.record(report).await, Recorded::Stale, "it is repeated");
        let late = reported(&step.message, rejected);
        assert_eq!(subject.record(late).await, Recorded::Stale);
        assert_eq!(subject.find(job.message.id).await, delivered);
        assert_eq!(subject.balance().await, PRICE * 9);
        subject.pass(minutes(60)).await;
        assert_eq!(subject.claim().await, [], "there is no job any more");
    }
}

#[tokio::test]
async fn attempts_of_a_stale_step_are_still_recorded() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let job = subject.claimed().await;
        let report = reported(&job.message, confirmed());
        assert_eq!(subject.record(report).await, Recorded::Done, "it overtook the reply");

        let step = sent(&job, "first", "ref-1");
        assert_eq!(subject.record(step.clone()).await, Recorded::Stale);

        let found = subject.find(job.message.id).await;
        assert_eq!(found.delivery.delivered_at(), Some(now()));
        assert_eq!(found.delivery.sent_at(), Some(now()));
        assert_eq!(found.attempts, step.message.attempts);
        assert_eq!(found.provider.as_deref(), Some("first"));
    }
}

#[tokio::test]
async fn each_message_of_a_batch_keeps_the_attempt_that_was_planned_for_it() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let plans = [Some("first"), None, Some("second"), Some("first")];
        let mut messages = subject.messages(plans.len());
        for (message, provider) in messages.iter_mut().zip(plans) {
            message.attempts = provider.map(|it| Attempt::plan(it, now())).into_iter().collect();
        }
        let submission =
            Submission { first_worker: FirstWorker::Submitter, ..Subject::submission(&messages) };

        subject.intake.accept(submission).await.unwrap();

        for (message, provider) in messages.iter().zip(plans) {
            let found = subject.find(message.id).await.attempts;
            let providers: Vec<_> = found.iter().map(|attempt| attempt.provider.as_str()).collect();
            assert_eq!(providers, Vec::from_iter(provider));
            assert!(found.iter().all(|attempt| attempt.state == AttemptState::Running));
        }
    }
}

#[tokio::test]
async fn a_released_job_is_due_at_once_without_its_planned_attempt() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let planned = |mut message: Message| {
            message.attempts = vec![Attempt::plan("first", now())];
            message
        };
        let messages: Vec<_> = subject.messages(2).into_iter().map(planned).collect();
        let submission =
            Submission { first_worker: FirstWorker::Submitter, ..Subject::submission(&messages) };
        let receipt = subject.intake.accept(submission).await.unwrap();
        let Receipt::Accepted(jobs) = receipt else { panic!("{receipt:?}") };
        let attempts = async |job: &Job| subject.find(job.message.id).await.attempts;
        let planned_at = jobs[0].message.attempts[0].started_at;
        assert_eq!(
            attempts(&jobs[0]).await,
            [Attempt::start("first", planned_at)],
            "it may have begun"
        );

        let strange = Job { lease: Lease(Uuid::new_v4()), ..jobs[1].clone() };
        subject
            .jobs
            .release(&[Job { provider_queue: ProviderQueue(7), ..jobs[0].clone() }, strange])
            .await
            .unwrap();

        assert_eq!(attempts(&jobs[0]).await, []);
        assert_eq!(attempts(&jobs[1]).await.len(), 1, "somebody else has it");
        let claimed = subject.claim().await;
        assert_eq!(claimed.len(), 1);
        assert_eq!(
            (claimed[0].message.id, claimed[0].provider_queue),
            (jobs[0].message.id, ProviderQueue(7))
        );
        subject.jobs.release(&claimed).await.unwrap();
        assert_eq!(subject.claim().await.len(), 1, "nobody has to wait");
    }
}

#[tokio::test]
async fn a_deferred_job_keeps_its_rounds_and_provider_queue() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let job = subject.claimed().await;
        let failure = Failure::new(FailureCode::ProviderUnavailable, "503");
        let deferred =
            after(&job.message, &[DeliveryEvent::Dispatched, DeliveryEvent::Deferred { failure }]);
        let step = JobConcluded {
            rounds: 2,
            provider_queue: ProviderQueue(7),
            due_in: Some(minutes(5)),
            ..job.clone().conclude(deferred)
        };
        assert_eq!(subject.record(step).await, Recorded::Done);
        subject.pass(minutes(4)).await;
        assert_eq!(subject.claim().await, []);

        subject.pass(minutes(1)).await;
        let again = subject.claim().await.remove(0);
        assert_eq!((again.rounds, again.provider_queue), (2, ProviderQueue(7)));

        // A status query needs no place in a provider queue.
        subject.record(sent(&again, "first", "ref-1")).await;
        subject.pass(minutes(10)).await;
        assert_eq!(subject.claim().await.remove(0).provider_queue, ProviderQueue::FREE);
    }
}

#[tokio::test]
async fn a_postponed_message_waits_unleased_and_keeps_its_validity() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let job = subject.claimed().await;
        let postponed = |job: &Job, due_in| JobPostponed {
            message: job.message.clone().valid_from(now() + minutes(30)),
            lease: job.lease,
            provider_queue: ProviderQueue(3),
            due_in,
            is_suspended: false,
        };
        assert_eq!(subject.record(postponed(&job, Some(minutes(30)))).await, Recorded::Done);
        assert_eq!(subject.record(postponed(&job, None)).await, Recorded::Stale);
        assert_eq!(subject.claim().await, []);

        subject.pass(minutes(31)).await;
        let again = subject.claim().await.remove(0);
        assert_eq!(again.provider_queue, ProviderQueue(3));
        assert_eq!(again.message, job.message.valid_from(now() + minutes(30)));

        assert_eq!(subject.record(postponed(&again, None)).await, Recorded::Done);
        subject.pass(TimeDelta::days(30)).await;
        assert_eq!(subject.claim().await, [], "nobody knows until when it waits");
    }
}

#[tokio::test]
async fn a_confidential_text_is_erased_once_a_provider_has_it() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let message = Message { is_confidential: true, ..subject.message() };
        subject.accept(&[message]).await;
        let mut job = subject.claim().await.remove(0);
        let step = begun(&job, 1);
        job.message = step.message.clone();
        subject.record(step).await;
        assert_eq!(subject.find(job.message.id).await.draft.body, "Akwaaba");

        let taken = job.clone().conclude(after(&job.message, &[accepted()]));
        assert_eq!(subject.record(taken).await, Recorded::Done);

        assert_eq!(subject.find(job.message.id).await.draft.body, "");
    }
}
