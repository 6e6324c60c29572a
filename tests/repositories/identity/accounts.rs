//! Users, organizations and keys.

use std::time::Duration;

use domain::{
    identity::{
        api_key::ApiKey,
        organization::{
            Organization, OwnLimits, Profile, RateLimit, Role, Settings, Suspension,
            TrafficSettings, WaysOut,
        },
        session::{Attempts, LoginAttempts},
        user::PlatformRole,
    },
    shared::{country::Country, id::Id, money::Money},
};
use ports::{
    identity::{api_keys::KeyUse, auth::EMAIL_TAKEN, identity_store::IdentityStore},
    shared::store::StoreError,
};

use crate::{World, minutes, now, user};

#[tokio::test]
async fn an_email_belongs_to_one_user_ignoring_case() {
    let world = World::new().await;
    let ama = world.user().await;

    let found = world.users().find_by_email(&ama.email.to_uppercase()).await.unwrap();
    let second = world.users().insert(&user(&ama.email.to_lowercase())).await;

    assert_eq!(found, Some(ama));
    let Err(StoreError::Conflict { constraint }) = second else { panic!("{second:?}") };
    assert_eq!(constraint, EMAIL_TAKEN);
}

#[tokio::test]
async fn a_new_password_increments_the_session_version() {
    let world = World::new().await;
    let ama = world.user().await;

    let mut transaction = world.begin().await;
    transaction.set_password(ama.id, "$argon2id$2").await.unwrap();
    transaction.commit().await.unwrap();
    world.users().make_platform_admin(ama.id).await.unwrap();

    let changed = world.users().find(ama.id).await.unwrap().unwrap();
    assert_eq!(changed.password_hash, "$argon2id$2");
    assert_eq!(changed.session_version, ama.session_version + 1);
    assert_eq!(changed.platform_role, Some(PlatformRole::SuperAdmin));
}

#[tokio::test]
async fn sign_in_attempts_count_until_cleared_or_out_of_the_window() {
    let world = World::new().await;
    let users = world.users();
    let later = |count| now() + minutes(count);

    let attempts = |count, since| Attempts { count, since: later(since) };
    for (email, address, at, own, in_all) in [
        ("Kofi@Example.com", "192.0.2.1", 0, (1, 0), (1, 0)),
        ("kofi@example.com", "192.0.2.1", 10, (2, 0), (2, 0)),
        ("kofi@example.com", "192.0.2.2", 14, (1, 14), (3, 0)),
        ("KOFI@example.com", "192.0.2.1", 15, (3, 0), (4, 0)),
        ("kofi@example.com", "192.0.2.1", 16, (1, 16), (1, 16)),
        ("kofi@example.com", "192.0.2.2", 17, (2, 14), (2, 16)),
    ] {
        let counted = users.count_login(email, address, later(at), later(at - 15)).await.unwrap();
        let expected = LoginAttempts {
            from_address: attempts(own.0, own.1),
            in_all: attempts(in_all.0, in_all.1),
        };
        assert_eq!(counted, expected, "at {at} min");
    }
    users.forget_logins("Kofi@example.com", "192.0.2.1").await.unwrap();

    let counted =
        users.count_login("kofi@example.com", "192.0.2.1", later(18), later(3)).await.unwrap();
    let expected = LoginAttempts { from_address: attempts(1, 18), in_all: attempts(2, 16) };
    assert_eq!(counted, expected);
}

#[tokio::test]
async fn clears_all_attempts_of_one_user_only() {
    let world = World::new().await;
    let (ama, kofi) = (world.user().await, world.user().await);
    let users = world.users();
    let count = async |email: &str| {
        let since = now() - minutes(15);
        users.count_login(email, "192.0.2.1", now(), since).await.unwrap().in_all.count
    };
    assert_eq!((count(&ama.email).await, count(&kofi.email).await), (1, 1));

    let mut transaction = world.begin().await;
    transaction.forget_all_logins(ama.id).await.unwrap();
    transaction.commit().await.unwrap();

    assert_eq!((count(&ama.email).await, count(&kofi.email).await), (1, 2));
}

#[tokio::test]
async fn reset_mails_count_until_their_window_ends() {
    let world = World::new().await;
    let ama = world.user().await;
    for (at, count) in [(0, 1), (30, 2), (60, 3), (61, 1)] {
        let at = now() + minutes(at);
        let counted = world.users().count_reset_mail(ama.id, at, at - minutes(60)).await;
        assert_eq!(counted.unwrap(), count, "at {at}");
    }
}

