//! Messages that are held: those of paused campaigns and those in quiet hours.

use domain::messaging::message::CampaignId;
use std::sync::Arc;

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgMonitor, PgStore};
use app::clock::SystemClock;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::Delivery,
        hold::CampaignHold,
        job::{Job, JobPostponed},
        message::{Message, Source},
    },
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::messages::{ClaimLimits, Jobs, Recorded},
    outreach::held_campaigns::HeldCampaigns,
    platform::health::StoreProbe,
    shared::clock::Clock,
};

use crate::{messaging::intake_fixture::IntakeFixture, minutes, now};

/// An organization with a campaign of that status.
async fn campaign_that_is(status: &str) -> (IntakeFixture, CampaignId) {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let id = Id::new_in(now(), fixture.organization);
    let reason = if status == "PAUSED" { "'USER'" } else { "NULL" };
    let insert = format!(
        "INSERT INTO campaigns (organization_id, id, name, channel, status, paused_reason, created_by, \
            authors, created_at, updated_at) \
         VALUES ('{}', '{id}', 'Sale', 'SMS', '{status}', {reason}, gen_random_uuid(), '{{}}', \
            now(), now())",
        fixture.organization
    );
    fixture.world.sql(&insert).await;
    (fixture, id)
}

async fn move_on(fixture: &IntakeFixture, status: &str) {
    let update = format!("UPDATE campaigns SET status = '{status}', paused_reason = NULL");
    fixture.world.sql(&update).await;
}

/// Messages of a campaign, accepted and claimed.
async fn claimed(fixture: &IntakeFixture, campaign: CampaignId, messages: usize) -> Vec<Job> {
    let source = Some(Source::Campaign(campaign));
    let message = || Message { source, ..fixture.message() };
    let messages: Vec<_> = std::iter::repeat_with(message).take(messages).collect();
    fixture.claim(&messages).await
}

fn until_resumed(job: &Job) -> JobPostponed {
    let (message, lease, provider_queue) = (job.message.clone(), job.lease, job.provider_queue);
    JobPostponed { message, lease, provider_queue, due_in: None, is_suspended: false }
}

fn for_an_hour(job: &Job) -> JobPostponed {
    let message = job.message.clone().valid_from(now() + minutes(60));
    JobPostponed { message, due_in: Some(minutes(60)), ..until_resumed(job) }
}

async fn record(fixture: &IntakeFixture, postponed: JobPostponed) -> Recorded {
    fixture.jobs.record(postponed.into()).await.unwrap()
}

async fn claim(fixture: &IntakeFixture) -> Vec<Job> {
    fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap()
}

async fn release(fixture: &IntakeFixture) -> usize {
    release_but_for(fixture, &[]).await
}

async fn release_but_for(fixture: &IntakeFixture, suspended: &[Id<Organization>]) -> usize {
    let store = PgStore::connect_writers(&fixture.world.url, 1).unwrap();
    store.release(suspended).await.unwrap()
}

fn is_about(at: DateTime<Utc>, expected: DateTime<Utc>) -> bool {
    (at - expected).abs() < minutes(1)
}

#[tokio::test]
async fn messages_of_a_paused_campaign_wait_and_keep_their_validity() {
    let (fixture, campaign) = campaign_that_is("PAUSED").await;
    let held = fixture.world.store.held().await.unwrap();
    assert_eq!(held, [(campaign, CampaignHold::Paused)]);
    let [job]: [Job; 1] = claimed(&fixture, campaign, 1).await.try_into().unwrap();

    assert_eq!(record(&fixture, until_resumed(&job)).await, Recorded::Done);

    assert_eq!((release(&fixture).await, claim(&fixture).await.len()), (0, 0));
    move_on(&fixture, "SENDING").await;
    assert_eq!(fixture.world.store.held().await.unwrap(), []);
    assert_eq!((release(&fixture).await, release(&fixture).await), (1, 0));
    let [again]: [Job; 1] = claim(&fixture).await.try_into().unwrap();
    assert_eq!(again.message.delivery, Delivery::NEW);
    assert_eq!(again.message.draft, job.message.draft, "its validity is the same as ever");
    // The message was accepted weeks ago.
    let present = SystemClock.now();
    assert!(is_about(again.message.valid_from, present), "{}", again.message.valid_from);
    assert!(is_about(again.message.expires_at, present + TimeDelta::hours(24)));
}

#[tokio::test]
async fn resuming_does_not_end_quiet_hours_but_cancelling_does() {
    let (fixture, campaign) = campaign_that_is("SENDING").await;
    let [paused, quiet]: [Job; 2] = claimed(&fixture, campaign, 2).await.try_into().unwrap();
    record(&fixture, until_resumed(&paused)).await;
    record(&fixture, for_an_hour(&quiet)).await;

    assert_eq!(release(&fixture).await, 1, "another instance still took the campaign for paused");
    let [again]: [Job; 1] = claim(&fixture).await.try_into().unwrap();
    assert_eq!(again.message.id, paused.message.id);
    assert_eq!(release(&fixture).await, 0);

    move_on(&fixture, "CANCELLED").await;
    let held = fixture.world.store.held().await.unwrap();
    assert_eq!(held, [(campaign, CampaignHold::Cancelled)]);
    assert_eq!(release(&fixture).await, 1);
    assert_eq!(claim(&fixture).await[0].message.id, quiet.message.id);
    fixture.world.sql("UPDATE campaigns SET settled_at = now()").await;
    assert_eq!(fixture.world.store.held().await.unwrap(), []);
}

