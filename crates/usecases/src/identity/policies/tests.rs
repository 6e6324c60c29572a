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
use ports::shared::{
    changes::LoggedChange,
    mock::{MockOrganizationRepository, MockSenderNameRepository},
    nobody::Nobody,
};

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
    let sources = sources(organizations, names);
    Policies::new(sources, SenderRule::Approved, clock, Arc::new(Nobody))
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

/// Change of something of an organization.
fn changed(organization: Id<Organization>) -> Changes {
    let organization = Some(organization);
    Changes::Known(vec![LoggedChange { kind: Change::Organizations, organization, key: None }])
}

#[tokio::test]
async fn an_organization_stays_cached_while_changes_are_checked() {
    let (clock, clock_time) = manual_clock();
    let policies = policies(asked(1), named(1), clock);

    for seconds in 0..100 {
        let checked_at = NOW + TimeDelta::seconds(seconds);
        *clock_time.lock().unwrap() = checked_at;
        policies.apply(&changed(Id::new(NOW)), checked_at).await.unwrap();
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
    let policies = policies(asked(4), named(4), clock);

    policies.get(tenant()).await.unwrap();
    for changes in [changed(tenant()), Changes::Unknown] {
        policies.apply(&changes, NOW).await.unwrap();
        policies.get(tenant()).await.unwrap();
    }
    *clock_time.lock().unwrap() = NOW + TimeDelta::milliseconds(800);
    policies.get(tenant()).await.unwrap();
}

#[tokio::test]
async fn an_installation_that_takes_any_sender_reads_none() {
    let (clock, _) = manual_clock();
    let sources = sources(asked(1), MockSenderNameRepository::new());
    let policies = Policies::new(sources, SenderRule::Open, clock, Arc::new(Nobody));

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
    let (sources, others) = (sources(asked(2), named(2)), broadcast_of(Change::Organizations));
    let policies = Policies::new(sources, SenderRule::Approved, clock, others);

    policies.get(tenant()).await.unwrap();
    policies.forget(tenant());
    policies.get(tenant()).await.unwrap();
}