#[tokio::test]
async fn a_valid_reset_token_works_once_and_invalidates_the_others() {
    let world = World::new().await;
    let (ama, kofi) = (world.user().await, world.user().await);
    let token = |user: Id<_>, number| {
        let mut hash = [number; 32];
        hash[..16].copy_from_slice(user.uuid().as_bytes());
        hash
    };
    let users = world.users();
    for (user, number) in [(ama.id, 1), (ama.id, 2), (kofi.id, 1)] {
        users.insert_reset_token(user, token(user, number), now() + minutes(30)).await.unwrap();
    }

    for (user, number, at, taken) in [
        (kofi.id, 1, now() + minutes(30), None),
        (kofi.id, 9, now(), None),
        (ama.id, 1, now(), Some(ama.id)),
        (ama.id, 1, now(), None),
        (ama.id, 2, now(), None),
        (kofi.id, 1, now(), Some(kofi.id)),
    ] {
        let mut transaction = world.begin().await;
        let found = transaction.take_reset_token(token(user, number), at).await.unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(found, taken, "{user} {number}");
    }
}

#[tokio::test]
async fn an_organization_stores_set_fields_and_drops_cleared_ones() {
    let world = World::new().await;
    let mut organization = world.organization().await;

    for profile in [full_profile(), Profile::default()] {
        let allow_premium_numbers = profile != Profile::default();
        organization.profile = profile;
        let is_decided = allow_premium_numbers;
        let limit = RateLimit::new(5, 50).filter(|_| is_decided);
        let reason = "It sends scams.".to_owned();
        organization.settings = Settings {
            allow_premium_numbers,
            is_screened: is_decided,
            limits: OwnLimits {
                live: limit,
                sandbox: None,
                requests: limit,
                invoice_credit: is_decided.then_some(Money::from_cedis(500)),
            },
            suspension: is_decided.then(|| Suspension { at: now(), reason }),
            closed_at: is_decided.then(now),
            traffic: TrafficSettings {
                allowed_countries: is_decided.then(|| vec![Country::INTERNATIONAL, Country::GH]),
                velocity_limit: is_decided.then_some(500),
            },
            ways_out: WaysOut {
                number: is_decided.then(|| "+233302123456".to_owned()),
                ussd: is_decided.then(|| "*713*2#".to_owned()),
            },
            ..Settings::default()
        };
        let mut transaction = world.begin().await;
        transaction.update_organization(&organization).await.unwrap();
        transaction.commit().await.unwrap();
        let kept = world.organizations().find(organization.id).await.unwrap();
        assert_eq!(kept.as_ref(), Some(&organization));
        let settings = world.organizations().settings(organization.id).await.unwrap();
        assert_eq!(settings, Some(organization.settings.clone()));
        let suspended = world.organizations().suspended().await.unwrap();
        assert_eq!(suspended.contains(&organization.id), is_decided);
    }
}

fn full_profile() -> Profile {
    let text = |text: &str| Some(text.to_owned());
    Profile {
        industry: text("Health"),
        business_phone: text("+233241234567"),
        business_email: text("office@example.com"),
        timezone: text("Africa/Accra"),
        default_language: text("en"),
        website: text("https://example.com"),
        monthly_volume: Some(5_000),
        preferred_channels: vec!["SMS".into(), "EMAIL".into()],
        onboarding_complete: true,
        compliance_acknowledged: true,
    }
}

