//! Jobs: their release and their leases.

use std::sync::Arc;

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgJobs, PgStore};
use app::clock::SystemClock;
use chrono::{DateTime, TimeDelta};
use domain::{
    messaging::{
        attempt::Attempt,
        delivery::{DeliveryEvent, Status},
        job::{AttemptBegun, Job, JobConcluded, Lease, ReportApplied},
        message::Message,
        outcome::{FollowUp, Outcome},
        priority::ProviderQueue,
    },
    shared::{id::Id, money::Money},
};
use futures_util::future::join;
use ports::messaging::messages::{ClaimLimits, Jobs, Recorded};
use uuid::Uuid;

use crate::{World, messaging::intake_fixture::IntakeFixture, now, shared::contract::confirmed};

const UNENDED: &str = r#"[{"provider": "first", "startedAt": "2026-01-01T00:00:00Z"}]"#;

fn jobs(world: &World) -> PgJobs {
    let instance = PgInstance::new(world.store.clone(), Arc::new(SystemRandom));
    let store = PgStore::connect(&world.url, 2).unwrap();
    PgJobs::start(store, Arc::new(SystemClock), instance, 1)
}

/// A message that was just accepted, with its planned attempt and its job, under a lease that ends
/// in ten seconds.
async fn accepted(world: &World, jobs: &PgJobs) -> Job {
    let mut job = rescued(world, jobs).await;
    job.message.attempts = vec![Attempt::plan("first", now())];
    job
}

/// The same, leased by another worker than the one that the attempt was planned for.
pub(crate) async fn rescued(world: &World, jobs: &PgJobs) -> Job {
    let organization = world.organization().await.id;
    let (id, lease) = (Id::<Message>::new_in(now(), organization), Uuid::new_v4());
    let at = DateTime::from_timestamp(1_780_000_000, 0).unwrap();
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, recipient, country_code, \
                category, priority, body, segments, cost_micros, is_sandbox, is_confidential, \
                attempts, created_at, status) \
             VALUES ('{id}', '{organization}', 'SMS', '+233241234567', 'GH', 'TRANSACTIONAL', 2, \
                'B', 1, 0, false, false, '{UNENDED}', '{at}', 'QUEUED'); \
             INSERT INTO delivery_jobs (id, organization_id, priority, lease, due_at) \
             VALUES ('{id}', '{organization}', 2, '{lease}', now() + interval '10 s')"
        ))
        .await;
    let message = jobs.find(id).await.unwrap().unwrap();
    Job {
        message,
        lease: Lease(lease),
        rounds: 0,
        provider_queue: ProviderQueue(7),
        is_scored: false,
    }
}

async fn attempts(jobs: &PgJobs, job: &Job) -> Vec<Attempt> {
    jobs.find(job.message.id).await.unwrap().unwrap().attempts
}

/// The seconds until a job is due, and true if it is leased.
async fn due(world: &World, job: &Job) -> (f64, bool) {
    let query = "SELECT extract(epoch FROM due_at - now())::double precision, lease IS NOT NULL \
                 FROM delivery_jobs WHERE id = $1";
    let row = world.client().await.query_one(query, &[&job.message.id.uuid()]).await.unwrap();
    (row.get(0), row.get(1))
}

#[tokio::test]
async fn releasing_a_job_removes_its_planned_attempt() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    let fresh = accepted(&world, &jobs).await;
    let rescued = rescued(&world, &jobs).await;
    let strange = Job { lease: Lease(Uuid::new_v4()), ..accepted(&world, &jobs).await };
    let given_back = [fresh.clone(), rescued.clone(), strange.clone()];

    jobs.release(&given_back).await.unwrap();

    assert_eq!(attempts(&jobs, &fresh).await, []);
    assert_eq!(attempts(&jobs, &rescued).await.len(), 1, "its worker died and told nothing");
    assert_eq!(attempts(&jobs, &strange).await.len(), 1, "somebody else has it");
    assert!(due(&world, &strange).await.1);
    let claimed = jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    let mut ids: Vec<_> = claimed.iter().map(|job| job.message.id).collect();
    ids.sort();
    let mut expected = [fresh.message.id, rescued.message.id];
    expected.sort();
    assert_eq!(ids, expected, "they are due at once");
}

