//! Idempotency keys of requests: one request has a key, also after a crash. Each test has its own
//! database, for others delete expired keys.

use chrono::TimeDelta;
use domain::shared::id::Id;
use futures_util::future::join_all;
use ports::platform::request_keys::{
    KeptAnswer, KeyClaim, KeyOwner, KeyState, RequestKey, RequestKeyRepository,
};

use crate::{World, minutes, now};

const HASH: [u8; 32] = [7; 32];

/// Returns a claim with a lease that ends so many minutes after now.
fn claim(lease: i64) -> KeyClaim {
    KeyClaim {
        id: Id::new(now()),
        fingerprint: Some(HASH),
        leased_until: now() + minutes(lease),
        expires_at: now() + TimeDelta::hours(24),
    }
}

fn keys(world: &World) -> &dyn RequestKeyRepository {
    &world.store
}

async fn key(world: &World) -> RequestKey {
    let id = world.organization().await.id;
    RequestKey { owner: KeyOwner::Organization { id, is_sandbox: false }, text: "order-1".into() }
}

fn answer(status: u16) -> KeptAnswer {
    KeptAnswer { status, sealed_body: Some(b"sealed".to_vec()) }
}

#[tokio::test]
async fn one_of_many_requests_gets_a_key() {
    let world = World::alone().await;
    let (keys, key) = (keys(&world), key(&world).await);
    let claims: Vec<_> = (0..20).map(|_| claim(2)).collect();

    let claiming = claims.iter().map(|claim| keys.claim(&key, claim, now()));
    let states: Vec<_> = join_all(claiming).await.into_iter().map(Result::unwrap).collect();

    let claimed = states.iter().filter(|state| **state == KeyState::Claimed);
    assert_eq!(claimed.count(), 1, "{states:?}");
    let in_progress = KeyState::InProgress { fingerprint: Some(HASH) };
    assert_eq!(states.iter().filter(|state| **state == in_progress).count(), 19, "{states:?}");
}

#[tokio::test]
async fn a_request_that_was_broken_off_loses_its_key_with_its_lease() {
    let world = World::alone().await;
    let (keys, key) = (keys(&world), key(&world).await);
    let (first, second) = (claim(2), claim(10));
    assert_eq!(keys.claim(&key, &first, now()).await.unwrap(), KeyState::Claimed);

    let later = now() + minutes(3);
    assert_eq!(keys.claim(&key, &second, later).await.unwrap(), KeyState::Claimed);
    // The first was only slow.
    keys.keep(&key, first.id, HASH, &answer(201)).await.unwrap();
    keys.release(&key, first.id).await.unwrap();
    let state = keys.claim(&key, &claim(2), later).await.unwrap();
    assert_eq!(state, KeyState::InProgress { fingerprint: Some(HASH) });

    keys.keep(&key, second.id, HASH, &answer(200)).await.unwrap();
    keys.release(&key, second.id).await.unwrap();
    let state = keys.claim(&key, &claim(2), later).await.unwrap();
    assert_eq!(state, KeyState::Answered { fingerprint: HASH, answer: answer(200) });
}

#[tokio::test]
async fn a_key_is_free_after_a_refusal_and_after_a_day() {
    let world = World::alone().await;
    let (keys, key) = (keys(&world), key(&world).await);
    let refused = claim(2);
    keys.claim(&key, &refused, now()).await.unwrap();
    keys.release(&key, refused.id).await.unwrap();

    let made = claim(2);
    assert_eq!(keys.claim(&key, &made, now()).await.unwrap(), KeyState::Claimed);
    keys.keep(&key, made.id, HASH, &answer(201)).await.unwrap();
    let tomorrow = now() + TimeDelta::hours(25);
    assert_eq!(keys.claim(&key, &claim(2), tomorrow).await.unwrap(), KeyState::Claimed);
}

#[tokio::test]
async fn organizations_modes_and_users_have_keys_of_their_own() {
    let world = World::alone().await;
    let (id, other) = (world.organization().await.id, world.organization().await.id);
    for owner in [
        KeyOwner::Organization { id, is_sandbox: false },
        KeyOwner::Organization { id, is_sandbox: true },
        KeyOwner::Organization { id: other, is_sandbox: false },
        KeyOwner::User(world.user().await.id),
        KeyOwner::User(world.user().await.id),
    ] {
        let key = RequestKey { owner, text: "order-1".into() };
        let state = keys(&world).claim(&key, &claim(2), now()).await.unwrap();
        assert_eq!(state, KeyState::Claimed, "{owner:?}");
    }
}
