//! Rules of cached policies.

use chrono::TimeDelta;
use domain::{
    identity::organization::Settings,
    shared::{
        channel::Channel,
        country::Country,
        sender::{ApprovedSender, Sender},
    },
};
use ports::shared::mock::{MockOrganizationRepository, MockSenderNameRepository};

use super::*;
use crate::shared::fixtures::{
    NOW, away, broadcast_of, manual_clock, subscriptions, tenant, traffic,
};

fn settings() -> Settings {
    Settings { is_screened: true, ..Settings::default() }
}

fn approved() -> ApprovedSender {
    let sender = Sender::stored("KENTE".into());
    ApprovedSender { sender, channel: Channel::Sms, country: Country::GH }
}

/// Organizations that all have [`settings`], which are read `times` times.
fn asked(times: usize) -> MockOrganizationRepository {
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_settings().times(times).returning(|_| Ok(Some(settings())));
    organizations.expect_changed_lately().returning(|| Ok(vec![]));
    organizations
}

/// Organizations that all have the sender name [`approved`], which is read `times` times.
fn named(times: usize) -> MockSenderNameRepository {
    let mut names = MockSenderNameRepository::new();
    names.expect_approved().times(times).returning(|_| Ok(vec![approved()]));
    names
}

fn policies(
    organizations: MockOrganizationRepository,
    names: MockSenderNameRepository,
    clock: Arc<dyn Clock>,
) -> Policies {
    Policies::new(sources(organizations, names), SenderRule::Approved, clock)
}

fn sources(
    organizations: MockOrganizationRepository,
    names: MockSenderNameRepository,
) -> PolicySources {
    PolicySources {
        organizations: Arc::new(organizations),
        sender_names: Arc::new(names),
        subscriptions: subscriptions(),
        traffic: traffic(),
    }
}

#[tokio::test]
async fn an_organization_stays_cached_while_changes_are_checked() {
    let (clock, clock_time) = manual_clock();
    let mut names = named(1);
    names.expect_changed_lately().returning(|| Ok(vec![Id::new(NOW)]));
    let policies = policies(asked(1), names, clock);

    for seconds in 0..100 {
        *clock_time.lock().unwrap() = NOW + TimeDelta::seconds(seconds);
        policies.forget_changes().await.unwrap();
        *clock_time.lock().unwrap() += TimeDelta::milliseconds(799);
        let policy = policies.get(tenant()).await.unwrap().unwrap();
        let senders = UsableSenders::Approved([approved()].into());
        let expected = Policy { settings: settings(), senders, ..Policy::default() };
        assert_eq!(*policy, expected);
    }
}

#[tokio::test]
async fn an_organization_is_reread_after_a_change_or_without_checks() {
    let (clock, clock_time) = manual_clock();
    let mut names = named(3);
    names.expect_changed_lately().once().returning(|| Ok(vec![tenant()]));
    let policies = policies(asked(3), names, clock);

    policies.get(tenant()).await.unwrap();
    policies.forget_changes().await.unwrap();
    policies.get(tenant()).await.unwrap();
    *clock_time.lock().unwrap() = NOW + TimeDelta::milliseconds(800);
    policies.get(tenant()).await.unwrap();
}

#[tokio::test]
async fn an_installation_that_takes_any_sender_reads_none() {
    let (clock, _) = manual_clock();
    let sources = sources(asked(1), MockSenderNameRepository::new());
    let policies = Policies::new(sources, SenderRule::Open, clock);

    policies.forget_changes().await.unwrap();
    let policy = policies.get(tenant()).await.unwrap().unwrap();

    assert_eq!(policy.senders, UsableSenders::Any);
}

#[tokio::test]
async fn the_last_known_policy_applies_while_the_store_fails() {
    let (clock, clock_time) = manual_clock();
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_settings().once().return_once(|_| Ok(Some(settings())));
    // The store is asked once a second.
    organizations.expect_settings().times(2).returning(|_| Err(away()));
    let policies = policies(organizations, named(1), clock);
    policies.get(tenant()).await.unwrap();

    for millis in [800, 801, 1_799, 1_800] {
        *clock_time.lock().unwrap() = NOW + TimeDelta::milliseconds(millis);
        let policy = policies.of_or_last_known(tenant()).await.unwrap().unwrap();
        assert!(policy.settings.is_screened);
    }
}

#[tokio::test]
async fn an_unknown_policy_is_an_error_while_the_store_fails() {
    let (clock, _) = manual_clock();
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_settings().times(2).returning(|_| Err(away()));
    let policies = policies(organizations, MockSenderNameRepository::new(), clock);

    assert!(policies.get(tenant()).await.is_err());
    // The store is asked once a second.
    assert!(policies.of_or_last_known(tenant()).await.is_err());
    assert!(policies.of_or_last_known(tenant()).await.is_err());
}

#[tokio::test]
async fn a_change_evicts_the_policy_and_is_broadcast() {
    let (clock, _) = manual_clock();
    let policies =
        policies(asked(2), named(2), clock).broadcasting(broadcast_of(Change::Organizations));

    policies.get(tenant()).await.unwrap();
    policies.forget(tenant());
    policies.get(tenant()).await.unwrap();
}
