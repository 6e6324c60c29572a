//! The rules of API keys.

use chrono::{DateTime, Utc};
use domain::organization::Role;
use ports::mock::MockApiKeyRepository;

use super::*;
use crate::fixtures::{NOW, SECRET, clock, hand_clock, member, random, tenant};

fn key() -> ApiKey {
    ApiKey {
        id: "018bcfe5-6800-7000-8000-000000000004".parse().unwrap(),
        organization: tenant(),
        name: "ci".into(),
        prefix: "ak_live_0707".into(),
        scopes: vec!["messages:send".into()],
        is_sandbox: false,
        expires_at: None,
        last_used_at: Some(NOW),
        created_at: NOW,
    }
}

fn text() -> String {
    api_key::write(&SECRET, false)
}

fn settings() -> Settings {
    Settings { allow_premium_numbers: true }
}

/// A repository in which [`text`] is the text of `key`, if there is one.
fn knowing(key: Option<ApiKey>) -> MockApiKeyRepository {
    let mut repository = MockApiKeyRepository::new();
    finding(&mut repository, key);
    repository
}

/// One look for [`text`] finds `key`.
fn finding(repository: &mut MockApiKeyRepository, key: Option<ApiKey>) {
    let hash = digest::of_secret(text().as_bytes());
    let find = repository.expect_find_by_hash().once();
    find.withf(move |wanted| *wanted == hash).return_once(|_| Ok(key.map(|key| (key, settings()))));
}

fn keys(repository: MockApiKeyRepository) -> ApiKeys {
    ApiKeys::new(Arc::new(repository), clock(), random())
}

fn named(name: &str) -> ApiKeyRequest {
    ApiKeyRequest { name: name.into(), ..ApiKeyRequest::default() }
}

#[tokio::test]
async fn only_the_hash_of_a_key_is_kept() {
    let hash = digest::of_secret(text().as_bytes());
    let mut repository = MockApiKeyRepository::new();
    let insert = repository.expect_insert().once();
    insert.withf(move |_, kept| *kept == hash).returning(|_, _| Ok(()));

    let owner = member(Role::Owner);
    let keys = keys(repository);
    let (key, shown) = keys.create(&owner, named(" ci "), Faults::default()).await.unwrap();

    assert_eq!(shown, text());
    assert_eq!((key.name.as_str(), key.prefix.as_str()), ("ci", "ak_live_0707"));
}

#[tokio::test]
async fn a_key_acts_for_its_organization_within_its_scopes() {
    let caller = keys(knowing(Some(key()))).authenticate(&text()).await.unwrap();

    let scopes = vec!["messages:send".to_owned()];
    let identity = Identity::ApiKey { key: key().id, scopes, is_sandbox: false };
    assert_eq!(caller, Caller { organization: tenant(), identity, settings: settings() });
}

#[tokio::test]
async fn a_key_is_looked_for_once_and_expires_all_the_same() {
    let (clock, hand) = hand_clock();
    let expires_at = Some(NOW + TimeDelta::minutes(5));
    let repository = Arc::new(knowing(Some(ApiKey { expires_at, ..key() })));
    let keys = ApiKeys::new(repository, clock, random());

    keys.authenticate(&text()).await.unwrap();
    keys.authenticate(&text()).await.unwrap();
    *hand.lock().unwrap() = NOW + TimeDelta::minutes(5);
    let error = keys.authenticate(&text()).await.unwrap_err();

    assert_eq!(error.reason(), Some(&UNAUTHORIZED), "{error}");
}

#[tokio::test]
async fn the_use_of_a_key_is_noted_once_a_minute() {
    let uses: [(Option<DateTime<Utc>>, usize); 4] = [
        (None, 1),
        (Some(NOW), 0),
        (Some(NOW - TimeDelta::seconds(59)), 0),
        (Some(NOW - TimeDelta::seconds(60)), 1),
    ];
    for (last_used_at, notes) in uses {
        let mut repository = knowing(Some(ApiKey { last_used_at, ..key() }));
        let touch = repository.expect_touch().times(notes);
        touch.withf(|_, id, now| (*id, *now) == (key().id, NOW)).returning(|_, _, _| Ok(()));

        keys(repository).authenticate(&text()).await.unwrap();
    }
}
