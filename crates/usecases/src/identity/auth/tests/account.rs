//! The account of a signed-in user.

use domain::identity::open_session::OpenSession;

use super::*;

const NEW_PASSWORD: &str = "staple and stable";

fn signed_in() -> SignedIn {
    SignedIn { claims: Claims::begin(&user(), NOW), user: user() }
}

/// Users that count an attempt with the present password as number `attempts`.
fn counting(attempts: u32) -> MockUserRepository {
    let mut users = MockUserRepository::new();
    let attempts = Attempts { count: attempts, since: NOW - TimeDelta::minutes(5) };
    users.expect_count_login().once().return_once(move |_, _, _, _| {
        Ok(LoginAttempts { from_address: attempts, in_all: attempts })
    });
    users
}

async fn change(mocks: AuthMocks, new: &str) -> Result<(), Error> {
    let change =
        PasswordChange { current_password: Some(PASSWORD.into()), new_password: Some(new.into()) };
    let client = ADDRESS.into();
    mocks.auth().change_password(&signed_in(), change, &client, Faults::default()).await
}

fn faulty_fields(error: Error) -> Vec<String> {
    let Error::Invalid(faults) = error else { panic!("{error}") };
    faults.fields.into_keys().collect()
}

#[tokio::test]
async fn a_change_of_the_password_keeps_its_own_session() {
    let mut tx = MockIdentityTransaction::new();
    tx.expect_lock_user().once().returning(|_| Ok(Some(user())));
    tx.expect_set_password().once().returning(|_, _| Ok(()));
    tx.expect_keep_session().once().returning(|_, _| Ok(()));
    tx.expect_commit().once().returning(|| Ok(()));
    let mut users = counting(1);
    users.expect_forget_logins().once().returning(|_, _| Ok(()));
    let mut mocks = AuthMocks { users, ..AuthMocks::within(tx) }.verifying(Some(HASH), true);
    let hash = mocks.passwords.expect_hash().once();
    hash.withf(|password| password == NEW_PASSWORD).returning(|_| Ok("another".into()));

    change(mocks, NEW_PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_wrong_password_stays_counted() {
    let mocks = AuthMocks::over(counting(1)).verifying(Some(HASH), false);
    let error = change(mocks, NEW_PASSWORD).await.unwrap_err();
    assert_eq!(faulty_fields(error), ["currentPassword"]);

    let error = change(AuthMocks::over(counting(11)), NEW_PASSWORD).await.unwrap_err();
    assert_eq!(error.code(), "RATE_LIMITED");
}

#[tokio::test]
async fn a_weak_new_password_is_not_counted() {
    let error = change(AuthMocks::new(), "password123").await.unwrap_err();
    assert_eq!(faulty_fields(error), ["newPassword"]);
}

#[tokio::test]
async fn a_password_changed_at_the_same_time_is_not_overwritten() {
    let mut tx = MockIdentityTransaction::new();
    let changed = User { password_hash: "changed".into(), session_version: 2, ..user() };
    tx.expect_lock_user().once().return_once(|_| Ok(Some(changed)));
    let mut users = counting(1);
    users.expect_forget_logins().returning(|_, _| Ok(()));
    let mut mocks = AuthMocks { users, ..AuthMocks::within(tx) }.verifying(Some(HASH), true);
    mocks.passwords.expect_hash().returning(|_| Ok("another".into()));

    let error = change(mocks, NEW_PASSWORD).await.unwrap_err();

    assert_eq!(faulty_fields(error), ["currentPassword"]);
}

#[tokio::test]
async fn an_unlisted_session_is_revoked_by_its_first_token() {
    let session = signed_in();
    let first = session.claims.session.uuid();
    let mut mocks = AuthMocks::new();
    mocks.sessions.expect_end().once().returning(|_, _, _| Ok(false));
    let revoke = mocks.revoked_sessions.expect_revoke().once();
    revoke.withf(move |token| token.id == first).returning(|_| Ok(true));

    mocks.auth().logout(&session).await.unwrap();
}

#[tokio::test]
async fn an_impersonator_changes_nothing_of_the_account() {
    let SignedIn { user, claims } = signed_in();
    let acting = SignedIn { user, claims: claims.impersonate(tenant(), NOW) };
    let auth = AuthMocks::new().auth();

    assert_eq!(auth.logout(&acting).await.unwrap_err().code(), "FORBIDDEN");
    assert_eq!(auth.logout_everywhere(&acting).await.unwrap_err().code(), "FORBIDDEN");
    assert_eq!(auth.sessions(&acting).await.unwrap_err().code(), "FORBIDDEN");
    let id = Id::<OpenSession>::new(NOW);
    assert_eq!(auth.end_session(&acting, id).await.unwrap_err().code(), "FORBIDDEN");
}
