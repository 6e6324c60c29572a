//! Rules of making platform administrators.

use ports::shared::mock::{MockPasswordHasher, MockUserRepository};

use super::*;
use crate::shared::fixtures::{clock, user};

const EMAIL: &str = "ama@example.com";
const PASSWORD: &str = "correct horse";

fn admin() -> User {
    User { platform_role: Some(PlatformRole::SuperAdmin), ..user() }
}

/// Users that return these results for the address, one per look-up.
fn finding(found: Vec<Option<User>>) -> MockUserRepository {
    let mut users = MockUserRepository::new();
    for user in found {
        let find = users.expect_find_by_email().once();
        find.withf(|email| email == EMAIL).return_once(|_| Ok(user));
    }
    users
}

fn inserting(users: &mut MockUserRepository, result: Result<(), StoreError>) {
    let insert = users.expect_insert().once();
    insert.withf(|user| user.platform_role.is_some()).return_once(|_| result);
}

/// Operations that hash no password.
fn admins(users: MockUserRepository) -> Admins {
    Admins::new(Arc::new(users), Arc::new(MockPasswordHasher::new()), clock())
}

fn hashing_admins(users: MockUserRepository) -> Admins {
    let mut passwords = MockPasswordHasher::new();
    let hash = passwords.expect_hash().once();
    hash.withf(|password| password == PASSWORD).returning(|_| Ok("hash of it".to_owned()));
    Admins::new(Arc::new(users), Arc::new(passwords), clock())
}

#[tokio::test]
async fn promotes_registered_users_only() {
    let error = admins(finding(vec![None])).promote(EMAIL).await.unwrap_err();
    assert!(matches!(error, AdminError::UnknownUser(_)), "{error}");
}

#[tokio::test]
async fn two_instances_that_start_at_once_make_one_administrator() {
    let taken = || Err(StoreError::Conflict { constraint: EMAIL_TAKEN.to_owned() });
    let mut users = finding(vec![None, Some(admin())]);
    inserting(&mut users, taken());
    hashing_admins(users).create(EMAIL, PASSWORD).await.unwrap();

    let mut users = finding(vec![None, Some(user())]);
    inserting(&mut users, taken());
    let error = hashing_admins(users).create(EMAIL, PASSWORD).await.unwrap_err();
    assert!(matches!(error, AdminError::OrdinaryUser(_)), "{error}");
}