#[tokio::test]
async fn releasing_a_job_after_a_report_keeps_its_attempts() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    let fresh = accepted(&world, &jobs).await;
    let moved =
        format!("UPDATE delivery_logs SET status = 'PENDING' WHERE id = '{}'", fresh.message.id);
    world.sql(&moved).await;

    jobs.release(std::slice::from_ref(&fresh)).await.unwrap();

    assert_eq!(attempts(&jobs, &fresh).await.len(), 1);
}

/// The step that stores an attempt before it begins.
fn begun(job: &Job) -> AttemptBegun {
    let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched).unwrap();
    AttemptBegun {
        message: Message { delivery: dispatched, ..job.message.clone() },
        from: job.message.delivery.status(),
        lease: job.lease,
        rounds: job.rounds,
    }
}

#[tokio::test]
async fn each_attempt_renews_a_lease_that_still_holds() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    let (ours, lost) = (accepted(&world, &jobs).await, accepted(&world, &jobs).await);
    let taken = format!(
        "UPDATE delivery_jobs SET lease = gen_random_uuid() WHERE id = '{}'",
        lost.message.id
    );
    world.sql(&taken).await;

    let recorded = tokio::join!(jobs.record(begun(&ours).into()), jobs.record(begun(&lost).into()));

    assert_eq!((recorded.0.unwrap(), recorded.1.unwrap()), (Recorded::Done, Recorded::Stale));
    let ((ours, is_held), (lost, _)) = (due(&world, &ours).await, due(&world, &lost).await);
    assert!(is_held && ours > 110.0, "{ours}");
    assert!(lost <= 10.0, "{lost}");
}

#[tokio::test]
async fn a_step_that_loses_its_lease_while_written_is_retried() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    let job = accepted(&world, &jobs).await;
    // Another worker leases the job after the log was written, at the first try of the step only.
    world
        .sql(
            "CREATE SEQUENCE tries; \
             CREATE FUNCTION take_away() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF nextval('tries') = 1 THEN \
                     UPDATE delivery_jobs SET lease = gen_random_uuid() WHERE id = NEW.id; \
                 END IF; \
                 RETURN NULL; \
             END $$; \
             CREATE TRIGGER take_away AFTER UPDATE ON delivery_logs \
                 FOR EACH ROW EXECUTE FUNCTION take_away()",
        )
        .await;

    assert_eq!(jobs.record(sent(&job, "ref-1").into()).await.unwrap(), Recorded::Done);

    let tries = world.client().await.query_one("SELECT last_value FROM tries", &[]).await;
    assert_eq!(tries.unwrap().get::<_, i64>(0), 2);
    let (seconds, is_held) = due(&world, &job).await;
    assert!(!is_held && seconds > 590.0, "{seconds}");
}

/// The step of a job whose message a provider accepted.
pub(crate) fn sent(job: &Job, reference: &str) -> JobConcluded {
    let follow_up = FollowUp::Report;
    let outcome = Outcome::Accepted { reference: Some(reference.to_owned()), follow_up };
    let mut job = job.clone();
    job.message.provider = Some("first".into());
    job.message.attempts = vec![Attempt::start("first", now()).end(now(), &outcome)];
    let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched).unwrap();
    let sent = dispatched.after(DeliveryEvent::Accepted { at: now() }).unwrap();
    let due_in = Some(TimeDelta::minutes(10));
    JobConcluded { due_in, ..job.conclude(sent) }
}

