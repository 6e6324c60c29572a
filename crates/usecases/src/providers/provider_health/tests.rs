//! The rules of checks of providers.

use std::slice::from_ref;

use domain::providers::provider_state::ProviderState;
use mockall::predicate::eq;
use ports::{
    providers::provider::DeclaredProvider,
    shared::mock::{MockMessagingProvider, MockProviderRegistry},
};

use super::*;
use crate::{
    providers::provider_registry::ConfiguredProvider,
    shared::fixtures::{NOW, clock, provider},
};

fn record(name: &str, is_active: bool) -> ProviderRecord {
    ProviderRecord {
        id: Id::new(NOW),
        provider: DeclaredProvider {
            name: name.into(),
            kind: "simulated".into(),
            channel: "SMS".into(),
            routes: vec![("GH".into(), 1)],
        },
        is_active,
        state: ProviderState::default(),
        last_check: None,
    }
}

/// The health of a provider `first`, which is checked `looks` times.
fn health(
    mut registry: MockProviderRegistry,
    known: &[ProviderRecord],
    looks: usize,
) -> ProviderHealth {
    let known = known.to_vec();
    registry.expect_list().returning(move || Ok(known.clone()));
    let mut adapter = MockMessagingProvider::new();
    let check = Check { status: CheckStatus::Degraded, message: "the balance\0 is low".into() };
    adapter.expect_check().times(looks).return_const(check);
    let first = provider("first", 1, TimeDelta::minutes(10));
    let carriers = vec![ConfiguredProvider { provider: first, adapter: Arc::new(adapter) }];
    let providers = Providers::new(carriers, Arc::new(MockMessagingProvider::new()), None);
    ProviderHealth::new(Arc::new(registry), Arc::new(providers), clock())
}

#[tokio::test]
async fn the_result_of_a_check_is_recorded() {
    let first = record("first", true);
    let shown = HealthEvent {
        kind: HealthEventKind::Check,
        status: "DEGRADED".into(),
        message: "the balance is low".into(),
        latency: Some(TimeDelta::zero()),
        at: NOW,
    };
    let mut registry = MockProviderRegistry::new();
    let note = registry.expect_note_check().once().with(eq(first.id), eq(shown.clone()));
    note.returning(|_, _| Ok(()));

    let event = health(registry, from_ref(&first), 1).check(first.id).await.unwrap();

    assert_eq!(event, shown);
}

#[tokio::test]
async fn a_recent_check_answers_all_requests() {
    let first = record("first", true);
    let mut registry = MockProviderRegistry::new();
    registry.expect_note_check().once().returning(|_, _| Ok(()));
    let health = health(registry, from_ref(&first), 1);

    let (one, other) =
        futures_util::future::join(health.check(first.id), health.check(first.id)).await;

    assert_eq!(one.unwrap(), other.unwrap());
}

#[tokio::test]
async fn a_check_of_another_instance_counts_for_ten_seconds() {
    for (ago, looks) in [(TimeDelta::seconds(9), 0), (LOOK_LASTS, 1)] {
        let (kind, status) = (HealthEventKind::Check, "UP".into());
        let seen =
            HealthEvent { kind, status, message: "seen".into(), latency: None, at: NOW - ago };
        let first = ProviderRecord { last_check: Some(seen), ..record("first", true) };
        let mut registry = MockProviderRegistry::new();
        registry.expect_note_check().times(looks).returning(|_, _| Ok(()));

        let event = health(registry, from_ref(&first), looks).check(first.id).await.unwrap();

        assert_eq!(event.message == "seen", looks == 0);
    }
}

#[test]
fn tenants_do_not_see_the_state_of_the_operators_account() {
    let event = |kind, status: &str| HealthEvent {
        kind,
        status: status.to_owned(),
        message: "the balance is 1402.5 GHS".to_owned(),
        latency: None,
        at: NOW,
    };
    for status in ["UP", "DEGRADED", "DOWN"] {
        let shown = for_tenants(event(HealthEventKind::Check, status));
        assert!(!shown.message.contains("1402"), "{}", shown.message);
    }
    let breaker = event(HealthEventKind::Breaker, "OPEN");
    assert_eq!(for_tenants(breaker.clone()), breaker);
}

#[tokio::test]
async fn an_undeclared_provider_is_down_and_not_called() {
    for gone in [record("first", false), record("retired", true)] {
        let mut registry = MockProviderRegistry::new();
        registry.expect_note_check().once().returning(|_, _| Ok(()));

        let event = health(registry, from_ref(&gone), 0).check(gone.id).await.unwrap();

        assert_eq!(event.status, "DOWN");
        assert_eq!(event.message, "it is not declared any more");
    }
}

#[tokio::test]
async fn all_declared_providers_are_checked_in_turn() {
    let first = record("first", true);
    let known = [first.clone(), record("retired", false), record("of another instance", true)];
    let mut registry = MockProviderRegistry::new();
    let id = first.id;
    registry
        .expect_note_check()
        .once()
        .with(eq(id), mockall::predicate::always())
        .returning(|_, _| Ok(()));

    health(registry, &known, 1).check_all().await.unwrap();
}

#[tokio::test]
async fn a_provider_just_checked_by_another_instance_is_skipped() {
    let looked = |ago| {
        let (kind, status, message) = (HealthEventKind::Check, "UP".into(), String::new());
        let last_check = Some(HealthEvent { kind, status, message, latency: None, at: NOW - ago });
        ProviderRecord { last_check, ..record("first", true) }
    };
    for (ago, looks) in [(TimeDelta::seconds(239), 0), (CHECK_PAUSE, 1)] {
        let mut registry = MockProviderRegistry::new();
        registry.expect_note_check().times(looks).returning(|_, _| Ok(()));

        health(registry, &[looked(ago)], looks).check_all().await.unwrap();
    }
}
