//! Claims: the rows they read and the turns of organizations.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgJobs, PgStore};
use app::clock::SystemClock;
use chrono::TimeDelta;
use domain::{
    messaging::{
        delivery::DeliveryEvent,
        job::{Job, JobConcluded},
        priority::{Priority, ProviderQueue},
    },
    shared::money::Money,
};
use futures_util::future::join_all;
use ports::messaging::messages::{ClaimLimits, Intake, Jobs, ProviderQueueLimit, Recorded};
use testkit::is_long;

use crate::{World, messaging::intake_fixture::IntakeFixture};

const MANY: usize = 2_000;
/// Number of jobs of a backlog, in short and as a whole.
const BACKLOG: [i64; 2] = [20_000, 100_000];
/// Number of rows of jobs read so far.
pub(crate) const READ: &str = "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes \
                        WHERE relname = 'delivery_jobs')::bigint + seq_tup_read \
                    FROM pg_stat_user_tables WHERE relname = 'delivery_jobs'";
/// Time for which PostgreSQL delays its statistics.
pub(crate) const COUNTING: Duration = Duration::from_millis(1_100);

/// Returns the number of jobs of a backlog.
pub(crate) fn backlog() -> i64 {
    BACKLOG[usize::from(is_long())]
}

/// Jobs on one connection, which therefore makes all plans and has all statistics.
fn jobs(world: &World) -> PgJobs {
    let store = PgStore::connect_writers(&world.url, 1).unwrap();
    let instance = PgInstance::new(store.clone(), Arc::new(SystemRandom));
    PgJobs::start(store, Arc::new(SystemClock), instance, 1)
}

async fn claim(jobs: &PgJobs, limit: usize) {
    assert_eq!(jobs.claim(&ClaimLimits::any(limit)).await.unwrap().len(), limit);
}

/// Writes jobs with messages. `jobs` selects a number for the owner, the provider queue, whether
/// the job is ready, and the interval since it was due.
async fn add(world: &World, jobs: &str) {
    world
        .sql(&format!(
            "WITH job AS ( \
                INSERT INTO delivery_jobs (id, organization_id, priority, line, is_ready, due_at) \
                SELECT gen_random_uuid(), md5(owner::text)::uuid, 2, line, is_ready, now() - due \
                FROM ({jobs}) AS job (owner, line, is_ready, due) RETURNING * \
             ) INSERT INTO delivery_logs (id, organization_id, channel, recipient, country_code, \
                category, priority, body, segments, cost_micros, is_sandbox, is_confidential, created_at, \
                status) \
             SELECT id, organization_id, 'SMS', '+233241234567', 'GH', 'TRANSACTIONAL', priority, 'B', 1, \
                0, false, false, now(), 'QUEUED' FROM job"
        ))
        .await;
}

/// Counts organizations by their number of jobs.
fn turns(jobs: &[Job]) -> BTreeMap<usize, usize> {
    let mut owners = BTreeMap::new();
    for job in jobs {
        *owners.entry(job.message.organization).or_insert(0) += 1;
    }
    let mut turns = BTreeMap::new();
    for count in owners.into_values() {
        *turns.entry(count).or_insert(0) += 1;
    }
    turns
}

#[tokio::test]
async fn a_claim_planned_for_one_job_reads_few_rows_of_many() {
    let fixture = IntakeFixture::open(Money::from_cedis(1_000)).await;
    let jobs = jobs(&fixture.world);
    fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
    fixture.world.sql("VACUUM ANALYZE delivery_jobs").await;
    claim(&jobs, 1).await;
    let submissions = (0..MANY / 100).map(|_| {
        let messages: Vec<_> = (0..100).map(|_| fixture.message()).collect();
        fixture.intake.accept(fixture.submission(&messages))
    });
    assert!(join_all(submissions).await.iter().all(Result::is_ok));
    tokio::time::sleep(COUNTING).await;
    claim(&jobs, 1).await;
    let before = fixture.number(READ).await;

    for _ in 0..5 {
        claim(&jobs, 10).await;
    }

    tokio::time::sleep(COUNTING).await;
    claim(&jobs, 1).await;
    let read = fixture.number(READ).await - before;
    assert!((50..500).contains(&read), "{read} rows were read");
}

#[tokio::test]
async fn steps_planned_for_one_job_find_each_of_many_by_key() {
    let fixture = IntakeFixture::open(Money::from_cedis(1_000)).await;
    let jobs = jobs(&fixture.world);
    fixture.world.sql("VACUUM ANALYZE delivery_jobs").await;
    let work = async |count: usize| {
        for (number, job) in jobs.claim(&ClaimLimits::any(count)).await.unwrap().iter().enumerate()
        {
            let doubted = job.message.delivery.after(DeliveryEvent::Dispatched).unwrap();
            let due_in = (number % 2 == 0).then(|| TimeDelta::minutes(10));
            let step = JobConcluded { due_in, ..job.clone().conclude(doubted) };
            assert_eq!(jobs.record(step.into()).await.unwrap(), Recorded::Done);
        }
        let claimed = jobs.claim(&ClaimLimits::any(count)).await.unwrap();
        jobs.release(&claimed).await.unwrap();
        tokio::time::sleep(COUNTING).await;
        claim(&jobs, 1).await;
        fixture.number(READ).await
    };
    add(&fixture.world, "SELECT 1, 0, true, '1 s'::interval FROM generate_series(1, 6)").await;
    work(2).await;
    add(&fixture.world, "SELECT 1, 0, true, '1 s'::interval FROM generate_series(1, 2000)").await;
    let before = work(2).await;

    let read = work(10).await - before;

    assert!((50..500).contains(&read), "{read} rows were read");
}

