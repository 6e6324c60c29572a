//! Reports that are kept while their messages are written.

use adapters_postgres::PgCallbacks;
use chrono::TimeDelta;
use domain::{
    messaging::{
        attempt::Attempt,
        delivery::DeliveryEvent,
        job::JobConcluded,
        outcome::{FollowUp, Outcome},
    },
    shared::money::Money,
};
use ports::messaging::{
    callbacks::{CallbackRepository, EarlyReport},
    messages::{Jobs, Recorded},
};

use crate::{messaging::intake_fixture::IntakeFixture, minutes, now};

#[tokio::test]
async fn matches_a_report_kept_while_its_message_was_written() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let callbacks = PgCallbacks::start(fixture.world.store.clone());
    let mut job = fixture.claim(&[fixture.message()]).await.remove(0);
    let (id, follow_up) = (job.message.id, FollowUp::Report);
    let taken = Outcome::Accepted { reference: Some("ref-1".into()), follow_up };
    job.message.attempts = vec![Attempt::start("first", now()).end(now(), &taken)];
    let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched).unwrap();
    let sent = dispatched.after(DeliveryEvent::Accepted { at: now() }).unwrap();
    let step = JobConcluded { due_in: Some(minutes(10)), ..job.conclude(sent) };
    assert_eq!(fixture.jobs.record(step.into()).await.unwrap(), Recorded::Done);
    let event = DeliveryEvent::Confirmed { at: now() };
    let early = EarlyReport { reference: "ref-1".into(), event };
    callbacks.keep_early("first", &[early], now()).await.unwrap();
    let matched = callbacks.matched(now() + minutes(1), None, 10).await.unwrap();
    assert_eq!(matched.len(), 1, "it was seen when it was kept");

    // Simulates that report and message missed each other.
    fixture.world.sql("UPDATE unmatched_reports SET message_id = NULL").await;
    let before = now() - TimeDelta::seconds(30);
    let again = callbacks.matched(before, None, 10).await.unwrap();
    assert_eq!(again, matched);
    assert_eq!(again[0].report.message, id);
    assert_eq!(callbacks.matched(now() + minutes(1), None, 10).await.unwrap(), []);
}
