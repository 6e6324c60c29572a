//! Data of callbacks: references of messages, early reports, messaging windows and senders.

use domain::{
    messaging::{
        attempt::{Attempt, AttemptOutcome},
        callback::{Inbound, MessageRef},
        delivery::{DeliveryEvent, Failure, FailureCode},
        message::Message,
        outcome::Outcome,
        report::Report,
    },
    shared::{address::Address, channel::Channel, id::Id, money::Money},
};
use futures_util::future::join_all;
use ports::messaging::{callbacks::EarlyReport, messages::Recorded};

use super::{Subject, confirmed, sent, subjects};
use crate::{minutes, now};

const PLENTY: Money = Money::from_cedis(100);

fn vendors(reference: &str) -> MessageRef {
    MessageRef::Vendors(reference.into())
}

fn early(reference: &str, event: DeliveryEvent) -> EarlyReport {
    EarlyReport { reference: reference.into(), event }
}

/// A message that `provider` accepted as `reference`.
async fn message(subject: &Subject, provider: &str, reference: &str) -> Id<Message> {
    let job = subject.claimed().await;
    assert_eq!(subject.record(sent(&job, provider, reference)).await, Recorded::Done);
    job.message.id
}

#[tokio::test]
async fn messages_are_found_by_the_reference_of_their_provider() {
    for subject in subjects(PLENTY).await {
        println!("on {}", subject.name);
        let one = message(&subject, "first", "ref-1").await;
        let other = message(&subject, "first", "ref-2").await;
        let theirs = message(&subject, "second", "ref-3").await;

        let named = [
            vendors("ref-2"),
            vendors("ref-3"),
            vendors("ref-0"),
            MessageRef::Ours(theirs),
            vendors("ref-1"),
        ];
        let asked = (0..20).map(|_| subject.callbacks.resolve("first", &named));
        for found in join_all(asked).await {
            let ids = found.unwrap().into_iter().map(|message| message.map(|message| message.id));
            let expected = [Some(other), None, None, Some(theirs), Some(one)];
            assert_eq!(ids.collect::<Vec<_>>(), expected);
        }
    }
}

#[tokio::test]
async fn a_reused_reference_belongs_to_the_newest_message() {
    for subject in subjects(PLENTY).await {
        println!("on {}", subject.name);
        let oldest = message(&subject, "first", "7").await;
        subject.accept(&subject.messages(2)).await;
        let jobs = subject.claim().await;
        let steps = jobs.iter().map(|job| subject.record(sent(job, "first", "7")));
        assert_eq!(join_all(steps).await, [Recorded::Done; 2]);

        let found = subject.callbacks.resolve("first", &[vendors("7")]).await.unwrap();

        // All were accepted in the same millisecond, so any of them may be the newest.
        let newest = jobs.iter().map(|job| job.message.id).chain([oldest]).max();
        assert_eq!(found[0].as_ref().map(|message| message.id), newest);
    }
}

#[tokio::test]
async fn a_reference_shared_by_organizations_means_the_newest_message() {
    for subject in subjects(PLENTY).await {
        println!("on {}", subject.name);
        let other = subject.another_organization(PLENTY).await;
        let theirs = Message { organization: other, ..subject.message() };
        subject.accept(&[theirs]).await;
        subject.accept(&[subject.message()]).await;
        let mut jobs = subject.claim().await;
        jobs.sort_by_key(|job| job.message.id);
        assert_eq!(jobs.len(), 2);

        for job in jobs.iter().rev() {
            assert_eq!(subject.record(sent(job, "first", "7")).await, Recorded::Done);
        }

        let newest = jobs[1].message.id;
        let found = subject.callbacks.resolve("first", &[vendors("7")]).await.unwrap();
        assert_eq!(found[0].as_ref().map(|message| message.id), Some(newest));
        let early = [early("7", confirmed())];
        subject.callbacks.keep_early("first", &early, now()).await.unwrap();
        let matched = subject.callbacks.matched(now() - minutes(60), None, 10).await.unwrap();
        assert_eq!(matched[0].report.message, newest);
    }
}

