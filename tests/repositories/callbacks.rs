//! What callbacks leave behind: names of messages, reports that came early, opt-outs.

use std::{slice, sync::Arc};

use adapters_postgres::PgCallbacks;
use chrono::TimeDelta;
use domain::{
    address::Address,
    callback::{Inbound, MessageRef},
    channel::Channel,
    delivery::{DeliveryEvent, Failure, FailureCode},
    id::Id,
    job::{Job, JobConcluded},
    message::Message,
    money::Money,
    provider::{Attempt, AttemptOutcome, FollowUp, Outcome, Report},
    suppression::{OptOut, SuppressionSource},
};
use futures_util::future::join_all;
use ports::{
    callbacks::{CallbackRepository, EarlyReport},
    messages::{Intake, Jobs, Recorded, Submission},
};

use super::{World, intake_fixture::IntakeFixture, minutes, now};

async fn world() -> (World, Arc<PgCallbacks>) {
    let world = World::new().await;
    let callbacks = PgCallbacks::start(world.store.clone());
    (world, callbacks)
}

/// An organization whose messages are accepted, and its callbacks.
async fn fixture() -> (IntakeFixture, Arc<PgCallbacks>) {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let callbacks = PgCallbacks::start(fixture.world.store.clone());
    (fixture, callbacks)
}

fn vendors(reference: &str) -> MessageRef {
    MessageRef::Vendors(reference.into())
}

fn taken(reference: &str) -> Outcome {
    let (reference, follow_up) = (Some(reference.to_owned()), FollowUp::Report);
    Outcome::Accepted { reference, follow_up }
}

/// The step of a job whose message `provider` took, and calls `reference`.
fn sent(job: &Job, provider: &str, reference: &str) -> JobConcluded {
    let mut job = job.clone();
    job.message.attempts = vec![Attempt::start(provider, now()).end(now(), &taken(reference))];
    let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched).unwrap();
    let sent = dispatched.after(DeliveryEvent::Accepted { at: now() }).unwrap();
    JobConcluded { due_in: Some(minutes(10)), ..job.conclude(sent) }
}

/// A message that `provider` took, and calls `reference`.
async fn message(fixture: &IntakeFixture, provider: &str, reference: &str) -> Id<Message> {
    let job = fixture.claim(&[fixture.message()]).await.remove(0);
    let recorded = fixture.jobs.record(sent(&job, provider, reference).into()).await.unwrap();
    assert_eq!(recorded, Recorded::Done);
    job.message.id
}

fn confirmed() -> DeliveryEvent {
    DeliveryEvent::Confirmed { at: now() }
}

fn early(reference: &str, event: DeliveryEvent) -> EarlyReport {
    EarlyReport { reference: reference.into(), event }
}

#[tokio::test]
async fn messages_are_found_by_the_names_that_their_own_provider_has_for_them() {
    let (fixture, callbacks) = fixture().await;
    let one = message(&fixture, "first", "ref-1").await;
    let other = message(&fixture, "first", "ref-2").await;
    let theirs = message(&fixture, "second", "ref-3").await;

    let named = [
        vendors("ref-2"),
        vendors("ref-3"),
        vendors("ref-0"),
        MessageRef::Ours(theirs),
        vendors("ref-1"),
    ];
    let asked = (0..20).map(|_| callbacks.resolve("first", &named));
    for found in join_all(asked).await {
        let found = found.unwrap().into_iter().map(|message| message.map(|message| message.id));
        assert_eq!(found.collect::<Vec<_>>(), [Some(other), None, None, Some(theirs), Some(one)]);
    }
}

#[tokio::test]
async fn a_name_that_comes_again_belongs_to_the_newest_message() {
    let (fixture, callbacks) = fixture().await;
    let oldest = message(&fixture, "first", "7").await;
    let jobs = fixture.claim(&[fixture.message(), fixture.message()]).await;
    let steps = jobs.iter().map(|job| fixture.jobs.record(sent(job, "first", "7").into()));
    for recorded in join_all(steps).await {
        assert_eq!(recorded.unwrap(), Recorded::Done);
    }

    let found = callbacks.resolve("first", &[vendors("7")]).await.unwrap();

    // They were all accepted in the same millisecond, so that any may be the newest.
    let newest = jobs.iter().map(|job| job.message.id).chain([oldest]).max();
    assert_eq!(found[0].as_ref().map(|message| message.id), newest);
}

