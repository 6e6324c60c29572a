//! Rotation of API keys, and the calls made with them.

use chrono::{Days, NaiveDate};
use domain::{
    identity::{
        api_key::ApiKey,
        key_calls::{Calls, KeyDay},
        organization::Organization,
    },
    shared::id::Id,
};
use ports::identity::api_keys::Rotation;

use crate::{World, minutes, now};

fn api_key(organization: Id<Organization>) -> ApiKey {
    ApiKey {
        id: Id::new_in(now(), organization),
        organization,
        name: "ci".into(),
        prefix: "ak_test_0011".into(),
        scopes: vec!["messages:send".into()],
        is_sandbox: true,
        expires_at: None,
        last_used_at: None,
        created_at: now(),
        created_by: Some(Id::floor(now())),
    }
}

fn hash(key: &ApiKey) -> [u8; 32] {
    let mut hash = [0; 32];
    hash[..16].copy_from_slice(key.id.uuid().as_bytes());
    hash
}

async fn inserted(world: &World, organization: Id<Organization>) -> ApiKey {
    let key = api_key(organization);
    world.api_keys().insert(&key, hash(&key)).await.unwrap();
    key
}

#[tokio::test]
async fn a_rotated_key_ends_after_the_overlap_and_has_one_successor() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let (key, keys) = (inserted(&world, own).await, world.api_keys());
    let (next, late, foreign) = (api_key(own), api_key(own), api_key(other));
    let ends_at = Some(now() + minutes(60));

    let strange = keys.rotate(key.id, ends_at, &foreign, hash(&foreign)).await.unwrap();
    assert_eq!(strange, Rotation::NotFound);
    let rotated = keys.rotate(key.id, ends_at, &next, hash(&next)).await.unwrap();
    assert_eq!(rotated, Rotation::Done(hash(&key)));
    let again = keys.rotate(key.id, None, &late, hash(&late)).await.unwrap();
    assert_eq!(again, Rotation::AlreadyRotated);

    let ended = ApiKey { expires_at: ends_at, ..key.clone() };
    assert_eq!(keys.find(own, key.id).await.unwrap(), Some(ended.clone()));
    assert_eq!(keys.find_by_hash(hash(&key)).await.unwrap(), Some(ended));
    assert_eq!(keys.find_by_hash(hash(&next)).await.unwrap(), Some(next.clone()));
    assert_eq!(keys.find_by_hash(hash(&late)).await.unwrap(), None);
    assert_eq!(keys.find(other, next.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_key_rotated_without_overlap_is_revoked() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let (key, keys) = (inserted(&world, own).await, world.api_keys());
    let (next, late) = (api_key(own), api_key(own));

    let rotated = keys.rotate(key.id, None, &next, hash(&next)).await.unwrap();

    assert_eq!(rotated, Rotation::Done(hash(&key)));
    assert_eq!(keys.find_by_hash(hash(&key)).await.unwrap(), None);
    let again = keys.rotate(key.id, None, &late, hash(&late)).await.unwrap();
    assert_eq!(again, Rotation::NotFound);
}

#[tokio::test]
async fn an_overlap_does_not_extend_the_life_of_a_key() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let keys = world.api_keys();
    let expires_at = Some(now() + minutes(5));
    let (key, next) = (ApiKey { expires_at, ..api_key(own) }, api_key(own));
    keys.insert(&key, hash(&key)).await.unwrap();

    keys.rotate(key.id, Some(now() + minutes(60)), &next, hash(&next)).await.unwrap();

    assert_eq!(keys.find(own, key.id).await.unwrap().unwrap().expires_at, expires_at);
}

#[tokio::test]
async fn of_concurrent_rotations_of_a_key_one_succeeds() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let (key, keys) = (inserted(&world, own).await, world.api_keys());
    let (first, second) = (api_key(own), api_key(own));
    let ends_at = Some(now() + minutes(60));

    let results = tokio::join!(
        keys.rotate(key.id, ends_at, &first, hash(&first)),
        keys.rotate(key.id, ends_at, &second, hash(&second)),
    );

    let results = [results.0.unwrap(), results.1.unwrap()];
    assert!(results.contains(&Rotation::Done(hash(&key))), "{results:?}");
    assert!(results.contains(&Rotation::AlreadyRotated), "{results:?}");
    assert_eq!(keys.list(own).await.unwrap().len(), 2);
}

#[tokio::test]
async fn calls_of_a_key_add_up_by_day() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let (key, other) = (inserted(&world, own).await, inserted(&world, own).await);
    let keys = world.api_keys();
    let today = now().date_naive();
    let day = |ago: u64| -> NaiveDate { today - Days::new(ago) };
    let of = |key: &ApiKey, ago| KeyDay { organization: own, key: key.id, day: day(ago) };
    let calls = |accepted, refused| Calls { accepted, refused };

    for counted in [
        vec![(of(&key, 1), calls(1, 0)), (of(&key, 0), calls(2, 1)), (of(&other, 0), calls(9, 9))],
        vec![(of(&key, 0), calls(40, 2)), (of(&key, 30), calls(5, 5))],
    ] {
        keys.add_calls(&counted).await.unwrap();
    }

    let found = keys.calls(own, key.id, day(29)).await.unwrap();
    assert_eq!(found, [(day(1), calls(1, 0)), (day(0), calls(42, 3))]);
}

#[tokio::test]
async fn old_counts_of_calls_are_deleted() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    let key = inserted(&world, own).await;
    world
        .sql(&format!(
            "INSERT INTO api_key_calls \
             SELECT '{own}', '{}', (now() AT TIME ZONE 'UTC')::date - ago, 1, 0 \
             FROM unnest(ARRAY[0, 31, 32]) AS ago",
            key.id
        ))
        .await;

    world.store.maintain().await.unwrap();

    let since = NaiveDate::from_ymd_opt(2000, 1, 1).unwrap();
    assert_eq!(world.api_keys().calls(own, key.id, since).await.unwrap().len(), 2);
}
