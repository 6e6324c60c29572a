//! The states of providers, and the instances that learn them.

use domain::{
    messaging::{
        delivery::FailureCode,
        outcome::{FollowUp, Outcome},
    },
    providers::{
        breaker::Breaker,
        provider_state::{ProviderState, ReportCounts},
    },
    shared::{category::Category, channel::Channel},
};
use mockall::predicate::eq;
use ports::{
    providers::provider::{HealthEventKind, ReportStats},
    shared::{
        changes::Changes,
        mock::{MockChangeBroadcast, MockMessagingProvider, MockProviderRegistry},
        nobody::Nobody,
        signals::{Change, ChangeBroadcast},
    },
};

use super::*;
use crate::shared::{
    change_follower::FollowedCache,
    fixtures::{
        NOW, accepted, away, broadcast_of, failure, not_accepted, provider, queued, unknown,
    },
};

const REST: TimeDelta = TimeDelta::seconds(3);

fn providers(registry: MockProviderRegistry) -> Providers {
    providers_broadcasting(registry, Arc::new(Nobody))
}

fn providers_broadcasting(
    registry: MockProviderRegistry,
    change_broadcaster: Arc<dyn ChangeBroadcast>,
) -> Providers {
    let configured = |name: &str, priority| ConfiguredProvider {
        provider: provider(name, priority, TimeDelta::minutes(10)),
        adapter: Arc::new(MockMessagingProvider::new()),
    };
    let configured = vec![configured("first", 1), configured("second", 2)];
    let sharing = SharedStates { registry: Arc::new(registry), change_broadcaster };
    Providers::new(configured, Arc::new(MockMessagingProvider::new()), Some(sharing))
}

fn route(providers: &Providers, category: Category, now: DateTime<Utc>) -> Vec<(String, bool)> {
    let message = queued(category);
    assert_eq!(message.draft.channel, Channel::Sms);
    let route = providers.route(&message, now);
    route.iter().map(|step| (step.provider.to_owned(), step.is_probe)).collect()
}

fn call(name: &str) -> RouteStep<'_> {
    RouteStep { provider: name, is_probe: false }
}

fn probe(name: &str) -> RouteStep<'_> {
    RouteStep { provider: name, is_probe: true }
}

fn open() -> Breaker {
    Breaker::Open { until: NOW + REST, times: 1 }
}

fn empty_account() -> Outcome {
    let failure = failure(FailureCode::ProviderBalance);
    Outcome::NotAccepted { failure, retry_after: None }
}

/// Expects one record of `breaker` as the breaker of `first`, with `reason`.
fn expect_record(registry: &mut MockProviderRegistry, breaker: Breaker, reason: &'static str) {
    let note = registry.expect_note_breaker().once();
    note.withf(move |name, state, event| {
        (name, state.breaker) == ("first", breaker)
            && (event.kind, event.status.as_str()) == (HealthEventKind::Breaker, breaker.as_str())
            && (event.message.as_str(), event.at) == (reason, NOW)
    })
    .returning(|_, _, _| Ok(()));
}

#[tokio::test]
async fn an_opening_breaker_is_recorded_once_and_broadcast() {
    let mut registry = MockProviderRegistry::new();
    expect_record(&mut registry, open(), "PROVIDER_UNAVAILABLE: it says no");
    let providers = providers_broadcasting(registry, broadcast_of(Change::Providers));

    for _ in 0..4 {
        providers.states().on_outcome(call("first"), &not_accepted(), NOW).await;
    }
    assert!(providers.states().of("first").is_open_to_all());
    // The fifth, and those that were under way when it opened.
    for outcome in [not_accepted(), not_accepted(), unknown(), accepted(FollowUp::Report)] {
        providers.states().on_outcome(call("first"), &outcome, NOW).await;
    }

    assert_eq!(providers.states().of("first").breaker, open());
    assert_eq!(route(&providers, Category::Otp, NOW), [("second".into(), false)]);
}

#[tokio::test]
async fn outcomes_that_open_no_breaker_are_not_recorded() {
    let providers = providers(MockProviderRegistry::new());
    for outcome in [
        accepted(FollowUp::Report),
        not_accepted(),
        Outcome::Rejected(failure(FailureCode::InvalidRecipient)),
    ] {
        providers.states().on_outcome(call("first"), &outcome, NOW).await;
    }

    assert!(providers.states().of("first").breaker.is_closed());
}

#[tokio::test]
async fn a_breaker_opens_while_the_registry_is_unavailable() {
    let mut registry = MockProviderRegistry::new();
    registry.expect_note_breaker().once().returning(|_, _, _| Err(away()));
    // Nothing is broadcast.
    let others = Arc::new(MockChangeBroadcast::new());
    let providers = providers_broadcasting(registry, others);

    providers.states().on_outcome(call("first"), &empty_account(), NOW).await;

    assert!(!providers.states().of("first").is_open_to_all());
}

#[tokio::test]
async fn only_an_ordinary_message_probes_while_another_provider_works() {
    let mut registry = MockProviderRegistry::new();
    expect_record(&mut registry, open(), "PROVIDER_BALANCE: it says no");
    let providers = providers(registry);
    providers.states().on_outcome(call("first"), &empty_account(), NOW).await;
    let only_the_other = vec![("second".to_owned(), false)];
    let both = vec![("first".to_owned(), true), ("second".to_owned(), false)];

    for category in [Category::Transactional, Category::Otp] {
        assert_eq!(route(&providers, category, NOW), only_the_other);
    }
    let later = NOW + REST;
    assert_eq!(route(&providers, Category::Otp, later), only_the_other);
    assert_eq!(route(&providers, Category::Transactional, later), both);
}

