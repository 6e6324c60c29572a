//! Sessions, and the tokens that open them.

use std::slice;

use domain::{
    identity::{
        open_session::{Client, OpenSession, SessionUse},
        session::Claims,
        user::{User, UserUpdate},
    },
    shared::id::Id,
};
use ports::identity::{
    auth::{TokenLimit, UserRepository},
    sessions::SessionRepository,
};

use crate::{World, minutes, now};

fn claims(user: &User, age: i64) -> Claims {
    Claims::begin(user, now() + minutes(age))
}

async fn open(world: &World, claims: &Claims) -> OpenSession {
    let session = claims.opened_by(&Client::default());
    SessionRepository::insert(&world.store, &session).await.unwrap();
    session
}

async fn listed(world: &World, user: &User, current: &OpenSession) -> Vec<OpenSession> {
    SessionRepository::list(&world.store, user.id, current.id, now(), 10).await.unwrap()
}

/// Returns the version for which the session of a token is valid.
async fn version(world: &World, token: &Claims) -> Option<i32> {
    let (_, version) = world.store.find_signed_in(token).await.unwrap().unwrap();
    version
}

async fn has_ended(world: &World, token: &Claims) -> bool {
    world.store.find_signed_in(token).await.unwrap().is_none()
}

#[tokio::test]
async fn a_session_ends_with_all_its_tokens() {
    let world = World::new().await;
    let (ama, kofi) = (world.user().await, world.user().await);
    let token = claims(&ama, 0);
    let acting = token.impersonate(Id::new(now()), now());
    let session = open(&world, &token).await;
    assert_eq!(version(&world, &token).await, Some(1));
    assert_eq!(version(&world, &acting).await, Some(1));

    assert!(!world.store.end(kofi.id, session.id, now()).await.unwrap());
    assert!(world.store.end(ama.id, session.id, now()).await.unwrap());
    assert!(!world.store.end(ama.id, session.id, now()).await.unwrap());

    assert!(has_ended(&world, &token).await && has_ended(&world, &acting).await);
    assert_eq!(listed(&world, &ama, &session).await, []);
}

#[tokio::test]
async fn a_token_without_a_stored_session_counts_by_itself() {
    let world = World::new().await;
    let ama = world.user().await;

    let found = world.store.find_signed_in(&claims(&ama, 0)).await.unwrap();

    assert_eq!(found, Some((ama, None)));
}

#[tokio::test]
async fn a_new_password_ends_all_sessions_but_the_kept_one() {
    let world = World::new().await;
    let ama = world.user().await;
    let (own, other) = (claims(&ama, 0), claims(&ama, 1));
    let (session, ended) = (open(&world, &own).await, open(&world, &other).await);

    let mut transaction = world.begin().await;
    transaction.set_password(ama.id, "$argon2id$2").await.unwrap();
    transaction.keep_session(ama.id, session.id).await.unwrap();
    transaction.commit().await.unwrap();

    let kept = OpenSession { version: ama.session_version + 1, ..session.clone() };
    assert_eq!(listed(&world, &ama, &session).await, [kept]);
    assert_eq!(version(&world, &own).await, Some(2));
    assert_eq!(version(&world, &other).await, Some(1));
    assert!(!world.store.end(ama.id, ended.id, now()).await.unwrap());

    world.store.end_all(ama.id).await.unwrap();
    assert_eq!(listed(&world, &ama, &session).await, []);
    let (renewed, version) = world.store.find_signed_in(&own).await.unwrap().unwrap();
    assert_eq!((renewed.session_version, version), (3, Some(2)));
}

#[tokio::test]
async fn lists_the_current_session_then_those_used_last() {
    let world = World::new().await;
    let ama = world.user().await;
    let mut sessions = Vec::new();
    for age in [-10, -20, -30, -25 * 60] {
        sessions.push(open(&world, &claims(&ama, age)).await);
    }
    let [newer, older, current, _expired] = <[OpenSession; 4]>::try_from(sessions).unwrap();

    assert_eq!(
        listed(&world, &ama, &current).await,
        [current.clone(), newer.clone(), older.clone()]
    );

    let used = SessionUse { user: ama.id, session: older.id, at: now() };
    SessionRepository::note_uses(&world.store, &[used]).await.unwrap();
    let used = OpenSession { last_used_at: now(), ..older };
    assert_eq!(listed(&world, &ama, &current).await, [current, used, newer]);
}

#[tokio::test]
async fn the_use_of_a_session_is_written_once_in_five_minutes() {
    let world = World::new().await;
    let ama = world.user().await;
    let session = open(&world, &claims(&ama, 0)).await;
    for (at, known) in [(4, 0), (5, 5), (9, 5), (3, 5), (10, 10)] {
        let used = SessionUse { user: ama.id, session: session.id, at: now() + minutes(at) };
        SessionRepository::note_uses(&world.store, &[used]).await.unwrap();
        let found = listed(&world, &ama, &session).await;
        assert_eq!(found[0].last_used_at, now() + minutes(known), "at {at}");
    }
}

#[tokio::test]
async fn expired_sessions_are_purged() {
    let world = World::alone().await;
    let ama = world.user().await;
    let session = open(&world, &claims(&ama, 0)).await;
    assert_eq!(listed(&world, &ama, &session).await, slice::from_ref(&session));

    // It began weeks ago.
    world.store.maintain().await.unwrap();

    assert_eq!(listed(&world, &ama, &session).await, []);
}

#[tokio::test]
async fn names_change_one_by_one() {
    let world = World::new().await;
    let ama = world.user().await;
    let update = UserUpdate { first_name: Some("Esi".into()), last_name: None };

    let changed = world.users().update(ama.id, &update).await.unwrap();

    let expected = User { first_name: "Esi".into(), ..ama };
    assert_eq!(changed.as_ref(), Some(&expected));
    assert_eq!(world.users().find(expected.id).await.unwrap(), Some(expected));
    assert_eq!(world.users().update(Id::new(now()), &update).await.unwrap(), None);
}

#[tokio::test]
async fn concurrent_requests_store_no_more_tokens_than_the_limit() {
    let world = World::new().await;
    let ama = world.user().await;
    let (users, limit) = (world.users(), TokenLimit { most: 3, expiring_after: now() });
    let expires_at = now() + minutes(60);
    let token = |number: u8| {
        let mut hash = [number; 32];
        hash[..16].copy_from_slice(ama.id.uuid().as_bytes());
        hash
    };
    // One that does not count any more.
    users.insert_verification_token(ama.id, token(0), now(), limit).await.unwrap();

    let inserts = (1..=6)
        .map(|number| users.insert_verification_token(ama.id, token(number), expires_at, limit));
    let stored = futures_util::future::join_all(inserts).await;

    let stored = stored.into_iter().filter(|stored| matches!(stored, Ok(true))).count();
    assert_eq!(stored, 3);
}