#[tokio::test]
async fn a_name_that_two_organizations_have_means_the_newest_message_of_both() {
    let (fixture, callbacks) = fixture().await;
    let other = fixture.world.organization().await.id;
    fixture.world.open_wallet(other, Money::from_cedis(100)).await;
    let theirs = Message { organization: other, ..fixture.message() };
    let submission =
        Submission { organization: other, ..fixture.submission(slice::from_ref(&theirs)) };
    fixture.intake.accept(submission).await.unwrap();
    let mut jobs = fixture.claim(&[fixture.message()]).await;
    jobs.sort_by_key(|job| job.message.id);
    assert_eq!(jobs.len(), 2);

    for job in jobs.iter().rev() {
        let recorded = fixture.jobs.record(sent(job, "first", "7").into()).await.unwrap();
        assert_eq!(recorded, Recorded::Done);
    }

    assert_eq!(fixture.number("SELECT count(*) FROM provider_references").await, 2);
    let found = callbacks.resolve("first", &[vendors("7")]).await.unwrap();
    assert_eq!(found[0].as_ref().map(|message| message.id), Some(jobs[1].message.id));
    let early = [early("7", confirmed())];
    callbacks.keep_early("first", &early, now()).await.unwrap();
    let matched = callbacks.matched(now() - minutes(60), None, 10).await.unwrap();
    assert_eq!(matched[0].report.message, jobs[1].message.id);
}

#[tokio::test]
async fn a_kept_report_is_matched_when_its_message_is_written_until_it_is_forgotten() {
    let (fixture, callbacks) = fixture().await;
    let failure = Failure::new(FailureCode::Undelivered, "absent").with_vendor_code("27");
    let rejected = DeliveryEvent::Rejected { at: now(), failure };
    let ours = [
        early("early", rejected.clone()),
        early("early", confirmed()),
        early("never", confirmed()),
        early("early", DeliveryEvent::Dispatched),
    ];
    callbacks.keep_early("first", &ours, now()).await.unwrap();
    callbacks.keep_early("other", &[early("early", confirmed())], now()).await.unwrap();
    let matched =
        async |last, limit| callbacks.matched(now() + minutes(1), last, limit).await.unwrap();
    assert_eq!(matched(None, 10).await, []);

    let message = message(&fixture, "first", "early").await;
    let both = matched(None, 10).await;
    let reports: Vec<_> = both.iter().map(|matched| matched.report.clone()).collect();
    let report = |event| Report { message, provider: Some("first".into()), event };
    assert_eq!(reports, [report(rejected), report(confirmed())]);
    assert_eq!(matched(None, 1).await, both[..1]);
    assert_eq!(matched(Some(both[0].id), 10).await, both[1..]);

    callbacks.forget(&[both[0].id]).await.unwrap();
    assert_eq!(matched(None, 10).await, both[1..]);
    callbacks.forget(&[both[1].id]).await.unwrap();
    assert_eq!(matched(None, 10).await, []);
}

#[tokio::test]
async fn a_report_that_was_kept_while_its_message_was_written_is_matched_all_the_same() {
    let (fixture, callbacks) = fixture().await;
    let id = message(&fixture, "first", "ref-1").await;
    callbacks.keep_early("first", &[early("ref-1", confirmed())], now()).await.unwrap();
    let matched = callbacks.matched(now() + minutes(1), None, 10).await.unwrap();
    assert_eq!(matched.len(), 1, "it was seen when it was kept");

    // As if neither had seen the other.
    fixture.world.sql("UPDATE unmatched_reports SET message_id = NULL").await;
    let before = now() - TimeDelta::seconds(30);
    let again = callbacks.matched(before, None, 10).await.unwrap();
    assert_eq!(again, matched);
    assert_eq!(again[0].report.message, id);
    assert_eq!(callbacks.matched(now() + minutes(1), None, 10).await.unwrap(), []);
}

#[tokio::test]
async fn old_reports_are_forgotten_and_providers_with_many_are_named() {
    let world = World::alone().await;
    let callbacks = PgCallbacks::start(world.store.clone());
    let many: Vec<_> = (0..10).map(|number| early(&number.to_string(), confirmed())).collect();
    callbacks.keep_early("many", &many, now()).await.unwrap();
    callbacks.keep_early("few", &many[..9], now()).await.unwrap();
    callbacks.keep_early("old", &many, now() - minutes(61)).await.unwrap();

    assert_eq!(callbacks.forget_old(now() - minutes(60), 10).await.unwrap(), ["many"]);
    assert_eq!(callbacks.forget_old(now() + minutes(1), 1).await.unwrap(), [] as [String; 0]);
}

