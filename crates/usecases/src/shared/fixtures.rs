//! Fixtures for tests of several areas.

pub(crate) mod notices;

use std::sync::{Arc, Mutex};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    content::sender_name::SenderRule,
    identity::{
        actor::RequestId,
        caller::{Administrator, Caller, Identity},
        organization::{Organization, Profile, Role, Settings},
        traffic::TrafficRules,
        user::User,
    },
    messaging::{
        delivery::{Delivery, Failure, FailureCode},
        job::{Job, Lease},
        message::{Message, MessageRequest, Terms},
        outcome::{FollowUp, Outcome},
        priority::{Origin, ProviderQueue},
    },
    money::pricing::{PriceList, PricingRule},
    providers::provider::{Provider, Route, WithoutReport},
    shared::{
        category::Category, channel::Channel, id::Id, money::Money, trace::TraceHead,
        webhook_event::WebhookEvents,
    },
};
use mockall::predicate::eq;
use ports::{
    messaging::messages::{Jobs, Receipt, Submission},
    shared::{
        clock::Clock,
        mock::{
            MockChangeBroadcast, MockClock, MockDeliveryLogRepository, MockIntake, MockJobs,
            MockMessagingProvider, MockOrganizationRepository, MockPricingRepository, MockRandom,
            MockSenderNameRepository, MockTemplateRepository, MockTrafficRulesRepository,
            MockWebhookSubscriptions,
        },
        nobody::Nobody,
        signals::Change,
        store::StoreError,
        traces::Tracer,
    },
};

use crate::{
    identity::policies::{Policies, PolicySources},
    messaging::{
        deliveries::{Deliveries, DeliveriesDeps},
        messages::{Messages, MessagesDeps},
    },
    money::prices::Prices,
    providers::provider_registry::{ConfiguredProvider, Providers},
    shared::limits::Limits,
};

pub(crate) const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);
/// Price of a segment.
pub(crate) const PRICE: Money = Money::from_micros(35_000);
/// Bytes that [`random`] returns.
pub(crate) const SECRET: [u8; 32] = [7; 32];

/// Broadcast that expects that change once and no other.
pub(crate) fn broadcast_of(change: Change) -> Arc<MockChangeBroadcast> {
    let mut others = MockChangeBroadcast::new();
    others.expect_broadcast().once().with(eq(change)).return_const(());
    Arc::new(others)
}

pub(crate) fn clock() -> Arc<MockClock> {
    Arc::new(MockClock::at(NOW))
}

/// Clock that shows the time in the cell.
pub(crate) fn manual_clock() -> (Arc<MockClock>, Arc<Mutex<DateTime<Utc>>>) {
    let clock_time = Arc::new(Mutex::new(NOW));
    let mut clock = MockClock::new();
    let shown = Arc::clone(&clock_time);
    clock.expect_now().returning(move || *shown.lock().unwrap());
    (Arc::new(clock), clock_time)
}

pub(crate) fn random() -> Arc<MockRandom> {
    let mut random = MockRandom::new();
    random.expect_secret().return_const(SECRET);
    random.expect_fraction().return_const(500_u16);
    Arc::new(random)
}

pub(crate) fn away() -> StoreError {
    StoreError::Unavailable("the line is dead".into())
}

pub(crate) fn tenant() -> Id<Organization> {
    "018bcfe5-6800-7000-8000-000000000001".parse().unwrap()
}

pub(crate) fn member(role: Role) -> Caller {
    caller(Identity::Member { user: Id::new(NOW), role })
}

/// User without a role on the platform.
pub(crate) fn user() -> User {
    User {
        id: "018bcfe5-6800-7000-8000-000000000003".parse().unwrap(),
        email: "ama@example.com".into(),
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        password_hash: "hash of it".into(),
        platform_role: None,
        session_version: 1,
        email_verified_at: None,
        second_factor_at: None,
        created_at: NOW,
    }
}

/// Platform administrator.
pub(crate) fn administrator() -> Administrator {
    let id = "018bcfe5-6800-7000-8000-000000000009".parse().unwrap();
    Administrator { id, request: RequestId::new("request-1") }
}

pub(crate) fn program(scopes: &[&str], is_sandbox: bool) -> Caller {
    let scopes = scopes.iter().map(ToString::to_string).collect();
    let key = Id::new_in(NOW, tenant());
    caller(Identity::ApiKey { key, scopes, is_sandbox, creator: None, opened_by: None })
}

fn caller(identity: Identity) -> Caller {
    let (policy, trace) = (Arc::default(), TraceHead::default());
    Caller { organization: tenant(), identity, policy, trace }
}

/// Repository that finds every organization.
pub(crate) fn organizations() -> MockOrganizationRepository {
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_find().returning(|id| {
        let (profile, settings) = (Profile::default(), Settings::default());
        Ok(Some(Organization { id, name: "Kente".into(), profile, settings, created_at: NOW }))
    });
    organizations
}

/// Policies of these organizations, which may use any sender name.
pub(crate) fn policies(organizations: Arc<MockOrganizationRepository>) -> Policies {
    let sender_names = Arc::new(MockSenderNameRepository::new());
    let sources = PolicySources {
        organizations,
        sender_names,
        subscriptions: subscriptions(),
        traffic: traffic(),
    };
    Policies::new(sources, SenderRule::Open, clock(), Arc::new(Nobody))
}

/// Traffic rules without restrictions.
pub(crate) fn traffic() -> Arc<MockTrafficRulesRepository> {
    let mut traffic = MockTrafficRulesRepository::new();
    traffic.expect_rules().returning(|_| Ok(TrafficRules::default()));
    Arc::new(traffic)
}