#[tokio::test]
async fn quiet_hours_postpone_a_message_and_keep_its_validity() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let [job]: [Job; 1] = fixture.claim(&[fixture.message()]).await.try_into().unwrap();
    let first = for_an_hour(&job);

    assert_eq!(record(&fixture, first.clone()).await, Recorded::Done);

    let put_off = fixture.jobs.find(job.message.id).await.unwrap().unwrap();
    assert!(is_about(put_off.valid_from, first.message.valid_from));
    assert_eq!(put_off.expires_at - put_off.valid_from, job.message.draft.validity);
    assert_eq!(claim(&fixture).await.len(), 0);
    fixture.world.sql("UPDATE delivery_jobs SET due_at = now()").await;
    let [again]: [Job; 1] = claim(&fixture).await.try_into().unwrap();
    assert_eq!((&again.message, again.rounds), (&put_off, 0));

    let second = for_an_hour(&again);
    assert_eq!(second.message.draft.validity, job.message.draft.validity);
    assert_eq!(record(&fixture, second).await, Recorded::Done);
    let paid = "SELECT count(*) FROM ledger WHERE kind LIKE 'MESSAGE%'";
    assert_eq!(fixture.number(paid).await, 1, "nothing is paid twice or back");
}

#[tokio::test]
async fn a_worker_without_the_lease_postpones_nothing() {
    let (fixture, campaign) = campaign_that_is("PAUSED").await;
    let [job]: [Job; 1] = claimed(&fixture, campaign, 1).await.try_into().unwrap();
    fixture
        .world
        .sql("UPDATE delivery_jobs SET lease = NULL, is_ready = true, due_at = now()")
        .await;
    let [theirs]: [Job; 1] = claim(&fixture).await.try_into().unwrap();

    assert_eq!(record(&fixture, for_an_hour(&job)).await, Recorded::Stale);

    let message = fixture.jobs.find(job.message.id).await.unwrap().unwrap();
    assert_eq!(message.valid_from, message.created_at);
    assert_eq!(record(&fixture, until_resumed(&theirs)).await, Recorded::Done);
}

#[tokio::test]
async fn held_messages_are_released_in_batches() {
    let (fixture, campaign) = campaign_that_is("SENDING").await;
    let jobs = claimed(&fixture, campaign, 1).await;
    record(&fixture, until_resumed(&jobs[0])).await;
    let more = "INSERT INTO delivery_jobs (id, organization_id, priority, held_by, due_at) \
                SELECT uuid_v7_in(now(), organization_id), organization_id, priority, held_by, due_at \
                FROM delivery_jobs, generate_series(1, 2400)";
    fixture.world.sql(more).await;

    let mut batches = Vec::new();
    while let released @ 1.. = release(&fixture).await {
        batches.push(released);
    }

    assert_eq!(batches, [1_000, 1_000, 401]);
    let ready = "SELECT count(*) FROM delivery_jobs WHERE is_ready AND held_by IS NULL";
    assert_eq!(fixture.number(ready).await, 2_401);
}

#[tokio::test]
async fn a_message_is_not_erased_while_its_campaign_may_resume() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let is_over = async |status: &str, days: u16| {
        let query = format!(
            "SELECT is_over('{status}', now() - interval '{days} days', now())::integer::bigint"
        );
        fixture.number(&query).await == 1
    };
    assert!(!is_over("QUEUED", 31).await, "pauses last for thirty days at the most");
    assert!(is_over("QUEUED", 41).await && is_over("PENDING", 5).await);
}

#[tokio::test]
async fn held_messages_do_not_age_the_backlog() {
    let (fixture, campaign) = campaign_that_is("PAUSED").await;
    let instance = PgInstance::new(fixture.world.store.clone(), Arc::new(SystemRandom));
    let monitor = PgMonitor::new(fixture.world.store.clone(), instance, Vec::new());
    let oldest = async || {
        monitor.look().await.unwrap();
        monitor.stats().backlog.unwrap().oldest
    };
    let [paused, quiet]: [Job; 2] = claimed(&fixture, campaign, 2).await.try_into().unwrap();
    record(&fixture, until_resumed(&paused)).await;
    record(&fixture, for_an_hour(&quiet)).await;

    assert_eq!(oldest().await, TimeDelta::zero());

    // They count once the quiet hours are over.
    fixture.world.sql("UPDATE delivery_jobs SET due_at = now() - interval '5 minutes'").await;
    assert!(oldest().await >= minutes(5));
}

#[tokio::test]
async fn messages_of_a_suspended_organization_wait_unchanged() {
    let (fixture, campaign) = campaign_that_is("SENDING").await;
    let of_campaign = claimed(&fixture, campaign, 1).await.remove(0);
    let other = fixture.claim(&[fixture.message()]).await.remove(0);
    for job in [&of_campaign, &other] {
        let (due_in, is_suspended) = (Some(minutes(60)), true);
        let held = JobPostponed { due_in, is_suspended, ..until_resumed(job) };
        assert_eq!(record(&fixture, held).await, Recorded::Done);
    }

    assert_eq!(release_but_for(&fixture, &[fixture.organization]).await, 0);
    assert!(claim(&fixture).await.is_empty());
    // Changes of the campaign in the meantime release nothing.
    move_on(&fixture, "CANCELLED").await;
    assert_eq!(release_but_for(&fixture, &[fixture.organization]).await, 0);

    assert_eq!(release(&fixture).await, 2);
    let expires = |job: &Job| (job.message.id, job.message.expires_at);
    let mut freed: Vec<_> = claim(&fixture).await.iter().map(expires).collect();
    let mut expected = [&of_campaign, &other].map(expires);
    freed.sort();
    expected.sort();
    assert_eq!(freed, expected);
}
