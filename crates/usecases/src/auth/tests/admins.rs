//! Who becomes a platform administrator.

use super::*;

fn admin() -> User {
    User { platform_role: Some(PlatformRole::SuperAdmin), ..user() }
}

/// A session in which that user has the address, if anybody.
fn finding(user: Option<User>) -> MockSession {
    let mut session = MockSession::default();
    let find = session.users.expect_find_by_email().once();
    find.withf(|email| email == EMAIL).return_once(|_| Ok(user));
    session
}

fn inserting(result: Result<(), StoreError>) -> MockSession {
    let mut session = MockSession::default();
    let insert = session.users.expect_insert().once();
    insert.withf(|user| user.platform_role.is_some()).return_once(|_| result);
    session
}

fn over(sessions: Vec<MockSession>) -> Parts {
    Parts::new(Arc::new(MockStore::with_all(sessions)))
}

#[tokio::test]
async fn a_new_administrator_is_registered_with_the_password() {
    let auth = over(vec![finding(None), inserting(Ok(()))]).hashing().auth();
    auth.put_admin(EMAIL, PASSWORD).await.unwrap();
}

#[tokio::test]
async fn an_administrator_who_exists_stays_as_they_are() {
    let auth = over(vec![finding(Some(admin()))]).auth();
    auth.put_admin(EMAIL, PASSWORD).await.unwrap();
}

#[tokio::test]
async fn somebody_who_registered_is_made_no_administrator_unless_told_so() {
    let auth = over(vec![finding(Some(user()))]).auth();
    let error = auth.put_admin(EMAIL, PASSWORD).await.unwrap_err();
    assert!(matches!(&error, AdminError::OrdinaryUser(email) if email == EMAIL), "{error}");
    assert!(error.to_string().contains("--promote"), "{error}");

    let mut promoting = MockSession::default();
    let promote = promoting.users.expect_make_platform_admin().once();
    promote.withf(|id| *id == user().id).returning(|_| Ok(()));
    let auth = over(vec![finding(Some(user())), promoting]).auth();
    auth.promote_admin(EMAIL).await.unwrap();
}

#[tokio::test]
async fn nobody_is_promoted_who_has_not_registered() {
    let error = over(vec![finding(None)]).auth().promote_admin(EMAIL).await.unwrap_err();
    assert!(matches!(error, AdminError::UnknownUser(_)), "{error}");
}

#[tokio::test]
async fn two_instances_that_start_at_once_make_one_administrator() {
    let taken = || Err(StoreError::Conflict { constraint: EMAIL_TAKEN.to_owned() });
    let sessions = vec![finding(None), inserting(taken()), finding(Some(admin()))];
    over(sessions).hashing().auth().put_admin(EMAIL, PASSWORD).await.unwrap();

    let sessions = vec![finding(None), inserting(taken()), finding(Some(user()))];
    let error = over(sessions).hashing().auth().put_admin(EMAIL, PASSWORD).await.unwrap_err();
    assert!(matches!(error, AdminError::OrdinaryUser(_)), "{error}");
}