/// Subscriptions to no event.
pub(crate) fn subscriptions() -> Arc<MockWebhookSubscriptions> {
    let mut subscriptions = MockWebhookSubscriptions::new();
    subscriptions.expect_subscribed_events().returning(|_| Ok(WebhookEvents::default()));
    Arc::new(subscriptions)
}

/// Organizations among which these are suspended.
pub(crate) fn organizations_suspended(
    suspended: &[Id<Organization>],
) -> MockOrganizationRepository {
    let suspended = suspended.to_vec();
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_suspended().returning(move || Ok(suspended.clone()));
    organizations
}

/// Request for an SMS of one segment.
pub(crate) fn sms(to: &str) -> MessageRequest {
    MessageRequest {
        channel: Some(Channel::Sms),
        to: Some(to.into()),
        body: Some("Akwaaba".into()),
        ..MessageRequest::default()
    }
}

/// Message that was just accepted.
pub(crate) fn queued(category: Category) -> Message {
    let composition = MessageRequest { category: Some(category), ..sms("0241234567") };
    let draft = composition.draft(None).unwrap();
    let terms = Terms { cost: PRICE, refusal: None, is_sandbox: false, is_confidential: false };
    Message::queue(tenant(), draft, Origin::Single, terms, NOW)
}

/// Ordinary message in that state, sent by the provider of that name.
pub(crate) fn with(provider: &str, delivery: Delivery) -> Message {
    Message { provider: Some(provider.into()), delivery, ..queued(Category::Transactional) }
}

pub(crate) fn job(message: Message, rounds: u8) -> Job {
    let (lease, provider_queue) =
        (Lease(Id::<Job>::new_in(NOW, tenant()).uuid()), ProviderQueue::FREE);
    Job { message, lease, rounds, provider_queue, is_scored: false }
}

pub(crate) fn failure(code: FailureCode) -> Failure {
    Failure::new(code, "it says no")
}

pub(crate) fn accepted(follow_up: FollowUp) -> Outcome {
    Outcome::Accepted { reference: Some("ref-1".into()), follow_up }
}

pub(crate) fn not_accepted() -> Outcome {
    let failure = failure(FailureCode::ProviderUnavailable);
    Outcome::NotAccepted { failure, retry_after: None }
}

pub(crate) fn unknown() -> Outcome {
    Outcome::Unknown(failure(FailureCode::UnknownOutcome))
}

/// Provider of SMS to Ghana.
pub(crate) fn provider(name: &str, priority: u16, report_timeout: TimeDelta) -> Provider {
    let country = Some("GH".parse().unwrap());
    let routes = vec![Route { country, priority }];
    Provider {
        name: name.into(),
        kind: "simulated",
        channel: Channel::Sms,
        routes,
        report_timeout,
        without_report: WithoutReport::default(),
    }
}

/// [`PRICE`] for every SMS.
pub(crate) fn price_list() -> PriceList {
    let rule = PricingRule {
        id: Id::new(NOW),
        organization: None,
        channel: Channel::Sms,
        country: None,
        unit_price: PRICE,
    };
    PriceList::new(0, [rule])
}

pub(crate) fn prices(list: PriceList) -> Prices {
    let mut repository = MockPricingRepository::new();
    repository.expect_price_list().return_once(|| Ok(list));
    Prices::new(Arc::new(repository), clock(), Arc::new(Nobody))
}

/// Dependencies of deliveries that screen, hold back and publish nothing.
pub(crate) fn delivering(
    jobs: Arc<dyn Jobs>,
    providers: Arc<Providers>,
    clock: Arc<dyn Clock>,
) -> DeliveriesDeps {
    DeliveriesDeps {
        jobs,
        own_leases: Arc::new(Nobody),
        providers,
        recipients: None,
        policies: None,
        holding: None,
        publisher: None,
        clock,
        random: random(),
        tracer: Tracer::default(),
    }
}

/// Messages with this intake and this provider.
pub(crate) fn messages(intake: MockIntake, provider: Provider) -> Messages {
    Messages::new(sending(intake, provider))
}

/// Dependencies of messages with this intake and this provider, which refuse none.
pub(crate) fn sending(intake: MockIntake, provider: Provider) -> MessagesDeps {
    let carrier = ConfiguredProvider { provider, adapter: Arc::new(MockMessagingProvider::new()) };
    let sandbox = Arc::new(MockMessagingProvider::new());
    let providers = Arc::new(Providers::new(vec![carrier], sandbox, None));
    let jobs = Arc::new(MockJobs::new());
    MessagesDeps {
        templates: Arc::new(MockTemplateRepository::new()),
        delivery_logs: Arc::new(MockDeliveryLogRepository::new()),
        intake: Arc::new(intake),
        prices: prices(price_list()),
        deliveries: Deliveries::new(delivering(jobs, Arc::clone(&providers), clock())),
        providers,
        clock: clock(),
        limits: Limits::off(),
        fraud_guard: None,
        tracer: Tracer::default(),
    }
}

/// Intake that accepts everything, and its submissions.
pub(crate) fn open_intake() -> (MockIntake, Arc<Mutex<Vec<Submission>>>) {
    let submissions = Arc::new(Mutex::new(Vec::new()));
    let mut intake = MockIntake::new();
    let kept = Arc::clone(&submissions);
    intake.expect_accept().returning(move |submission: Submission| {
        kept.lock().unwrap().push(submission.clone());
        let jobs = submission.messages.into_iter().map(|message| job(message, 0));
        Ok(Receipt::Accepted(jobs.collect()))
    });
    (intake, submissions)
}
