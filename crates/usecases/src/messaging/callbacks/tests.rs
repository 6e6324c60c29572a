//! The rules of callbacks.

mod sweep;
mod texts;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audience::suppression::{OptOut, SuppressionSource},
    identity::organization::Organization,
    messaging::{
        attempt::Attempt,
        callback::{CallbackMethod, Inbound, MessageRef, Received, VendorReport},
        delivery::{Delivery, DeliveryEvent, Failure, FailureCode},
        job::Step,
        message::Message,
        outcome::{FollowUp, Outcome},
    },
    shared::{address::Address, channel::Channel, id::Id},
};
use mockall::predicate::{always, eq};
use ports::{
    messaging::messages::Recorded,
    shared::mock::{MockCallbackRepository, MockJobs, MockMessagingProvider},
};

use super::*;
use crate::{
    providers::provider_registry::ConfiguredProvider,
    shared::fixtures::{NOW, clock, delivering, provider, tenant, with},
};

const REFERENCE: &str = "ref-1";

fn callback() -> Callback {
    Callback {
        method: CallbackMethod::Post,
        url: "https://atumpan.example/callbacks/providers/first".into(),
        query: Vec::new(),
        headers: Vec::new(),
        body: Vec::new(),
    }
}

/// The callbacks of a provider `first`, whose vendor sends `received`.
fn callbacks(
    received: Result<Received, CallbackRefused>,
    jobs: MockJobs,
    repository: MockCallbackRepository,
) -> Callbacks {
    let mut adapter = MockMessagingProvider::new();
    adapter.expect_receive().return_const(received);
    adapter.expect_read_out().returning(|text| CallbackAnswer::Text("text/plain", text.into()));
    let carrier = ConfiguredProvider {
        provider: provider("first", 1, TimeDelta::minutes(10)),
        adapter: Arc::new(adapter),
    };
    let providers =
        Arc::new(Providers::new(vec![carrier], Arc::new(MockMessagingProvider::new()), None));
    let jobs: Arc<dyn Jobs> = Arc::new(jobs);
    let deliveries =
        Deliveries::new(delivering(Arc::clone(&jobs), Arc::clone(&providers), clock()));
    Callbacks::new(providers, deliveries, jobs, Arc::new(repository), clock())
}

fn confirmed() -> DeliveryEvent {
    DeliveryEvent::Confirmed { at: NOW }
}

fn report(about: MessageRef) -> Received {
    let reports = vec![VendorReport { about, event: confirmed() }];
    Received { reports, ..Received::default() }
}

fn by_reference() -> Received {
    report(MessageRef::Vendors(REFERENCE.into()))
}

fn inbound(text: &str) -> Received {
    let inbound = Inbound { channel: Channel::Sms, from: writer(), text: text.into(), at: NOW };
    Received { inbound: vec![inbound], ..Received::default() }
}

fn writer() -> Address {
    Address::stored("+233241234567".into())
}

/// A message that was handed to the provider `name`.
fn sent_by(name: &str) -> Message {
    let attempts = vec![Attempt::start(name, NOW)];
    Message { attempts, ..with(name, Delivery::Sent { at: NOW }) }
}

/// A repository that is asked for one message, and finds `message`.
fn knowing(message: Option<Message>) -> MockCallbackRepository {
    let mut repository = MockCallbackRepository::new();
    let asked = repository.expect_resolve().with(eq("first"), always()).once();
    asked.returning(move |_, named| {
        assert_eq!(named.len(), 1);
        Ok(vec![message.clone()])
    });
    repository
}

#[tokio::test]
async fn a_refused_callback_has_the_error_of_its_reason() {
    for (refused, is_expected) in [
        (
            CallbackRefused::Unauthorized,
            (|it: &Error| it.code() == "INVALID_SIGNATURE") as fn(&_) -> _,
        ),
        (CallbackRefused::Unsupported, |it| matches!(it, Error::NotFound("callback"))),
        (CallbackRefused::Malformed, |it| matches!(it, Error::Invalid(_))),
    ] {
        let callbacks = callbacks(Err(refused), MockJobs::new(), MockCallbackRepository::new());

        let error = callbacks.receive("first", &callback()).await.unwrap_err();

        assert!(is_expected(&error), "{error:?}");
    }
}

#[tokio::test]
async fn stores_no_more_reports_of_a_provider_at_its_maximum() {
    let mut repository = knowing(None);
    let before = NOW - TimeDelta::hours(1);
    let old = repository.expect_forget_old().once().with(eq(before), always());
    old.returning(|_, _| Ok(vec!["first".into()]));
    let callbacks = callbacks(Ok(by_reference()), MockJobs::new(), repository);

    callbacks.forget_old().await.unwrap();
    callbacks.receive("first", &callback()).await.unwrap();
}

#[tokio::test]
async fn a_report_under_a_foreign_reference_is_not_applied() {
    let mut message = sent_by("first");
    let outcome =
        Outcome::Accepted { reference: Some("another".into()), follow_up: FollowUp::Report };
    message.attempts = vec![Attempt::start("first", NOW).end(NOW, &outcome)];
    let mut repository = knowing(Some(message));
    repository.expect_keep_early().once().returning(|_, _, _| Ok(()));

    let callbacks = callbacks(Ok(by_reference()), MockJobs::new(), repository);
    callbacks.receive("first", &callback()).await.unwrap();
}

