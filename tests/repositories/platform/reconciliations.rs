//! Reconciliations: the messages that they examine, and what they stop.

use std::collections::BTreeSet;

use adapters_postgres::{PgReconciliations, PgStore};
use app::clock::SystemClock;
use chrono::{DateTime, Utc};
use domain::{
    messaging::{finding::Finding, message::Message},
    platform::reconciliation::{LostTime, Reconciliation, Stopped},
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::{
        messages::{Intake, Jobs},
        scheduled_messages::ScheduledMessageRepository,
    },
    platform::reconciliations::{Reconciliations, Taken},
    shared::clock::Clock,
};

use crate::{messaging::intake_fixture::IntakeFixture, minutes, now};

fn reconciliations(fixture: &IntakeFixture) -> PgReconciliations {
    fixture.jobs.reconciliations(PgStore::connect_maintenance(&fixture.world.url, 1).unwrap())
}

/// Writes are lost from the time of the messages until then.
fn lost_until(until: DateTime<Utc>) -> LostTime {
    LostTime { since: now(), until }
}

fn ids(taken: &Taken) -> BTreeSet<Id<Message>> {
    taken.jobs.iter().map(|job| job.message.id).collect()
}

#[tokio::test]
async fn takes_messages_that_a_worker_may_have_had_and_leaves_those_that_waited() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let database = reconciliations(&fixture);
    let messages: Vec<_> = (0..4).map(|_| fixture.message()).collect();
    fixture.intake.accept(fixture.submission(&messages)).await.unwrap();
    let (waiting, leased) = (messages[0].id, messages[1].id);
    fixture
        .world
        .sql(&format!(
            "UPDATE delivery_jobs SET due_at = 'infinity', lease = NULL, is_ready = false \
             WHERE id = '{waiting}'; \
             UPDATE delivery_jobs SET due_at = now() + interval '1 minute', is_ready = false, \
                lease = gen_random_uuid() \
             WHERE id = '{leased}'"
        ))
        .await;
    let lost = lost_until(SystemClock.now());

    let first = database.take(lost, None, 2).await.unwrap();
    let second = database.take(lost, first.last, 2).await.unwrap();
    let third = database.take(lost, second.last, 2).await.unwrap();

    assert_eq!((first.jobs.len(), second.jobs.len()), (2, 1));
    let expected: BTreeSet<_> = messages[1..].iter().map(|message| message.id).collect();
    assert_eq!(&ids(&first) | &ids(&second), expected);
    assert_eq!(third, Taken { jobs: Vec::new(), last: None });
    let job = second.jobs.into_iter().next().unwrap();
    fixture.jobs.release(&[job]).await.unwrap();
    let ready = "SELECT count(*) FROM delivery_jobs WHERE is_ready AND lease IS NULL";
    assert_eq!(fixture.number(ready).await, 1, "it is leased and can be released");
}

#[tokio::test]
async fn takes_scheduled_messages_whose_own_time_was_lost() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let database = reconciliations(&fixture);
    let messages = [10, 120].map(|wait| fixture.message().scheduled(now() + minutes(wait), true));
    for message in &messages {
        let message = std::slice::from_ref(message);
        fixture.intake.accept(fixture.submission(message)).await.unwrap();
    }
    let store = PgStore::connect(&fixture.world.url, 2).unwrap();
    assert_eq!(fixture.jobs.scheduled_messages(store).release_due().await.unwrap(), 2);

    let taken = database.take(lost_until(now() + minutes(60)), None, 10).await.unwrap();

    assert_eq!(ids(&taken), BTreeSet::from([messages[0].id]));
}

#[tokio::test]
async fn ends_the_validity_of_messages() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let messages = [fixture.message(), fixture.message()];
    fixture.intake.accept(fixture.submission(&messages)).await.unwrap();
    let ended = (fixture.organization, messages[0].id);

    reconciliations(&fixture).end_validity(&[ended], now() + minutes(1)).await.unwrap();

    let [first, second] = messages.map(|message| message.id);
    let first = fixture.jobs.find(first).await.unwrap().unwrap();
    let second = fixture.jobs.find(second).await.unwrap().unwrap();
    assert_eq!(first.expires_at, now() + minutes(1));
    assert!(second.expires_at > now() + minutes(60));
}