#[tokio::test]
async fn jobs_of_a_failed_claim_are_free_at_the_next_claim() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    let job = rescued(&world, &jobs).await;
    // The message cannot be read once its job is leased.
    world
        .sql(&format!(
            "UPDATE delivery_jobs SET lease = NULL, due_at = now() WHERE id = '{}'; \
             ALTER TABLE delivery_logs RENAME COLUMN body TO elsewhere",
            job.message.id
        ))
        .await;

    jobs.claim(&ClaimLimits::any(10)).await.unwrap_err();

    assert!(due(&world, &job).await.1, "it is leased, and in nobody's hands");
    world.sql("ALTER TABLE delivery_logs RENAME COLUMN elsewhere TO body").await;
    let claimed = jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    assert_eq!(claimed.len(), 1);
}

#[tokio::test]
async fn an_unreadable_message_waits_an_hour_and_delays_no_other() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    let odd = rescued(&world, &jobs).await;
    let plain = rescued(&world, &jobs).await;
    world
        .sql(&format!(
            "UPDATE delivery_jobs SET lease = NULL, due_at = now(); \
             UPDATE delivery_logs SET attempts = '{{\"odd\": 1}}' WHERE id = '{}'",
            odd.message.id
        ))
        .await;

    let claimed = jobs.claim(&ClaimLimits::any(10)).await.unwrap();

    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].message.id, plain.message.id);
    let query = format!(
        "SELECT count(*) FROM delivery_jobs WHERE id = '{}' AND lease IS NULL \
         AND due_at BETWEEN now() + interval '50 minutes' AND now() + interval '70 minutes'",
        odd.message.id
    );
    let put_off: i64 = world.client().await.query_one(&query, &[]).await.unwrap().get(0);
    assert_eq!(put_off, 1);

    // The cause is removed.
    world
        .sql(
            "UPDATE delivery_logs SET attempts = '[]'; UPDATE delivery_jobs SET due_at = now() \
               WHERE lease IS NULL",
        )
        .await;
    assert_eq!(jobs.claim(&ClaimLimits::any(10)).await.unwrap()[0].message.id, odd.message.id);
}

const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
    WHERE datname = current_database() AND wait_event_type = 'Lock'";

#[tokio::test]
async fn a_batch_with_an_early_report_locks_messages_in_their_order() {
    let fixture = IntakeFixture::open(Money::from_cedis(10)).await;
    let mut jobs = fixture.claim(&[fixture.message(), fixture.message()]).await;
    jobs.sort_by_key(|job| job.message.id);
    let [reported, handed_over] = &jobs[..] else { panic!("{jobs:?}") };
    let delivery = reported.message.delivery.after_report(confirmed()).unwrap();
    let message = Message { delivery, ..reported.message.clone() };
    let report = ReportApplied { message, from: Status::Queued, due_in: None, event: None };
    let lock = |id: Id<Message>| format!("SELECT FROM delivery_logs WHERE id = '{id}' FOR UPDATE");
    // Another instance is writing the message on which the report came.
    let other = fixture.world.client().await;
    other.batch_execute(&format!("BEGIN; {}", lock(reported.message.id))).await.unwrap();

    let writing = join(
        fixture.jobs.record(report.into()),
        fixture.jobs.record(sent(handed_over, "ref-1").into()),
    );
    let unlocking = async {
        let waits = async || fixture.number(WAITING).await > 0;
        acceptance::until("the batch waits for the other instance", waits).await;
        let at_once = format!("{} NOWAIT", lock(handed_over.message.id));
        let is_free = fixture.world.client().await.batch_execute(&at_once).await.is_ok();
        other.batch_execute("COMMIT").await.unwrap();
        is_free
    };
    let ((report, handed_over), is_free) = join(writing, unlocking).await;

    assert!(is_free, "the other instance may need it before it goes on");
    assert_eq!((report.unwrap(), handed_over.unwrap()), (Recorded::Done, Recorded::Done));
}
