//! Whether users read their mail, and what those without an organization can do.

use super::*;

const PAGE: &str = "https://notify.example.com/auth/verify-email";

#[tokio::test]
async fn a_link_that_verifies_the_address_is_mailed_and_only_a_hash_is_kept() {
    let mut session = MockSession::default();
    let keep = session.users.expect_insert_verification_token().once();
    keep.withf(|id, hash, expires_at| {
        let kept = digest::of_secret(hex(&SECRET).as_bytes());
        (*id, *hash, *expires_at) == (user().id, kept, NOW + TimeDelta::hours(24))
    })
    .returning(|_, _, _| Ok(()));
    let (intake, submissions) = open_intake();
    let parts = Parts { intake, ..Parts::new(store(session)) };

    parts.auth().mail_verification(&user(), PAGE).await.unwrap();

    let submissions = submissions.lock().unwrap();
    let draft = &submissions[0].messages[0].draft;
    assert_eq!(draft.recipient.as_str(), EMAIL);
    assert!(draft.body.contains(&format!("{PAGE}?token={}", hex(&SECRET))), "{}", draft.body);
    assert!(!draft.body.contains("Ama"), "it holds no text that a stranger chose");
}

async fn verify(store: &Arc<MockStore>) -> Result<(), Error> {
    let auth = Parts::new(Arc::clone(store)).auth();
    auth.verify_email(Some("token".to_owned()), Faults::default()).await
}

#[tokio::test]
async fn a_mailed_token_verifies_the_address_once() {
    let mut session = MockSession::default();
    let take = session.users.expect_take_verification_token().once();
    take.withf(|hash, now| *hash == digest::of_secret(b"token") && *now == NOW)
        .returning(|_, _| Ok(Some(user().id)));
    let note = session.users.expect_verify_email().once();
    note.withf(|id, now| (*id, *now) == (user().id, NOW)).returning(|_, _| Ok(()));
    let known = store(session);
    verify(&known).await.unwrap();
    assert!(known.committed());

    let mut session = MockSession::default();
    session.users.expect_take_verification_token().once().returning(|_, _| Ok(None));
    let error = verify(&store(session)).await.unwrap_err();
    assert!(matches!(error, Error::InvalidMailedToken), "{error}");
}

fn owning(organizations: usize) -> MockSession {
    let mut session = MockSession::default();
    session.users.expect_lock().once().returning(|_| Ok(Some(user())));
    let membership = |role| Membership { organization: tenant(), name: "Kente".into(), role };
    let mut memberships = vec![membership(Role::Owner); organizations];
    memberships.push(membership(Role::Admin));
    session.organizations.expect_memberships().once().return_once(|_| Ok(memberships));
    session
}

async fn found(store: &Arc<MockStore>, name: Option<&str>) -> Result<Organization, Error> {
    let auth = Parts::new(Arc::clone(store)).auth();
    auth.found(&user(), name.map(str::to_owned), Faults::default()).await
}

#[tokio::test]
async fn a_user_founds_three_organizations_at_most() {
    let mut session = owning(2);
    session.organizations.expect_insert().once().returning(|_| Ok(()));
    let put = session.organizations.expect_put_member().once();
    put.withf(|_, id, role, _| (*id, *role) == (user().id, Role::Owner))
        .returning(|_, _, _, _| Ok(()));
    let open = session.wallets.expect_open().once();
    open.withf(|_, credit, _| *credit == CREDIT).returning(|_, _, _| Ok(()));
    let third = store(session);
    assert_eq!(found(&third, Some(" Kente Ltd ")).await.unwrap().name, "Kente Ltd");
    assert!(third.committed());

    let fourth = store(owning(3));
    let error = found(&fourth, Some("Kente Ltd")).await.unwrap_err();
    assert!(matches!(error, Error::TooManyOrganizations), "{error}");
    assert!(!fourth.committed());
}

#[tokio::test]
async fn an_organization_needs_a_name() {
    for name in [None, Some(""), Some(" ")] {
        let error = found(&no_store(), name).await.unwrap_err();
        let Error::Invalid(faults) = error else { panic!("{error}") };
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["name"]);
    }
}
