//! The rules of triggers.

mod known;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Mutex,
};

use chrono::TimeDelta;
use domain::{
    audience::contact::{Contact, ContactRequest},
    content::template::TemplateText,
    identity::organization::{Role, Settings, Suspension},
    messaging::{
        delivery::{FailureCode, Status},
        message::{Message, Source},
        outcome::{FollowUp, Outcome},
    },
    outreach::trigger::{Trigger, TriggerRequest},
    shared::{category::Category, channel::Channel},
};
use ports::{
    messaging::messages::{Advance, IntakeError, Receipt, Recorded, Submission},
    shared::{
        mock::{
            MockContactRepository, MockDeliveryLogRepository, MockEventRepository, MockIntake,
            MockJobs, MockMessagingProvider, MockOrganizationRepository, MockTemplateRepository,
            MockTriggerRepository,
        },
        nobody::Nobody,
        traces::Tracer,
    },
};
use serde_json::json;

use super::*;
use crate::{
    identity::policies::Policies,
    messaging::{deliveries::Deliveries, messages::MessagesDeps},
    providers::provider_registry::{ConfiguredProvider, Providers},
    shared::{
        fixtures::{
            NOW, accepted, clock, delivering, failure, job, member, policies, price_list, prices,
            program, provider, tenant,
        },
        limits::Limits,
    },
};

/// Ports of events.
struct TestPorts {
    events: MockEventRepository,
    triggers: MockTriggerRepository,
    delivery_logs: MockDeliveryLogRepository,
    /// Answers of the intake to the first submissions; it accepts all others.
    answers: VecDeque<Option<IntakeError>>,
}

impl TestPorts {
    /// An event by SMS and then by mail.
    fn new() -> Self {
        let mut events = MockEventRepository::new();
        events
            .expect_find_by_slug()
            .returning(|_, slug| Ok((slug == "parcel").then(|| (event(&["EMAIL"]), vec![text()]))));
        Self {
            events,
            triggers: MockTriggerRepository::new(),
            delivery_logs: MockDeliveryLogRepository::new(),
            answers: VecDeque::new(),
        }
    }

    fn build(self) -> (Events, Arc<Mutex<Vec<Submission>>>) {
        self.build_at(clock())
    }

    fn build_at(self, clock: Arc<dyn Clock>) -> (Events, Arc<Mutex<Vec<Submission>>>) {
        self.build_noting(clock, Arc::default())
    }

    /// Builds the same, and records the first submission in `first`.
    fn build_noting(
        self,
        clock: Arc<dyn Clock>,
        first: Arc<Mutex<Option<Submission>>>,
    ) -> (Events, Arc<Mutex<Vec<Submission>>>) {
        let (intake, submissions) = intake_noting(self.answers, first);
        let delivery_logs = Arc::new(self.delivery_logs);
        let mut contacts = MockContactRepository::new();
        contacts.expect_find().returning(|_, id| Ok((id == ama().id).then(ama)));
        let events = Arc::new(self.events);
        let known = EventCache::new(events.clone(), Arc::clone(&clock), Arc::new(Nobody));
        let messages = messages(intake, delivery_logs.clone());
        let events = Events::new(EventsDeps {
            events,
            triggers: Arc::new(self.triggers),
            templates: Arc::new(MockTemplateRepository::new()),
            contacts: Arc::new(contacts),
            delivery_logs,
            messages,
            known,
            clock,
        });
        (events, submissions)
    }
}

fn intake(answers: VecDeque<Option<IntakeError>>) -> (MockIntake, Arc<Mutex<Vec<Submission>>>) {
    intake_noting(answers, Arc::default())
}

fn intake_noting(
    mut answers: VecDeque<Option<IntakeError>>,
    first: Arc<Mutex<Option<Submission>>>,
) -> (MockIntake, Arc<Mutex<Vec<Submission>>>) {
    let submissions = Arc::new(Mutex::new(Vec::new()));
    let mut intake = MockIntake::new();
    let kept = Arc::clone(&submissions);
    intake.expect_accept().returning(move |submission: Submission| {
        kept.lock().unwrap().push(submission.clone());
        first.lock().unwrap().get_or_insert_with(|| submission.clone());
        match answers.pop_front().flatten() {
            Some(error) => Err(error),
            None => {
                let jobs = submission.messages.into_iter().map(|message| job(message, 0));
                Ok(Receipt::Accepted(jobs.collect()))
            }
        }
    });
    (intake, submissions)
}

