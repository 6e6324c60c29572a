//! What callbacks may do, and what they may not.

mod sweep;
mod texts;

use chrono::TimeDelta;
use domain::{
    address::Address,
    callback::{CallbackMethod, Received},
    channel::Channel,
    delivery::{Delivery, DeliveryEvent},
    id::Id,
    job::Step,
    message::Message,
    organization::Organization,
    provider::Attempt,
};
use mockall::predicate::{always, eq};
use ports::{
    messages::Recorded,
    mock::{MockCallbackRepository, MockJobs, MockMessagingProvider},
};

use super::*;
use crate::{
    fixtures::{NOW, clock, provider, random, tenant, with},
    providers::Carrier,
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

/// The callbacks of a provider `first`, whose vendor says that.
fn callbacks(
    said: Result<Received, CallbackRefused>,
    jobs: MockJobs,
    repository: MockCallbackRepository,
) -> Callbacks {
    let mut adapter = MockMessagingProvider::new();
    adapter.expect_receive().return_const(said);
    adapter.expect_read_out().returning(|text| CallbackAnswer::Text("text/plain", text.into()));
    let carrier = Carrier {
        provider: provider("first", 1, TimeDelta::minutes(10)),
        adapter: Arc::new(adapter),
    };
    let providers = Arc::new(Providers::new(vec![carrier], Arc::new(MockMessagingProvider::new())));
    let jobs: Arc<dyn Jobs> = Arc::new(jobs);
    let deliveries = Deliveries::new(Arc::clone(&jobs), Arc::clone(&providers), clock(), random());
    Callbacks::new(providers, deliveries, jobs, Arc::new(repository), clock())
}

fn confirmed() -> DeliveryEvent {
    DeliveryEvent::Confirmed { at: NOW }
}

fn report(about: About) -> Received {
    let reports = vec![VendorReport { about, event: confirmed() }];
    Received { reports, ..Received::default() }
}

fn by_reference() -> Received {
    report(About::Vendors(REFERENCE.into()))
}

fn inbound(text: &str) -> Received {
    let inbound = Inbound { channel: Channel::Sms, from: writer(), text: text.into(), at: NOW };
    Received { inbound: vec![inbound], ..Received::default() }
}

fn writer() -> Address {
    Address::stored("+233241234567".into())
}

/// A message that was handed to the provider of that name.
fn sent_by(name: &str) -> Message {
    let attempts = vec![Attempt::start(name, NOW)];
    Message { attempts, ..with(name, Delivery::Sent { at: NOW }) }
}

/// A store of that message, to which that many reports are applied.
fn jobs(message: &Message, applied: usize) -> MockJobs {
    let mut jobs = MockJobs::new();
    let found = message.clone();
    jobs.expect_find().with(eq(message.id)).returning(move |_| Ok(Some(found.clone())));
    let id = message.id;
    let record = jobs.expect_record().times(applied);
    let is_expected = move |step: &Step| {
        let delivered = Delivery::Delivered { sent_at: Some(NOW), at: NOW };
        step.message.id == id && step.message.delivery == delivered
    };
    record.withf(is_expected).returning(|_| Ok(Recorded::Done));
    jobs
}

#[tokio::test]
async fn nothing_is_believed_that_is_not_the_vendors() {
    for (refused, is_expected) in [
        (
            CallbackRefused::Unauthorized,
            (|it| matches!(it, Error::InvalidSignature)) as fn(&_) -> _,
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
async fn nobody_calls_back_for_the_sandbox_or_for_a_provider_that_is_not_declared() {
    for name in ["sandbox", "second", ""] {
        let callbacks =
            callbacks(Ok(by_reference()), MockJobs::new(), MockCallbackRepository::new());

        let error = callbacks.receive(name, &callback()).await.unwrap_err();

        assert!(matches!(error, Error::NotFound("provider")), "{error:?}");
    }
}

#[tokio::test]
async fn a_report_is_applied_by_either_name_of_its_message() {
    let message = sent_by("first");
    let id = message.id;
    for received in [by_reference(), report(About::Ours(id))] {
        let mut repository = MockCallbackRepository::new();
        let find = repository.expect_find_message().with(eq("first"), eq(REFERENCE));
        find.returning(move |_, _| Ok(Some(id)));
        let callbacks = callbacks(Ok(received), jobs(&message, 1), repository);

        let answer = callbacks.receive("first", &callback()).await.unwrap();

        assert_eq!(answer, CallbackAnswer::Acknowledged);
    }
}

#[tokio::test]
async fn a_report_on_a_message_that_nobody_knows_is_kept() {
    let mut repository = MockCallbackRepository::new();
    repository.expect_find_message().returning(|_, _| Ok(None));
    let about = About::Vendors(REFERENCE.into());
    let keep = repository.expect_keep_unmatched().once();
    keep.with(eq("first"), eq(about), eq(confirmed()), eq(NOW)).returning(|_, _, _, _| Ok(()));

    let callbacks = callbacks(Ok(by_reference()), MockJobs::new(), repository);
    callbacks.receive("first", &callback()).await.unwrap();
}

#[tokio::test]
async fn a_report_on_the_message_of_another_provider_is_kept_and_not_applied() {
    let message = sent_by("second");
    let about = About::Ours(message.id);
    let mut repository = MockCallbackRepository::new();
    let keep = repository.expect_keep_unmatched().once();
    let kept = keep.with(eq("first"), eq(about.clone()), eq(confirmed()), eq(NOW));
    kept.returning(|_, _, _, _| Ok(()));

    let callbacks = callbacks(Ok(report(about)), jobs(&message, 0), repository);
    callbacks.receive("first", &callback()).await.unwrap();
}

fn writers() -> [Id<Organization>; 2] {
    [tenant(), "018bcfe5-6800-7000-8000-000000000002".parse().unwrap()]
}

fn heard() -> MockCallbackRepository {
    let mut repository = MockCallbackRepository::new();
    let note = repository.expect_note_inbound().once();
    note.with(eq("first"), always()).returning(|_, _| Ok(()));
    let asked = repository.expect_writers_to().with(eq("first"), eq(writer()));
    asked.returning(|_, _| Ok(writers().to_vec()));
    repository
}

#[tokio::test]
async fn stop_suppresses_the_writer_for_everybody_who_wrote_to_them() {
    let mut repository = heard();
    for organization in writers() {
        let suppress = repository.expect_suppress().once();
        suppress
            .with(eq(organization), eq(Channel::Sms), eq(writer()), eq(NOW))
            .returning(|_, _, _, _| Ok(()));
    }

    let callbacks = callbacks(Ok(inbound("Stop.")), MockJobs::new(), repository);
    callbacks.receive("first", &callback()).await.unwrap();
}

#[tokio::test]
async fn start_lifts_that_for_all_of_them() {
    let mut repository = heard();
    for organization in writers() {
        let lift = repository.expect_lift().once();
        lift.with(eq(organization), eq(Channel::Sms), eq(writer())).returning(|_, _, _| Ok(()));
    }

    let callbacks = callbacks(Ok(inbound("START")), MockJobs::new(), repository);
    callbacks.receive("first", &callback()).await.unwrap();
}

#[tokio::test]
async fn any_other_text_opens_a_session_and_nothing_more() {
    let callbacks = callbacks(Ok(inbound("please stop by")), MockJobs::new(), heard());

    callbacks.receive("first", &callback()).await.unwrap();
}