#[tokio::test]
async fn a_member_has_one_role_in_each_organization() {
    let world = World::new().await;
    let (ama, kofi) = (world.user().await, world.user().await);
    let (own, other) = (world.organization().await, world.organization().await);
    let organizations = world.organizations();

    let mut transaction = world.begin().await;
    for (organization, user, role, at) in [
        (own.id, ama.id, Role::Owner, 0),
        (own.id, kofi.id, Role::Viewer, 1),
        (own.id, kofi.id, Role::Developer, 2),
        (other.id, kofi.id, Role::Owner, 3),
    ] {
        transaction.put_member(organization, user, role, now() + minutes(at)).await.unwrap();
    }
    transaction.commit().await.unwrap();

    let members = organizations.members(own.id).await.unwrap();
    let members: Vec<_> =
        members.iter().map(|it| (it.email.as_str(), it.role, it.joined_at)).collect();
    assert_eq!(
        members,
        [
            (ama.email.as_str(), Role::Owner, now()),
            (kofi.email.as_str(), Role::Developer, now() + minutes(1)),
        ]
    );
    let memberships = organizations.memberships(kofi.id).await.unwrap();
    let memberships: Vec<_> = memberships.iter().map(|it| (it.organization, it.role)).collect();
    assert_eq!(memberships, [(own.id, Role::Developer), (other.id, Role::Owner)]);
    let role = organizations.role(other.id, kofi.id).await.unwrap();
    assert_eq!(role, Some(Role::Owner));
    assert_eq!(organizations.role(other.id, ama.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_lock_on_an_organization_lasts_until_commit() {
    let world = World::new().await;
    let mut organization = world.organization().await;
    let (id, store) = (organization.id, world.store.clone());
    let mut first = world.store.begin().await.unwrap();
    first.lock_organization(id).await.unwrap();

    let second =
        tokio::spawn(
            async move { store.begin().await.unwrap().lock_organization(id).await.unwrap() },
        );
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!second.is_finished());
    organization.name = "Adinkra & Sons".into();
    first.update_organization(&organization).await.unwrap();
    first.commit().await.unwrap();

    assert_eq!(second.await.unwrap(), Some(organization));
}

#[tokio::test]
async fn an_api_key_is_found_by_its_hash_until_it_is_revoked() {
    let world = World::new().await;
    let (own, other) = (world.organization().await, world.organization().await);
    let (first, second) = (api_key(own.id, 0), api_key(own.id, 1));
    let keys = world.api_keys();
    keys.insert(&first, hash(&first)).await.unwrap();
    keys.insert(&second, hash(&second)).await.unwrap();

    let found = keys.find_by_hash(hash(&first)).await.unwrap();
    assert_eq!(found, Some(first.clone()));
    assert_eq!(keys.list(own.id).await.unwrap(), [second.clone(), first.clone()]);
    assert_eq!(keys.list(other.id).await.unwrap(), []);
    assert_eq!(keys.revoke(other.id, first.id).await.unwrap(), None);
    assert_eq!(keys.revoke(own.id, first.id).await.unwrap(), Some(hash(&first)));
    assert_eq!(keys.revoke(own.id, first.id).await.unwrap(), None);
    assert_eq!(keys.find_by_hash(hash(&first)).await.unwrap(), None);
    assert_eq!(keys.list(own.id).await.unwrap(), [second]);
}

#[tokio::test]
async fn the_last_use_of_an_api_key_never_moves_back() {
    let world = World::new().await;
    let (own, other) = (world.organization().await, world.organization().await);
    let (key, unused) = (api_key(own.id, 0), api_key(own.id, 1));
    let keys = world.api_keys();
    keys.insert(&key, hash(&key)).await.unwrap();
    keys.insert(&unused, hash(&unused)).await.unwrap();

    for (organization, at, known) in
        [(other.id, 0, None), (own.id, 1, Some(1)), (own.id, 2, Some(2)), (own.id, 1, Some(2))]
    {
        let used = KeyUse { organization, key: key.id, at: now() + minutes(at) };
        keys.note_uses(&[used]).await.unwrap();
        let found = keys.find_by_hash(hash(&key)).await.unwrap().unwrap();
        assert_eq!(found.last_used_at, known.map(|at| now() + minutes(at)));
    }
    let found = keys.find_by_hash(hash(&unused)).await.unwrap().unwrap();
    assert_eq!(found.last_used_at, None);
}

fn api_key(organization: Id<Organization>, age: i64) -> ApiKey {
    ApiKey {
        id: Id::new_in(now() + minutes(age), organization),
        organization,
        name: "ci".into(),
        prefix: "ak_test_0011".into(),
        scopes: vec!["messages:send".into()],
        is_sandbox: true,
        expires_at: Some(now() + minutes(60)),
        last_used_at: None,
        created_at: now() + minutes(age),
        created_by: None,
    }
}

fn hash(key: &ApiKey) -> [u8; 32] {
    let half = key.id.uuid().into_bytes();
    let mut hash = [0; 32];
    hash[..16].copy_from_slice(&half);
    hash
}