#[tokio::test]
async fn a_claim_with_nothing_due_reads_few_rows() {
    let fixture = IntakeFixture::open(Money::from_cedis(1_000)).await;
    let jobs = jobs(&fixture.world);
    fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
    fixture.world.sql("VACUUM ANALYZE delivery_jobs").await;
    claim(&jobs, 1).await;
    fixture
        .world
        .sql(&format!(
            "INSERT INTO delivery_jobs (id, organization_id, priority, is_follow_up, due_at) \
             SELECT gen_random_uuid(), gen_random_uuid(), number % 6, true, now() + '10 min' \
             FROM generate_series(1, {}) AS number",
            backlog()
        ))
        .await;
    tokio::time::sleep(COUNTING).await;
    claim(&jobs, 0).await;
    let before = fixture.number(READ).await;

    for _ in 0..5 {
        assert_eq!(jobs.claim(&ClaimLimits::any(100)).await.unwrap(), []);
    }

    tokio::time::sleep(COUNTING).await;
    claim(&jobs, 0).await;
    let read = fixture.number(READ).await - before;
    assert!(read < 50, "{read} rows were read");
}

#[tokio::test]
async fn a_backlog_of_one_organization_delays_no_other() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    let due =
        format!("SELECT 0, 0, true, '9 min'::interval FROM generate_series(1, {})", backlog());
    add(&world, &due).await;
    add(
        &world,
        "SELECT number, 0, number % 2 = 0, '1 s'::interval FROM generate_series(1, 60) AS number",
    )
    .await;

    let claimed = jobs.claim(&ClaimLimits::any(100)).await.unwrap();

    let others = turns(&claimed).remove(&1);
    assert!(others == Some(60) && claimed.len() > 61, "{:?}", turns(&claimed));
    let claimed = jobs.claim(&ClaimLimits::any(100)).await.unwrap();
    assert_eq!(turns(&claimed), BTreeMap::from([(100, 1)]));
}

#[tokio::test]
async fn a_burst_of_due_jobs_delays_others_by_a_few_claims() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    add(&world, "SELECT 0, 0, false, '9 min'::interval FROM generate_series(1, 10000)").await;
    add(&world, "SELECT number, 0, false, '1 s'::interval FROM generate_series(1, 9) AS number")
        .await;

    let mut claimed = Vec::new();
    for _ in 0..3 {
        claimed.extend(jobs.claim(&ClaimLimits::any(20)).await.unwrap());
    }

    assert_eq!(turns(&claimed), BTreeMap::from([(1, 9), (51, 1)]));
}

#[tokio::test]
async fn organizations_take_turns_when_a_claim_has_no_room_for_all() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    add(
        &world,
        "SELECT number % 230, 0, number % 3 > 0, number * '1 s'::interval \
         FROM generate_series(1, 1150) AS number",
    )
    .await;

    let mut claimed = Vec::new();
    for claims in [3, 2, 2, 2, 3] {
        for _ in 0..claims {
            claimed.extend(jobs.claim(&ClaimLimits::any(100)).await.unwrap());
        }
        let turns = turns(&claimed);
        let (least, most) = (turns.keys().min().unwrap(), turns.keys().max().unwrap());
        assert!(turns.values().sum::<usize>() == 230 && most - least <= 1, "{turns:?}");
    }
    assert_eq!(turns(&claimed), BTreeMap::from([(5, 230)]));
}

#[tokio::test]
async fn provider_queues_of_a_priority_share_a_claim() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    add(&world, "SELECT number, 1, true, '9 s'::interval FROM generate_series(1, 300) AS number")
        .await;
    add(&world, "SELECT 7, line, true, '1 s'::interval FROM generate_series(2, 4) AS line").await;

    let claimed = jobs.claim(&ClaimLimits::any(100)).await.unwrap();

    let provider_queues: HashSet<_> = claimed.iter().map(|job| job.provider_queue.0).collect();
    assert_eq!((claimed.len(), provider_queues.len()), (100, 4));
}

#[tokio::test]
async fn finds_long_waiting_jobs_of_a_provider_queue_without_room() {
    let world = World::alone().await;
    let jobs = jobs(&world);
    add(
        &world,
        "SELECT number, 1, true, CASE WHEN number % 100 = 0 THEN '11 min' ELSE '1 min' END::interval \
         FROM generate_series(1, 300) AS number",
    )
    .await;
    let closed = ProviderQueueLimit {
        priority: Priority::Single,
        provider_queue: ProviderQueue(1),
        jobs: 0,
    };
    let limits = ClaimLimits { total: 100, provider_queues: vec![closed], unknown_queues: 64 };

    let mut claimed = Vec::new();
    for _ in 0..5 {
        claimed.extend(jobs.claim(&limits).await.unwrap());
    }

    assert_eq!(claimed.len(), 3);
}

#[tokio::test]
async fn concurrent_claims_never_return_the_same_job() {
    let world = World::alone().await;
    add(
        &world,
        "SELECT number % 40, number % 2, number % 3 > 0, '1 s'::interval \
         FROM generate_series(1, 2000) AS number",
    )
    .await;
    let instances: Vec<_> = (0..3).map(|_| jobs(&world)).collect();

    let claims = instances.iter().map(async |jobs| {
        let mut claimed = Vec::new();
        let mut empty = 0;
        while empty < 3 {
            let some = jobs.claim(&ClaimLimits::any(64)).await.unwrap();
            empty = if some.is_empty() { empty + 1 } else { 0 };
            claimed.extend(some.into_iter().map(|job| job.message.id));
        }
        claimed
    });
    let claimed: Vec<_> = join_all(claims).await.into_iter().flatten().collect();

    assert_eq!(claimed.len(), 2_000);
    assert_eq!(claimed.iter().collect::<HashSet<_>>().len(), 2_000);
}