/// Sends by a sandbox in which an SMS fails and a mail goes through.
fn messages(intake: MockIntake, delivery_logs: Arc<MockDeliveryLogRepository>) -> Messages {
    let mut sandbox = MockMessagingProvider::new();
    sandbox.expect_send().returning(|message| match message.draft.channel {
        Channel::Sms => Outcome::Rejected(failure(FailureCode::InvalidRecipient)),
        _ => accepted(FollowUp::Report),
    });
    sandbox.expect_can_be_answered().return_const(false);
    sandbox.expect_session_window().return_const(None::<TimeDelta>);
    sandbox.expect_group_limit().return_const(1_usize);
    let live = ConfiguredProvider {
        provider: provider("live", 1, TimeDelta::minutes(10)),
        adapter: Arc::new(MockMessagingProvider::new()),
    };
    let providers = Arc::new(Providers::new(vec![live], Arc::new(sandbox), None));
    let mut jobs = MockJobs::new();
    jobs.expect_record().returning(|_| Ok(Recorded::Done));
    let deliveries = Deliveries::new(delivering(Arc::new(jobs), Arc::clone(&providers), clock()));
    Messages::new(MessagesDeps {
        templates: Arc::new(MockTemplateRepository::new()),
        delivery_logs,
        intake: Arc::new(intake),
        prices: prices(price_list()),
        providers,
        deliveries,
        clock: clock(),
        limits: Limits::off(),
        fraud_guard: None,
        tracer: Tracer::default(),
    })
}

fn event(fallback: &[&str]) -> Event {
    let request = EventRequest {
        name: Some("Parcel".into()),
        slug: Some("parcel".into()),
        template: Some(text().id),
        fallback_rules: Some(json!({ "channels": fallback })),
        ..EventRequest::default()
    };
    request.event(tenant(), &[(text().id, Channel::Sms.into())], NOW).unwrap()
}

fn text() -> TemplateText {
    TemplateText {
        id: "018bcfe5-6800-7000-8000-000000000002".parse().unwrap(),
        channel: Channel::Sms.into(),
        category: Category::Transactional,
        subject: None,
        body: "It is here, {{firstName}}".into(),
        format: None,
        vendor_template: None,
        value_rules: domain::content::template::ValueRules::default(),
        is_approved: true,
    }
}

fn ama() -> Contact {
    let request = ContactRequest {
        first_name: Some("Ama".into()),
        phone: Some("0241234567".into()),
        email: Some("ama@example.com".into()),
        ..ContactRequest::default()
    };
    let id = "018bcfe5-6800-7000-8000-000000000003".parse().unwrap();
    Contact { id, ..request.contact(tenant(), NOW).unwrap() }
}

fn rehearsal() -> Caller {
    program(&["events:trigger"], true)
}

fn to_ama() -> TriggerEvent {
    let trigger = TriggerRequest {
        event: Some("parcel".into()),
        contact: Some(ama().id),
        ..TriggerRequest::default()
    };
    TriggerEvent { trigger, ..TriggerEvent::default() }
}

fn to_phone() -> TriggerEvent {
    let trigger = TriggerRequest {
        event: Some("parcel".into()),
        to: Some("0241234567".into()),
        contact: None,
        variables: BTreeMap::from([("firstName".into(), "Ama".into())]),
        ..TriggerRequest::default()
    };
    TriggerEvent { trigger, is_async: true, ..TriggerEvent::default() }
}

fn statuses(triggered: &Triggered) -> Vec<(Channel, Option<Status>)> {
    triggered.channels.iter().map(|it| (it.channel, it.status)).collect()
}

/// The trigger that was submitted.
fn advanced(submission: &Submission) -> Trigger {
    let Some(Advance::Trigger(trigger)) = &submission.advance else {
        panic!("no trigger moves on with {submission:?}")
    };
    assert_eq!(submission.messages[0].source, Some(Source::Trigger(trigger.id)));
    trigger.clone()
}

#[tokio::test]
async fn a_key_that_only_triggers_does_not_see_the_contact() {
    for (scopes, is_shown) in [
        (&["events:trigger"][..], false),
        (&["events:trigger", "messages:read"], true),
        (&["contacts:read", "events:trigger"], true),
    ] {
        let (events, submissions) = TestPorts::new().build();
        let command = TriggerEvent { is_async: true, ..to_ama() };

        let sent = events.trigger(&program(scopes, true), command).await.unwrap();

        let shown = &sent.accepted.message.draft;
        let submitted = Arc::clone(&submissions.lock().unwrap()[0].messages[0].draft);
        assert_eq!(*shown == submitted, is_shown, "{scopes:?}");
        assert_eq!(shown.recipient.as_str().contains("24123"), is_shown, "{scopes:?}");
    }
}

#[tokio::test]
async fn channels_without_a_route_are_left_out() {
    // Live messages have a route for SMS only.
    let (events, submissions) = TestPorts::new().build();
    let command = TriggerEvent { is_async: true, ..to_ama() };

    let triggered = events.trigger(&member(Role::Owner), command).await.unwrap().accepted;

    assert_eq!(triggered.channels[1].failure, Some(FailureCode::NoRoute));
    assert_eq!(submissions.lock().unwrap()[0].advance, None);
}

