//! Users as platform administrators see and change them.

use domain::{
    identity::user::{PlatformRole, User},
    platform::user::{UserFilter, UserUpdate},
    shared::{
        change::Change,
        id::Id,
        page::{Page, Paged},
    },
};
use futures_util::future::join_all;
use ports::{
    identity::auth::UserRepository,
    platform::users::{PlatformUserRepository, UserUpdated},
};

use crate::{World, now, user};

impl World {
    fn platform_users(&self) -> &dyn PlatformUserRepository {
        &self.store
    }

    async fn admin(&self, email: &str) -> User {
        let admin = User { platform_role: Some(PlatformRole::SuperAdmin), ..user(email) };
        UserRepository::insert(&self.store, &admin).await.unwrap();
        admin
    }

    async fn listed_users(&self, search: Option<&str>) -> Paged<User> {
        let filter = UserFilter { search: search.map(str::to_owned) };
        let page = Page::of_short_list(None, None).unwrap();
        self.platform_users().page(&filter, page).await.unwrap()
    }
}

fn ids(found: &Paged<User>) -> Vec<Id<User>> {
    found.items.iter().map(|user| user.id).collect()
}

fn role(platform_role: Option<PlatformRole>) -> UserUpdate {
    UserUpdate { platform_role: Change::Set(platform_role), ..UserUpdate::default() }
}

#[tokio::test]
async fn users_are_found_by_address_and_name_in_any_case() {
    let world = World::alone().await;
    let ama = user("Ama@Kente.example");
    let kofi = User { first_name: "Kofi 100%".into(), ..user("kofi@adinkra.example") };
    for user in [&ama, &kofi] {
        UserRepository::insert(&world.store, user).await.unwrap();
    }
    let mut both = vec![ama.id, kofi.id];
    both.sort_by(|a, b| b.cmp(a));

    for (search, expected) in [
        (None, both.clone()),
        (Some("KENTE"), vec![ama.id]),
        (Some("mensah"), both.clone()),
        (Some("kofi 100% mens"), vec![kofi.id]),
        (Some("0%"), vec![kofi.id]),
        (Some("a_m"), vec![]),
        (Some("@k"), vec![ama.id]),
        (Some("kwame"), vec![]),
    ] {
        let found = world.listed_users(search).await;
        assert_eq!(
            (ids(&found), found.total),
            (expected.clone(), expected.len() as u64),
            "{search:?}"
        );
        assert!(!found.is_lower_bound);
    }

    let rename = format!("UPDATE users SET last_name = 'Owusu' WHERE id = '{}'", kofi.id);
    world.sql(&rename).await;
    assert_eq!(ids(&world.listed_users(Some("owusu")).await), [kofi.id]);
    world.sql(&format!("DELETE FROM users WHERE id = '{}'", kofi.id)).await;
    assert!(world.listed_users(Some("owusu")).await.items.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_administrator_is_left_whatever_happens_at_once() {
    let world = World::alone().await;
    let mut admins = Vec::new();
    for number in 0..5 {
        admins.push(world.admin(&format!("admin{number}@example.com")).await.id);
    }
    assert!(!world.platform_users().is_only_admin(admins[0]).await.unwrap());

    let resign = role(None);
    let resigning =
        join_all(admins.iter().map(|id| world.platform_users().update(*id, &resign, now())));
    let resigned: Vec<_> = resigning.await.into_iter().map(Result::unwrap).collect();

    let refused: Vec<_> = admins
        .iter()
        .zip(&resigned)
        .filter(|(_, updated)| **updated == UserUpdated::LastAdmin)
        .collect();
    assert_eq!(refused.len(), 1, "{resigned:?}");
    let last = *refused[0].0;
    assert!(world.platform_users().is_only_admin(last).await.unwrap());
    let kept = world.platform_users().find(last).await.unwrap().unwrap();
    assert_eq!(kept.platform_role, Some(PlatformRole::SuperAdmin));

    let other = admins.iter().find(|id| **id != last).unwrap();
    let promoted = world.platform_users();
    let promoted = promoted.update(*other, &role(Some(PlatformRole::SuperAdmin)), now()).await;
    assert!(matches!(promoted.unwrap(), UserUpdated::Done(_)));
    let resigned = world.platform_users().update(last, &resign, now()).await.unwrap();
    assert_eq!(resigned, UserUpdated::Done(User { platform_role: None, ..kept }));
}

#[tokio::test]
async fn a_change_leaves_the_rest_of_a_user_as_it_is() {
    let world = World::new().await;
    let ama = world.user().await;
    let users = world.platform_users();
    let verify =
        |is_verified| UserUpdate { is_email_verified: Some(is_verified), ..UserUpdate::default() };

    let verified = User { email_verified_at: Some(now()), ..ama.clone() };
    for _ in 0..2 {
        let updated = users.update(ama.id, &verify(true), now()).await.unwrap();
        assert_eq!(updated, UserUpdated::Done(verified.clone()));
    }
    let updated = users.update(ama.id, &verify(false), now()).await.unwrap();
    assert_eq!(updated, UserUpdated::Done(ama.clone()));
    let ended = users.end_sessions(ama.id).await.unwrap().unwrap();
    assert_eq!(ended, User { session_version: ama.session_version + 1, ..ama });

    let unknown = Id::new(now());
    assert_eq!(users.end_sessions(unknown).await.unwrap(), None);
    let missing = users.update(unknown, &verify(true), now()).await.unwrap();
    assert_eq!(missing, UserUpdated::NotFound);
}
