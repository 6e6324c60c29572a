//! Rules of API keys.

use chrono::TimeDelta;
use domain::identity::{
    key_calls::{Calls, KeyDay},
    organization::{Role, Settings},
};
use ports::{
    identity::api_keys::KeyUse,
    shared::{
        changes::LoggedChange,
        mock::{MockApiKeyRepository, MockOrganizationRepository},
        nobody::Nobody,
    },
};

use super::*;
use crate::shared::fixtures::{
    NOW, SECRET, away, broadcast_of, clock, manual_clock, member, policies, random, tenant,
};

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
        created_by: None,
    }
}

fn text() -> String {
    api_key::write(&SECRET, tenant(), false)
}

fn settings() -> Settings {
    Settings { allow_premium_numbers: true, ..Settings::default() }
}

/// Repository that finds `key` for the hash of [`text`] and is queried `times` times.
fn knowing(key: Option<ApiKey>, times: usize) -> MockApiKeyRepository {
    let mut repository = MockApiKeyRepository::new();
    let hash = digest::of_secret(text().as_bytes());
    let find = repository.expect_find_by_hash().times(times);
    find.withf(move |wanted| *wanted == hash).returning(move |_| Ok(key.clone()));
    repository
}

/// Policies of organizations that all have [`settings`].
fn known() -> Policies {
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_settings().returning(|_| Ok(Some(settings())));
    policies(Arc::new(organizations))
}

fn keys(repository: MockApiKeyRepository) -> ApiKeys {
    keys_at(clock(), repository)
}

fn keys_at(clock: Arc<dyn Clock>, repository: MockApiKeyRepository) -> ApiKeys {
    ApiKeys::new(Arc::new(repository), known(), clock, random(), Arc::new(Nobody))
}

/// Change of the key with that hash.
fn changed(hash: [u8; 32]) -> Changes {
    let digits = hash.iter().fold(String::new(), |digits, byte| digits + &format!("{byte:02x}"));
    let (kind, organization) = (Change::ApiKeys, Some(tenant()));
    Changes::Known(vec![LoggedChange { kind, organization, key: Some(digits) }])
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
    assert_eq!((key.id.slot(), api_key::slot(&shown)), (tenant().slot(), Some(tenant().slot())));
}

#[tokio::test]
async fn a_cached_key_still_expires() {
    let (clock, clock_time) = manual_clock();
    let expires_at = Some(NOW + TimeDelta::milliseconds(500));
    let keys = keys_at(clock, knowing(Some(ApiKey { expires_at, ..key() }), 1));

    keys.authenticate(&text()).await.unwrap();
    keys.authenticate(&text()).await.unwrap();
    *clock_time.lock().unwrap() = NOW + TimeDelta::milliseconds(500);
    let error = keys.authenticate(&text()).await.unwrap_err();

    assert_eq!(error.reason(), Some(&UNAUTHORIZED), "{error}");
}

#[tokio::test]
async fn looks_a_key_up_again_without_checks_for_changes() {
    let (clock, clock_time) = manual_clock();
    let keys = keys_at(clock, knowing(Some(key()), 2));

    for millis in [0, 799, 800, 1_599] {
        *clock_time.lock().unwrap() = NOW + TimeDelta::milliseconds(millis);
        keys.authenticate(&text()).await.unwrap();
    }
}

#[tokio::test]
async fn a_key_stays_cached_while_changes_are_checked() {
    let (clock, clock_time) = manual_clock();
    let keys = keys_at(clock, knowing(Some(key()), 1));

    for seconds in 0..100 {
        let checked_at = NOW + TimeDelta::seconds(seconds);
        *clock_time.lock().unwrap() = checked_at;
        keys.apply(&changed([7; 32]), checked_at).await.unwrap();
        *clock_time.lock().unwrap() += TimeDelta::milliseconds(799);
        keys.authenticate(&text()).await.unwrap();
    }
}

#[tokio::test]
async fn a_key_revoked_by_another_instance_is_evicted() {
    let keys = keys(knowing(Some(key()), 3));

    keys.authenticate(&text()).await.unwrap();
    keys.apply(&changed(digest::of_secret(text().as_bytes())), NOW).await.unwrap();
    keys.authenticate(&text()).await.unwrap();
    keys.apply(&Changes::Unknown, NOW).await.unwrap();
    keys.authenticate(&text()).await.unwrap();
}

#[tokio::test]
async fn revoking_a_key_evicts_that_key_and_is_broadcast() {
    let other = api_key::write(&[8; 32], tenant(), false);
    let mut repository = MockApiKeyRepository::new();
    repository.expect_find_by_hash().times(3).returning(|_| Ok(Some(key())));
    let hash = digest::of_secret(text().as_bytes());
    repository.expect_revoke().once().returning(move |_, _| Ok(Some(hash)));
    let others = broadcast_of(Change::ApiKeys);
    let keys = ApiKeys::new(Arc::new(repository), known(), clock(), random(), others);
    keys.authenticate(&text()).await.unwrap();
    keys.authenticate(&other).await.unwrap();

    keys.revoke(&member(Role::Owner), key().id).await.unwrap();

    keys.authenticate(&other).await.unwrap();
    keys.authenticate(&text()).await.unwrap();
}

#[tokio::test]
async fn a_change_without_a_readable_hash_evicts_all_keys() {
    for digits in [String::new(), "07".to_owned(), "0x".repeat(32), "é".repeat(32)] {
        let keys = keys(knowing(Some(key()), 2));
        let change = LoggedChange { kind: Change::ApiKeys, organization: None, key: Some(digits) };

        keys.authenticate(&text()).await.unwrap();
        keys.apply(&Changes::Known(vec![change]), NOW).await.unwrap();
        keys.authenticate(&text()).await.unwrap();
    }
}

#[tokio::test]
async fn the_use_of_a_key_is_written_down_once_in_five_minutes() {
    let uses: [(Option<DateTime<Utc>>, bool); 4] = [
        (None, true),
        (Some(NOW), false),
        (Some(NOW - TimeDelta::seconds(299)), false),
        (Some(NOW - TimeDelta::seconds(300)), true),
    ];
    for (last_used_at, is_written) in uses {
        let mut repository = knowing(Some(ApiKey { last_used_at, ..key() }), 1);
        let used = KeyUse { organization: tenant(), key: key().id, at: NOW };
        let note = repository.expect_note_uses().times(usize::from(is_written));
        note.withf(move |uses| uses == [used]).returning(|_| Ok(()));
        let keys = keys(repository);

        keys.authenticate(&text()).await.unwrap();
        keys.authenticate(&text()).await.unwrap();
        keys.write_uses().await.unwrap();
        keys.write_uses().await.unwrap();
    }
}

#[tokio::test]
async fn counted_calls_wait_while_the_store_is_away() {
    let day = KeyDay { organization: tenant(), key: key().id, day: NOW.date_naive() };
    let mut repository = MockApiKeyRepository::new();
    repository.expect_add_calls().once().returning(|_| Err(away()));
    let expected = [(day, Calls { accepted: 2, refused: 1 })];
    let add = repository.expect_add_calls().once();
    add.withf(move |calls| calls == expected).returning(|_| Ok(()));
    let keys = keys(repository);
    keys.count_call(tenant(), key().id, NOW, false);
    keys.count_call(tenant(), key().id, NOW, true);

    keys.write_calls().await.unwrap_err();
    keys.count_call(tenant(), key().id, NOW, false);
    keys.write_calls().await.unwrap();
    keys.write_calls().await.unwrap();
}