#[tokio::test]
async fn one_message_at_a_time_probes_and_closes_the_breaker() {
    let mut registry = MockProviderRegistry::new();
    expect_record(&mut registry, open(), "PROVIDER_BALANCE: it says no");
    registry.expect_begin_probe().once().returning(|_, _, _| Ok(true));
    expect_record(&mut registry, Breaker::CLOSED, "it takes messages");
    let providers = providers(registry);
    let states = providers.states();
    states.on_outcome(call("first"), &empty_account(), NOW).await;

    assert!(!states.begin_probe("first", NOW).await, "it rests");
    assert!(states.begin_probe("first", NOW + REST).await);
    assert!(!states.begin_probe("first", NOW + REST).await, "another message has it");
    states.on_outcome(call("first"), &not_accepted(), NOW).await;
    states.on_outcome(call("first"), &accepted(FollowUp::Report), NOW).await;
    assert!(!states.of("first").is_open_to_all(), "those began before it opened");
    states.on_outcome(probe("first"), &accepted(FollowUp::Report), NOW).await;

    assert!(states.of("first").is_open_to_all());
    assert!(!states.begin_probe("first", NOW + REST).await, "nothing is left to probe");
}

#[tokio::test]
async fn a_probe_of_another_instance_is_not_taken() {
    let mut registry = MockProviderRegistry::new();
    registry.expect_note_breaker().returning(|_, _, _| Ok(()));
    registry.expect_begin_probe().once().returning(|_, _, _| Ok(false));
    let providers = providers(registry);
    providers.states().on_outcome(call("first"), &empty_account(), NOW).await;

    assert!(!providers.states().begin_probe("first", NOW + REST).await);
}

#[tokio::test]
async fn shared_breakers_are_adopted_and_own_failures_stay() {
    let theirs = ProviderState { breaker: open(), demotion: 2 };
    let mut answers = vec![Vec::new(), vec![("first".to_owned(), theirs)], Vec::new()];
    let mut registry = MockProviderRegistry::new();
    registry.expect_states().times(3).returning(move || Ok(answers.pop().unwrap()));
    let providers = providers(registry);
    let states = providers.states();
    states.on_outcome(call("first"), &not_accepted(), NOW).await;
    states.on_outcome(call("second"), &not_accepted(), NOW).await;
    let once = ProviderState { breaker: Breaker::Closed { recent: 1 }, demotion: 0 };

    states.refresh(NOW).await.unwrap();
    assert_eq!((states.of("first"), states.of("second")), (once, once));
    states.refresh(NOW).await.unwrap();
    assert_eq!((states.of("first"), states.of("second")), (theirs, once));
    states.refresh(NOW).await.unwrap();
    assert_eq!(states.of("first"), ProviderState::default(), "another instance closed it");
}

#[tokio::test]
async fn a_recent_observation_overrides_the_shared_state() {
    let mut registry = MockProviderRegistry::new();
    registry.expect_note_breaker().returning(|_, _, _| Ok(()));
    registry.expect_states().returning(|| Ok(Vec::new()));
    let providers = providers(registry);
    let states = providers.states();
    states.on_outcome(call("first"), &empty_account(), NOW).await;

    states.refresh(NOW + TimeDelta::seconds(1)).await.unwrap();
    assert_eq!(states.of("first").breaker, open(), "the others have not learned it yet");
    states.refresh(NOW + TimeDelta::seconds(3)).await.unwrap();
    assert_eq!(states.of("first").breaker, Breaker::CLOSED, "somebody closed it");
}

#[tokio::test]
async fn the_shared_state_that_was_read_last_applies_without_another_read() {
    let mut registry = MockProviderRegistry::new();
    registry.expect_note_breaker().returning(|_, _, _| Ok(()));
    let providers = Arc::new(providers(registry));
    providers.states().on_outcome(call("first"), &empty_account(), NOW).await;
    let mut others = MockProviderRegistry::new();
    others.expect_states().once().returning(|| Ok(Vec::new()));
    let followed = FollowedStates::new(Arc::clone(&providers), Arc::new(others));

    for (seconds, changes, expected) in [
        (1, Changes::Unknown, open()),
        (2, Changes::Known(Vec::new()), open()),
        (3, Changes::Known(Vec::new()), Breaker::CLOSED),
    ] {
        followed.apply(&changes, NOW + TimeDelta::seconds(seconds)).await.unwrap();
        assert_eq!(providers.states().of("first").breaker, expected, "{seconds}");
    }
}

#[tokio::test]
async fn only_a_provider_without_reports_is_demoted() {
    let stats = |name: &str, unreported| ReportStats {
        name: name.into(),
        demotion: 0,
        recent: ReportCounts { taken: 100, unreported },
        normal: ReportCounts { taken: 1_000, unreported: 50 },
    };
    let mut registry = MockProviderRegistry::new();
    let all = vec![stats("first", 60), stats("second", 7)];
    registry.expect_report_stats().with(eq(NOW)).return_once(|_| Ok(all));
    let demote = registry.expect_demote().once();
    demote
        .withf(|name, demotion, pause, event| {
            (name, demotion.to, *pause) == ("first", 1, TimeDelta::seconds(50))
                && (event.kind, event.status.as_str()) == (HealthEventKind::Demotion, "1")
                && event.message == demotion.reason
                && event.message.starts_with("60 % of 100 messages")
        })
        .returning(|_, _, _, _| Ok(()));

    providers(registry).states().judge(NOW).await.unwrap();
}
