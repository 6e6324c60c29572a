//! Verification of email addresses, and creation of organizations by users.

use domain::identity::session::{MAX_VERIFICATION_MAILS, VERIFICATION_MAIL_WINDOW};

use super::*;
use crate::shared::digest;

const PAGE: &str = "https://notify.example.com/auth/verify-email";

#[tokio::test]
async fn mails_a_verification_link_and_stores_only_a_hash() {
    let mut users = MockUserRepository::new();
    let keep = users.expect_insert_verification_token().once();
    keep.withf(|id, hash, expires_at, limit| {
        let kept = digest::of_secret(hex(&SECRET).as_bytes());
        let ends_at = NOW + TimeDelta::hours(24);
        assert_eq!(limit.most, MAX_VERIFICATION_MAILS);
        assert_eq!(limit.expiring_after, ends_at - VERIFICATION_MAIL_WINDOW);
        (*id, *hash, *expires_at) == (user().id, kept, ends_at)
    })
    .returning(|_, _, _, _| Ok(true));
    let (intake, submissions) = open_intake();
    let mocks = AuthMocks { intake, ..AuthMocks::over(users) };

    mocks.auth().mail_verification(&user(), PAGE).await.unwrap();

    let submissions = submissions.lock().unwrap();
    let draft = &submissions[0].messages[0].draft;
    assert_eq!(draft.recipient.as_str(), EMAIL);
    assert!(draft.body.contains(&format!("{PAGE}?token={}", hex(&SECRET))), "{}", draft.body);
    assert!(!draft.body.contains("Ama"), "it holds no text that a stranger chose");
}

#[tokio::test]
async fn refuses_a_verification_link_after_too_many() {
    let mut users = MockUserRepository::new();
    users.expect_insert_verification_token().once().returning(|_, _, _, _| Ok(false));

    let refused = AuthMocks::over(users).auth().mail_verification(&user(), PAGE).await;

    assert_eq!(refused.unwrap_err().code(), "RATE_LIMITED");
}

fn owning(organizations: usize) -> MockIdentityTransaction {
    let mut tx = MockIdentityTransaction::new();
    tx.expect_lock_user().once().returning(|_| Ok(Some(user())));
    let membership =
        |role| Membership { organization: tenant(), name: "Kente".into(), role, closed_at: None };
    let mut memberships = vec![membership(Role::Owner); organizations];
    memberships.push(membership(Role::Admin));
    tx.expect_memberships().once().return_once(|_| Ok(memberships));
    tx
}

async fn create(mocks: AuthMocks, name: &str) -> Result<Organization, Error> {
    mocks.auth().create_organization(&user(), Some(name.to_owned()), Faults::default()).await
}

#[tokio::test]
async fn a_user_creates_three_organizations_at_most() {
    let mut tx = owning(2);
    tx.expect_insert_organization().once().returning(|_| Ok(()));
    let put = tx.expect_put_member().once();
    put.withf(|_, id, role, _| (*id, *role) == (user().id, Role::Owner))
        .returning(|_, _, _, _| Ok(()));
    tx.expect_commit().once().returning(|| Ok(()));
    let third = create(AuthMocks::within(tx).provisioning(), " Kente Ltd ").await.unwrap();
    assert_eq!(third.name, "Kente Ltd");

    let error = create(AuthMocks::within(owning(3)), "Kente Ltd").await.unwrap_err();
    assert_eq!(error.code(), "FORBIDDEN", "{error}");
}