#[tokio::test]
async fn the_reports_of_a_call_are_looked_up_together_and_applied_in_order() {
    let messages: Vec<_> = (0..100).map(|_| sent_by("first")).collect();
    let reports_on = |message: &Message| {
        let about = MessageRef::Ours(message.id);
        let accepted = DeliveryEvent::Accepted { at: NOW };
        [accepted, confirmed()].map(|event| VendorReport { about: about.clone(), event })
    };
    let reports = messages.iter().flat_map(reports_on).collect();
    let mut repository = MockCallbackRepository::new();
    let known = messages.clone();
    repository.expect_resolve().once().returning(move |_, named| {
        let find = |about: &MessageRef| {
            known.iter().find(|message| *about == MessageRef::Ours(message.id)).cloned()
        };
        Ok(named.iter().map(find).collect())
    });
    let mut jobs = MockJobs::new();
    jobs.expect_find().never();
    let confirmed = |step: &Step| step.message().delivery.delivered_at() == Some(NOW);
    jobs.expect_record().times(100).withf(confirmed).returning(|_| Ok(Recorded::Done));

    let received = Received { reports, ..Received::default() };
    let callbacks = callbacks(Ok(received), jobs, repository);
    callbacks.receive("first", &callback()).await.unwrap();
}

#[tokio::test]
async fn a_report_is_sanitized_and_its_time_bounded() {
    let message = sent_by("first");
    let failure = Failure::new(FailureCode::Undelivered, "a\0b").with_vendor_code("x".repeat(300));
    let rejected = |at| DeliveryEvent::Rejected { at, failure: failure.clone() };
    for (at, held) in [(DateTime::<Utc>::MAX_UTC, NOW), (DateTime::<Utc>::MIN_UTC, NOW)] {
        let about = MessageRef::Vendors("ref-1\0".into());
        let reports = vec![VendorReport { about, event: rejected(at) }];
        let mut repository = MockCallbackRepository::new();
        let found = message.clone();
        let resolve = repository.expect_resolve().once();
        resolve
            .withf(|_, named| named == [MessageRef::Vendors(REFERENCE.into())])
            .returning(move |_, _| Ok(vec![Some(found.clone())]));
        let mut jobs = MockJobs::new();
        let written = move |step: &Step| {
            let failure = step.message().delivery.failure().unwrap();
            step.message().delivery.failed_at() == Some(held)
                && failure.message == "ab"
                && failure.vendor_code.as_deref() == Some("x".repeat(255).as_str())
        };
        jobs.expect_record().once().withf(written).returning(|_| Ok(Recorded::Done));

        let received = Received { reports, ..Received::default() };
        callbacks(Ok(received), jobs, repository).receive("first", &callback()).await.unwrap();
    }
}

fn writers() -> [Id<Organization>; 2] {
    [tenant(), "018bcfe5-6800-7000-8000-000000000002".parse().unwrap()]
}

fn expecting_inbound() -> MockCallbackRepository {
    let mut repository = MockCallbackRepository::new();
    let note = repository.expect_note_inbound().once();
    note.with(eq("first"), always()).returning(|_, _| Ok(()));
    let asked = repository.expect_senders_to().with(eq("first"), eq(writer()));
    asked.returning(|_, _| Ok(writers().to_vec()));
    repository
}

fn opt_out(organization: Id<Organization>, source: SuppressionSource) -> OptOut {
    OptOut { organization, channel: Channel::Sms, address: writer(), source, at: NOW }
}

#[tokio::test]
async fn stop_suppresses_the_recipient_for_all_senders() {
    let mut repository = expecting_inbound();
    for organization in writers() {
        let suppress = repository.expect_suppress().once();
        suppress.with(eq(opt_out(organization, SuppressionSource::Stop))).returning(|_| Ok(()));
    }

    let callbacks = callbacks(Ok(inbound("Stop.")), MockJobs::new(), repository);
    callbacks.receive("first", &callback()).await.unwrap();
}

#[tokio::test]
async fn start_lifts_the_suppression_for_all_senders() {
    let mut repository = expecting_inbound();
    for organization in writers() {
        let lift = repository.expect_unsuppress().once();
        lift.with(eq(organization), eq(Channel::Sms), eq(writer())).returning(|_, _, _| Ok(()));
    }

    let callbacks = callbacks(Ok(inbound("START")), MockJobs::new(), repository);
    callbacks.receive("first", &callback()).await.unwrap();
}

#[tokio::test]
async fn a_text_is_never_newer_than_now_nor_older_than_a_week() {
    for (at, noted) in [
        (NOW + TimeDelta::days(30), NOW),
        (DateTime::<Utc>::MIN_UTC, NOW - TimeDelta::days(7)),
        (NOW - TimeDelta::hours(1), NOW - TimeDelta::hours(1)),
    ] {
        let mut repository = MockCallbackRepository::new();
        let note = repository.expect_note_inbound().once();
        note.withf(move |_, inbound| inbound.at == noted).returning(|_, _| Ok(()));
        let mut received = inbound("hello");
        received.inbound[0].at = at;

        let callbacks = callbacks(Ok(received), MockJobs::new(), repository);
        callbacks.receive("first", &callback()).await.unwrap();
    }
}