#[tokio::test]
async fn stops_whatever_would_send_more() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let organization = fixture.organization;
    let campaign = |columns: &str, values: &str| {
        format!(
            "INSERT INTO campaigns (organization_id, id, name, channel, created_by, authors, \
                created_at, updated_at, {columns}) \
             VALUES ('{organization}', uuid_v7_in(now(), '{organization}'), 'c', 'SMS', \
                '{organization}', '{{}}', now(), now(), {values}); "
        )
    };
    let statements = [
        campaign("status, due_at", "'SENDING', now()"),
        campaign("status, paused_reason, due_at", "'PAUSED', 'INSUFFICIENT_BALANCE', now()"),
        campaign("status, scheduled_at", "'SCHEDULED', now() - interval '1 minute'"),
        campaign("status, scheduled_at", "'SCHEDULED', now() + interval '1 hour'"),
        campaign("status, expanded_at", "'SENDING', now()"),
        format!(
            "INSERT INTO triggers (organization_id, id, event, is_sandbox, channels, tried, \
                message_id, drafts, until_status, due_at, expires_at) \
             VALUES ('{organization}', '{organization}', 'e', false, '[]', 1, '{organization}', \
                '[{{}}]', 'SENT', now(), now()); \
             INSERT INTO resend_tasks (organization_id, id, status, messages_since, position, \
                is_sandbox, message_count, is_capped, created_at) \
             VALUES ('{organization}', '{organization}', 'QUEUED', '{organization}', \
                '{organization}', false, 1, false, now())"
        ),
    ];
    fixture.world.sql(&statements.concat()).await;

    let database = reconciliations(&fixture);
    let stopped = database.stop_senders(lost_until(SystemClock.now())).await.unwrap();

    assert_eq!(stopped, Stopped { paused_campaigns: 3, ended_triggers: 1, ended_resends: 1 });
    let paused = "SELECT count(*) FROM campaigns WHERE paused_reason = 'USER' AND due_at IS NULL";
    assert_eq!(fixture.number(paused).await, 3);
    let again = database.stop_senders(lost_until(SystemClock.now())).await.unwrap();
    assert_eq!(again, Stopped::default());
}

#[tokio::test]
async fn keeps_the_progress_and_finds_instances_and_the_newest_message() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let database = reconciliations(&fixture);
    let mut reconciliation = Reconciliation::begin(lost_until(SystemClock.now()));
    // The database keeps microseconds.
    let until = DateTime::from_timestamp_micros(reconciliation.lost.until.timestamp_micros());
    reconciliation.lost.until = until.unwrap();
    assert_eq!(database.find(now()).await.unwrap(), None);
    database.save(&reconciliation).await.unwrap();
    reconciliation.position = Some((fixture.organization, fixture.message().id));
    reconciliation.findings.count(Finding::InDoubt { provider: "hubtel".into() });
    reconciliation.finished_at = Some(now());

    database.save(&reconciliation).await.unwrap();

    assert_eq!(database.find(now()).await.unwrap(), Some(reconciliation));
    assert_eq!(database.newest_message().await.unwrap(), None);
    fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
    assert_eq!(database.newest_message().await.unwrap(), Some(now()));
    let heartbeat = "INSERT INTO instances (first_lease, last_lease, seen_at) \
        VALUES (gen_random_uuid(), gen_random_uuid(), clock_timestamp() - interval '%')";
    fixture.world.sql(&heartbeat.replace('%', "20 seconds")).await;
    assert_eq!(database.running_instances(now()).await.unwrap(), 0);
    fixture.world.sql(&heartbeat.replace('%', "5 seconds")).await;
    assert_eq!(database.running_instances(now()).await.unwrap(), 1);
    let restored_just_now = SystemClock.now();
    assert_eq!(database.running_instances(restored_just_now).await.unwrap(), 0);
}