#[tokio::test]
async fn a_provider_that_gives_a_message_up_closes_its_own_attempts() {
    let (fixture, callbacks) = fixture().await;
    let job = fixture.claim(&[fixture.message()]).await.remove(0);
    let mut step = sent(&job, "second", "ref-2");
    let unknown = Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, "no answer"));
    step.message.attempts.insert(0, Attempt::start("first", now()).end(now(), &unknown));
    fixture.jobs.record(step.clone().into()).await.unwrap();

    let failure = Failure::new(FailureCode::Undelivered, "absent").with_vendor_code("27");
    for _ in 0..2 {
        let (organization, id) = (job.message.organization, job.message.id);
        callbacks.close_attempts(organization, id, "first", &failure).await.unwrap();
    }

    let found = fixture.jobs.find(job.message.id).await.unwrap().unwrap();
    assert_eq!(found.delivery, step.message.delivery);
    let closed = found.attempts[0].ended().unwrap();
    assert_eq!(closed.outcome, AttemptOutcome::Rejected);
    assert_eq!(closed.error_code, Some(FailureCode::Undelivered));
    assert_eq!(closed.vendor_code.as_deref(), Some("27"));
    assert_eq!(found.attempts[1], step.message.attempts[1]);
}

#[tokio::test]
async fn a_session_begins_with_the_latest_text_whatever_comes_after() {
    let (_world, callbacks) = world().await;
    let from = Address::stored("+233241234561".into());
    let heard = async |provider| callbacks.last_heard(provider, &from).await.unwrap();
    assert_eq!(heard("session").await, None);

    for at in [now(), now() + minutes(5), now() + minutes(2)] {
        let inbound =
            Inbound { channel: Channel::WhatsApp, from: from.clone(), text: "Hi".into(), at };
        callbacks.note_inbound("session", &inbound).await.unwrap();
    }

    assert_eq!(heard("session").await, Some(now() + minutes(5)));
    assert_eq!(heard("another").await, None);
}

#[tokio::test]
async fn the_writers_to_an_address_are_those_of_that_provider() {
    let (world, callbacks) = world().await;
    let (own, other) = (world.organization().await, world.organization().await);
    let row = |provider, organization| {
        format!("('{provider}', '+233241234562', '{organization}', now())")
    };
    let rows = [row("writers", own.id), row("writers", other.id), row("another", own.id)];
    world
        .sql(&format!(
            "INSERT INTO conversations (provider, address, organization_id, written_at) VALUES {}",
            rows.join(",")
        ))
        .await;

    let address = Address::stored("+233241234562".into());
    let mut writers = callbacks.senders_to("writers", &address).await.unwrap();

    writers.sort();
    let mut expected = [own.id, other.id];
    expected.sort();
    assert_eq!(writers, expected);
}

#[tokio::test]
async fn an_address_is_suppressed_once_for_each_reason_and_start_lifts_what_stop_did() {
    let (world, callbacks) = world().await;
    let own = world.organization().await.id;
    let phone = Address::stored("+233241234563".into());
    let mail = Address::stored("ama@example.com".into());
    let count = async |condition: &str| {
        let query = format!(
            "SELECT count(*) FROM suppressions WHERE organization_id = '{own}' AND {condition}"
        );
        world.client().await.query_one(&query, &[]).await.unwrap().get::<_, i64>(0)
    };
    for _ in 0..2 {
        for source in SuppressionSource::ALL {
            for (channel, address) in [(Channel::Sms, &phone), (Channel::Email, &mail)] {
                let address = address.clone();
                let opt_out = OptOut { organization: own, channel, address, source, at: now() };
                callbacks.suppress(&opt_out).await.unwrap();
            }
        }
    }
    assert_eq!(count("channel = 'SMS' AND phone = '+233241234563' AND email IS NULL").await, 5);
    assert_eq!(count("channel = 'EMAIL' AND email = 'ama@example.com' AND phone IS NULL").await, 5);
    assert_eq!(count("category = 'MARKETING' AND source = 'UNSUBSCRIBE'").await, 2);
    assert_eq!(count("category IS NOT NULL").await, 2);
    assert_eq!(count(&format!("id::text LIKE '%{}'", own.slot())).await, 10);

    let lift = async |channel, address| callbacks.unsuppress(own, channel, address).await.unwrap();
    lift(Channel::WhatsApp, &phone).await;
    assert_eq!(count("true").await, 10, "another channel");
    lift(Channel::Sms, &phone).await;
    lift(Channel::Email, &Address::stored("Ama@example.com".into())).await;
    assert_eq!(count("source IN ('STOP', 'VENDOR')").await, 0);
    assert_eq!(count("true").await, 6);
}