#[tokio::test]
async fn an_empty_wallet_ends_the_trigger() {
    let missing = domain::money::wallet::InsufficientBalance {
        required: domain::shared::money::Money::from_micros(1),
        balance: domain::shared::money::Money::ZERO,
    };
    let mut ports = TestPorts::new();
    ports.answers = VecDeque::from([None, Some(IntakeError::InsufficientBalance(missing))]);
    ports.triggers.expect_end().once().returning(|_| Ok(()));
    let (events, _) = ports.build();

    let triggered = events.trigger(&rehearsal(), to_ama()).await.unwrap().accepted;

    assert_eq!(triggered.message.delivery.status(), Status::Failed);
    assert_eq!(
        statuses(&triggered),
        [(Channel::Sms, Some(Status::Failed)), (Channel::Email, None)]
    );
}

#[tokio::test]
async fn an_overtaken_trigger_answers_with_the_other_result() {
    let other: Id<Message> = "018bcfe5-6800-7000-8000-000000000009".parse().unwrap();
    let mut ports = TestPorts::new();
    ports.answers = VecDeque::from([None, Some(IntakeError::Overtaken)]);
    let begun = Arc::new(Mutex::new(None::<Submission>));
    let found = Arc::clone(&begun);
    ports.triggers.expect_find().returning(move |_, _| {
        let begun = found.lock().unwrap().clone();
        Ok(begun.map(|begun| advanced(&begun).going_on_with(other)))
    });
    let found = Arc::clone(&begun);
    ports.delivery_logs.expect_find().returning(move |_, id| {
        let begun = found.lock().unwrap().clone();
        Ok(begun.map(|begun| Message { id, ..begun.messages[0].clone() }))
    });
    let (events, _) = ports.build_noting(clock(), begun);

    let triggered = events.trigger(&rehearsal(), to_ama()).await.unwrap().accepted;

    assert_eq!(triggered.message.id, other);
    assert_eq!(triggered.channels[1].message, Some(other));
}

#[tokio::test]
async fn work_on_a_trigger_submits_its_next_channel() {
    let (events, submissions) = TestPorts::new().build();
    let command = TriggerEvent { is_async: true, ..to_ama() };
    events.trigger(&rehearsal(), command).await.unwrap();
    let begun = advanced(&submissions.lock().unwrap()[0]);
    let (intake, moved) = intake(VecDeque::from([None, Some(IntakeError::Overtaken)]));
    let before = submissions.lock().unwrap()[0].messages[0].clone();
    let mut delivery_logs = MockDeliveryLogRepository::new();
    delivery_logs.expect_find().returning(move |_, id| {
        assert_eq!(id, before.id);
        Ok(Some(before.clone()))
    });
    let messages = messages(intake, Arc::new(delivery_logs));
    let policies = trusting(Settings::default());
    let work = TriggerWork::new(Arc::new(MockTriggerRepository::new()), messages, policies);

    work.go_on(begun.clone()).await.unwrap();
    work.go_on(begun.clone()).await.unwrap();

    let first = moved.lock().unwrap()[0].clone();
    assert_eq!(advanced(&first).tried(), 2);
    assert_eq!(first.messages[0].draft.recipient.as_str(), "ama@example.com");
    assert!(first.messages[0].is_sandbox);
    assert_eq!(first.messages[0].contact, Some(ama().id.uuid().into()));
    let ended = Trigger { left: Vec::new(), ..begun };
    work.go_on(ended).await.unwrap();
    assert_eq!(moved.lock().unwrap().len(), 2);
}

/// The policies of organizations with these settings.
fn trusting(settings: Settings) -> Policies {
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_settings().returning(move |_| Ok(Some(settings.clone())));
    policies(Arc::new(organizations))
}

#[tokio::test]
async fn a_suspended_organization_triggers_nothing_and_its_triggers_end() {
    let (events, submissions) = TestPorts::new().build();
    let command = || TriggerEvent { is_async: true, ..to_ama() };
    events.trigger(&rehearsal(), command()).await.unwrap();
    let begun = advanced(&submissions.lock().unwrap()[0]);
    let suspension = Suspension { at: NOW, reason: "scams".into() };
    let settings = Settings { suspension: Some(suspension), ..Settings::default() };
    let mut triggers = MockTriggerRepository::new();
    triggers.expect_end().once().returning(|_| Ok(()));
    let messages = messages(MockIntake::new(), Arc::new(MockDeliveryLogRepository::new()));
    let work = TriggerWork::new(Arc::new(triggers), messages, trusting(settings.clone()));

    work.go_on(begun).await.unwrap();

    let mut suspended = rehearsal();
    Arc::make_mut(&mut suspended.policy).settings = settings;
    let refused = events.trigger(&suspended, command()).await.unwrap_err();
    assert_eq!(refused.code(), "ORGANIZATION_SUSPENDED");
}
