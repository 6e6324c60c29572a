//! The rules of messages.

mod bounds;
mod idempotency;

use std::sync::Mutex;

use chrono::TimeDelta;
use domain::{
    identity::organization::{PLATFORM, Role},
    messaging::{
        delivery::{Delivery, FailureCode, Status},
        outcome::{FollowUp, Outcome},
        priority::Priority,
    },
    money::{pricing::PriceList, wallet::InsufficientBalance},
    shared::{category::Category, channel::Channel, country::Country, money::Money},
};
use ports::{
    messaging::messages::{IntakeError, Recorded},
    shared::mock::{
        MockDeliveryLogRepository, MockIntake, MockJobs, MockMessagingProvider,
        MockTemplateRepository,
    },
};

use super::*;
use crate::{
    providers::provider_registry::ConfiguredProvider,
    shared::fixtures::{
        NOW, PRICE, accepted, clock, delivering, failure, member, open_intake, price_list, prices,
        program, provider, sms,
    },
    shared::mailer::Mailer,
};

/// Ports that send nothing unless a test configures them. They serve SMS to Ghana.
struct TestPorts {
    intake: MockIntake,
    prices: PriceList,
    live: MockMessagingProvider,
    sandbox: MockMessagingProvider,
}

impl TestPorts {
    fn new(intake: MockIntake) -> Self {
        Self {
            intake,
            prices: price_list(),
            live: MockMessagingProvider::new(),
            sandbox: MockMessagingProvider::new(),
        }
    }

    /// Ports that accept everything, and what was submitted to them.
    fn open() -> (Self, Arc<Mutex<Vec<Submission>>>) {
        let (intake, submissions) = open_intake();
        (Self::new(intake), submissions)
    }

    /// Ports that accept nothing.
    fn closed() -> Self {
        Self::new(MockIntake::new())
    }

    fn answering(receipt: Receipt) -> Self {
        let mut intake = MockIntake::new();
        intake.expect_accept().once().return_once(|_| Ok(receipt));
        Self::new(intake)
    }

    fn failing(error: IntakeError) -> Self {
        let mut intake = MockIntake::new();
        intake.expect_accept().once().return_once(|_| Err(error));
        Self::new(intake)
    }

    fn messages(self) -> Messages {
        let provider = provider("live", 1, TimeDelta::minutes(10));
        let carrier = ConfiguredProvider { provider, adapter: Arc::new(self.live) };
        let providers = Arc::new(Providers::new(vec![carrier], Arc::new(self.sandbox), None));
        let mut jobs = MockJobs::new();
        jobs.expect_record().returning(|_| Ok(Recorded::Done));
        let deliveries =
            Deliveries::new(delivering(Arc::new(jobs), Arc::clone(&providers), clock()));
        Messages::new(MessagesDeps {
            templates: Arc::new(MockTemplateRepository::new()),
            delivery_logs: Arc::new(MockDeliveryLogRepository::new()),
            intake: Arc::new(self.intake),
            prices: prices(self.prices),
            providers,
            deliveries,
            clock: clock(),
            limits: Limits::off(),
            fraud_guard: None,
            tracer: Tracer::default(),
        })
    }
}

fn owner() -> Caller {
    member(Role::Owner)
}

fn send(message: MessageRequest) -> SendMessage {
    SendMessage { message, ..SendMessage::default() }
}

fn send_async(message: MessageRequest) -> SendMessage {
    SendMessage { is_async: true, ..send(message) }
}

fn faults(error: Error) -> Faults {
    let Error::Invalid(faults) = error else { panic!("{error}") };
    faults
}

#[tokio::test]
async fn a_sandbox_message_needs_neither_route_nor_price() {
    let (mut test_ports, _) = TestPorts::open();
    test_ports.prices = PriceList::default();
    test_ports.sandbox.expect_send().once().returning(|_| accepted(FollowUp::Report));
    let program = program(&["messages:send"], true);

    let message =
        test_ports.messages().send(&program, send(sms("+2348031234567"))).await.unwrap().accepted;

    assert_eq!(message.delivery.status(), Status::Sent);
}

#[tokio::test]
async fn a_message_without_price_has_no_route() {
    let (test_ports, _) = TestPorts::open();
    let test_ports = TestPorts { prices: PriceList::default(), ..test_ports };

    let message =
        test_ports.messages().send(&owner(), send(sms("0241234567"))).await.unwrap().accepted;

    assert_eq!(message.delivery.failure().unwrap().code, FailureCode::NoRoute);
    assert_eq!(message.cost, Money::ZERO);
}

#[tokio::test]
async fn a_preview_has_the_price_of_each_message_or_its_faults_and_stores_nothing() {
    let requests = [sms("0241234567"), sms("nobody"), sms("+2348031234567")];

    let previews = TestPorts::closed().messages().preview(&owner(), &requests).await.unwrap();

    let [Ok(sent), Err(faults), Ok(abroad)] = previews.as_slice() else { panic!("{previews:?}") };
    assert_eq!((sent.cost, sent.provider.as_deref()), (PRICE, Some("live")));
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["to"]);
    assert_eq!((abroad.cost, abroad.refusal), (Money::ZERO, Some(FailureCode::NoRoute)));
}