#[tokio::test]
async fn an_early_report_is_matched_once_its_message_is_written() {
    for subject in subjects(PLENTY).await {
        println!("on {}", subject.name);
        let callbacks = &subject.callbacks;
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

        let message = message(&subject, "first", "early").await;
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
}

#[tokio::test]
async fn a_report_on_a_known_message_is_matched_at_once() {
    for subject in subjects(PLENTY).await {
        println!("on {}", subject.name);
        let id = message(&subject, "first", "ref-1").await;
        let report = [early("ref-1", confirmed())];
        subject.callbacks.keep_early("first", &report, now()).await.unwrap();

        let matched = subject.callbacks.matched(now() + minutes(1), None, 10).await.unwrap();

        assert_eq!(matched.len(), 1);
        assert_eq!(matched[0].report.message, id);
    }
}

#[tokio::test]
async fn old_reports_are_deleted_and_noisy_providers_named() {
    for subject in subjects(PLENTY).await {
        println!("on {}", subject.name);
        let callbacks = &subject.callbacks;
        let many: Vec<_> = (0..10).map(|number| early(&number.to_string(), confirmed())).collect();
        callbacks.keep_early("many", &many, now()).await.unwrap();
        callbacks.keep_early("few", &many[..9], now()).await.unwrap();
        callbacks.keep_early("old", &many, now() - minutes(61)).await.unwrap();

        assert_eq!(callbacks.forget_old(now() - minutes(60), 10).await.unwrap(), ["many"]);
        assert_eq!(callbacks.forget_old(now() + minutes(1), 1).await.unwrap(), [] as [String; 0]);
    }
}

#[tokio::test]
async fn a_rejection_closes_the_attempts_of_its_provider_only() {
    for subject in subjects(PLENTY).await {
        println!("on {}", subject.name);
        let job = subject.claimed().await;
        let mut step = sent(&job, "second", "ref-2");
        let unknown = Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, "no answer"));
        step.message.attempts.insert(0, Attempt::start("first", now()).end(now(), &unknown));
        subject.record(step.clone()).await;

        let failure = Failure::new(FailureCode::Undelivered, "absent").with_vendor_code("27");
        for _ in 0..2 {
            let (organization, id) = (job.message.organization, job.message.id);
            let closed = subject.callbacks.close_attempts(organization, id, "first", &failure);
            closed.await.unwrap();
        }

        let found = subject.find(job.message.id).await;
        assert_eq!(found.delivery, step.message.delivery);
        let closed = found.attempts[0].ended().unwrap();
        assert_eq!(closed.outcome, AttemptOutcome::Rejected);
        assert_eq!(closed.error_code, Some(FailureCode::Undelivered));
        assert_eq!(closed.vendor_code.as_deref(), Some("27"));
        assert_eq!(found.attempts[1], step.message.attempts[1]);
    }
}

#[tokio::test]
async fn a_messaging_window_begins_with_the_latest_text() {
    for subject in subjects(PLENTY).await {
        println!("on {}", subject.name);
        let from = Address::stored("+233241234561".into());
        let last_inbound =
            async |provider| subject.callbacks.last_inbound(provider, &from).await.unwrap();
        assert_eq!(last_inbound("session").await, None);

        for at in [now(), now() + minutes(5), now() + minutes(2)] {
            let inbound =
                Inbound { channel: Channel::WhatsApp, from: from.clone(), text: "Hi".into(), at };
            subject.callbacks.note_inbound("session", &inbound).await.unwrap();
        }

        assert_eq!(last_inbound("session").await, Some(now() + minutes(5)));
        assert_eq!(last_inbound("another").await, None);
    }
}

#[tokio::test]
async fn senders_to_an_address_include_those_of_late_steps() {
    for subject in subjects(PLENTY).await {
        println!("on {}", subject.name);
        let other = subject.another_organization(PLENTY).await;
        let theirs = Message { organization: other, ..subject.message() };
        subject.accept(&[subject.message()]).await;
        subject.accept(&[theirs]).await;
        let mut jobs = subject.claim().await;
        jobs.sort_by_key(|job| job.message.organization);
        let written = |job, provider| {
            let mut step = sent(job, provider, "ref-1");
            step.can_be_answered = true;
            step
        };
        assert_eq!(subject.record(written(&jobs[0], "first")).await, Recorded::Done);
        assert_eq!(subject.record(written(&jobs[1], "first")).await, Recorded::Done);
        assert_eq!(subject.record(written(&jobs[0], "second")).await, Recorded::Stale);

        let writers = async |provider| {
            let to = &jobs[0].message.draft.recipient;
            let mut writers = subject.callbacks.senders_to(provider, to).await.unwrap();
            writers.sort();
            writers
        };
        let mut both = [subject.organization, other];
        both.sort();
        assert_eq!(writers("first").await, both);
        assert_eq!(writers("second").await, [jobs[0].message.organization]);
        assert_eq!(writers("third").await, []);
    }
}