#[tokio::test]
async fn all_faults_are_reported_at_once_and_each_field_once() {
    let message = MessageRequest { body: None, to: None, ..sms("") };
    let mut found = Faults::field("to", "must be a string");
    found.add("async", "must be a boolean");
    let command =
        SendMessage { idempotency_key: Some(String::new()), faults: found, ..send(message) };

    let error = TestPorts::closed().messages().send(&owner(), command).await.unwrap_err();

    let faults = faults(error);
    let fields: Vec<_> = faults.fields.keys().collect();
    assert_eq!(fields, ["async", "body", "idempotencyKey", "to"]);
    assert_eq!(faults.fields["to"], ["must be a string"]);
}

#[tokio::test]
async fn faults_of_a_bulk_request_name_their_items() {
    let mut messages = vec![sms("0241234567"); 5];
    messages[3].to = Some("nobody".into());
    messages[4].channel = None;
    let command = SendBulk {
        messages,
        faults: Faults::field("messages.1.body", "must be a string"),
        ..SendBulk::default()
    };

    let error = TestPorts::closed().messages().send_bulk(&owner(), command).await.unwrap_err();

    let faults = faults(error);
    let fields: Vec<_> = faults.fields.keys().collect();
    assert_eq!(fields, ["messages.1.body", "messages.3.to", "messages.4.channel"]);
}

#[tokio::test]
async fn the_outcomes_of_a_bulk_request_keep_its_order() {
    let (mut test_ports, submissions) = TestPorts::open();
    test_ports.live.expect_send().times(2).returning(|message| match message.draft.body.as_str() {
        "bad" => Outcome::Rejected(failure(FailureCode::BlockedContent)),
        _ => accepted(FollowUp::Nothing),
    });
    let bad = MessageRequest { body: Some("bad".into()), ..sms("0241234567") };
    let command = SendBulk { messages: vec![bad, sms("0241234568")], ..SendBulk::default() };

    let messages = test_ports.messages().send_bulk(&owner(), command).await.unwrap().accepted;

    let statuses: Vec<_> = messages.iter().map(|message| message.delivery.status()).collect();
    assert_eq!(statuses, [Status::Failed, Status::Sent]);
    assert_eq!(submissions.lock().unwrap().len(), 1, "all are accepted together");
    assert_eq!(messages[0].priority, Priority::Bulk);
}

#[tokio::test]
async fn a_caller_without_permission_is_refused_first() {
    let nothing = || send(MessageRequest::default());
    let viewer = member(Role::Viewer);
    let error = TestPorts::closed().messages().send(&viewer, nothing()).await.unwrap_err();
    assert_eq!(error.code(), "FORBIDDEN", "{error}");

    let reader = program(&["messages:read"], false);
    let error = TestPorts::closed().messages().send(&reader, nothing()).await.unwrap_err();
    let scope = error.reason().and_then(|reason| reason.details.first());
    assert_eq!(scope, Some(&("scope", "messages:send".to_owned())), "{error}");

    let bulk = SendBulk::default();
    let error = TestPorts::closed().messages().send_bulk(&reader, bulk).await.unwrap_err();
    let scope = error.reason().and_then(|reason| reason.details.first());
    assert_eq!(scope, Some(&("scope", "messages:send".to_owned())), "{error}");
}

#[tokio::test]
async fn messages_refused_by_the_intake_are_not_delivered() {
    let short = InsufficientBalance { required: PRICE, balance: Money::ZERO };
    let messages = TestPorts::failing(short.into()).messages();
    let error = messages.send(&owner(), send(sms("0241234567"))).await.unwrap_err();
    assert!(matches!(error, Error::InsufficientBalance(it) if it == short), "{error}");

    let messages = TestPorts::failing(IntakeError::Overloaded).messages();
    let error = messages.send(&owner(), send(sms("0241234567"))).await.unwrap_err();
    assert!(matches!(error, Error::Overloaded), "{error}");
}

#[tokio::test]
async fn the_services_own_mail_is_free_urgent_and_confidential() {
    let (test_ports, submissions) = TestPorts::open();

    let body = "The token is 4711".to_owned();
    test_ports.messages().send_service_mail("ama@example.com", "Your token", body).await.unwrap();

    let submissions = submissions.lock().unwrap();
    let message = &submissions[0].messages[0];
    assert_eq!(submissions[0].organization, PLATFORM);
    assert_eq!(submissions[0].first_worker, FirstWorker::Workers);
    assert_eq!((message.cost, message.priority), (Money::ZERO, Priority::Otp));
    assert!(message.is_confidential);
}

#[tokio::test]
async fn a_notice_is_not_urgent_and_sent_once_per_key() {
    let (test_ports, submissions) = TestPorts::open();

    let messages = test_ports.messages();
    let notice = messages.send_service_notice(
        "ama@example.com",
        "Approved",
        "It can be used".to_owned(),
        "approval-1".to_owned(),
    );
    notice.await.unwrap();

    let submissions = submissions.lock().unwrap();
    assert_eq!(submissions[0].messages[0].draft.category, Category::Transactional);
    assert_eq!(submissions[0].idempotency.as_ref().unwrap().key, "approval-1");
}
