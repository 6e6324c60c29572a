//! Rules of impersonation.

use domain::{
    identity::{
        actor::{Actor, RequestId},
        organization::Member,
        user::PlatformRole,
    },
    platform::audit::AuditAction,
};
use mockall::Sequence;

use super::*;
use crate::shared::fixtures::away;

fn request() -> RequestId {
    RequestId::new("request-1")
}

/// Session of an administrator who impersonates nobody.
fn administrator() -> SignedIn {
    let user = User { platform_role: Some(PlatformRole::SuperAdmin), ..user() };
    SignedIn { claims: Claims::begin(&user, NOW), user }
}

/// Session of the same administrator acting as the tenant.
fn impersonating() -> SignedIn {
    let SignedIn { user, claims } = administrator();
    let user = User { platform_role: None, ..user };
    SignedIn { claims: claims.impersonate(tenant(), NOW), user }
}

fn actor(is_impersonating: bool) -> Actor {
    Actor { user: user().id, request: request(), is_impersonating }
}

fn organization() -> Organization {
    Organization {
        id: tenant(),
        name: "Kente".into(),
        profile: Profile::default(),
        settings: Settings::default(),
        created_at: NOW,
    }
}

fn member(email: &str, role: Role) -> Member {
    Member {
        user: Id::new(NOW),
        email: email.into(),
        email_verified: true,
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        role,
        joined_at: NOW,
    }
}

#[tokio::test]
async fn an_impersonation_is_logged_and_mailed_to_the_owners() {
    let mut mocks = AuthMocks::new();
    mocks.organizations.expect_find().returning(|_| Ok(Some(organization())));
    mocks.organizations.expect_members().returning(|_| {
        let owners = ["ama@example.com", "esi@example.com"].map(|it| member(it, Role::Owner));
        Ok([owners.to_vec(), vec![member("kofi@example.com", Role::Admin)]].concat())
    });
    mocks.audit_log.expect_record().once().returning(|entry| {
        assert_eq!((entry.action, &entry.actor), (AuditAction::ImpersonationBegan, &actor(false)));
        assert_eq!((entry.organization, entry.at), (tenant(), NOW));
        assert_eq!(entry.details.get("reason").map(String::as_str), Some("ticket 4711"));
        Ok(())
    });
    let (intake, submissions) = open_intake();
    mocks.intake = intake;

    let wanted = (tenant(), Some(" ticket 4711 ".to_owned()));
    let begun = mocks.auth().impersonate(&administrator(), request(), wanted).await.unwrap();

    assert_eq!(
        (begun.organization, begun.expires_at),
        (organization(), NOW + TimeDelta::minutes(15))
    );
    let submissions = submissions.lock().unwrap();
    let mails: Vec<_> = submissions.iter().map(|it| &it.messages[0].draft).collect();
    let recipients: Vec<_> = mails.iter().map(|mail| mail.recipient.to_string()).collect();
    assert_eq!(recipients, ["ama@example.com", "esi@example.com"]);
    assert!(mails.iter().all(|mail| mail.body.contains(&tenant().to_string())));
    let keys: Vec<_> = submissions.iter().map(|it| &it.idempotency.as_ref().unwrap().key).collect();
    assert_ne!(keys[0], keys[1]);
}

#[tokio::test]
async fn refuses_an_impersonation_without_log_or_mail() {
    let mut mocks = AuthMocks::new();
    mocks.organizations.expect_find().returning(|_| Ok(Some(organization())));
    mocks.audit_log.expect_record().returning(|_| Err(away()));
    let refused = mocks.auth().impersonate(&administrator(), request(), (tenant(), None)).await;
    assert_eq!(refused.unwrap_err().code(), "SERVICE_UNAVAILABLE");

    let mut mocks = AuthMocks::new();
    mocks.organizations.expect_find().returning(|_| Ok(Some(organization())));
    mocks.organizations.expect_members().returning(|_| Err(away()));
    mocks.audit_log.expect_record().returning(|_| Ok(()));
    let refused = mocks.auth().impersonate(&administrator(), request(), (tenant(), None)).await;
    assert_eq!(refused.unwrap_err().code(), "SERVICE_UNAVAILABLE");
}

#[tokio::test]
async fn an_impersonation_ends_once_and_returns_to_the_own_session() {
    let session = impersonating();
    let mut order = Sequence::new();
    let mut mocks = AuthMocks::new();
    mocks.audit_log.expect_record().once().in_sequence(&mut order).returning(|entry| {
        assert_eq!((entry.action, &entry.actor), (AuditAction::ImpersonationEnded, &actor(true)));
        Ok(())
    });
    let id = session.claims.id;
    let revoke = mocks.revoked_sessions.expect_revoke().once().in_sequence(&mut order);
    revoke.withf(move |claims| claims.id == id).returning(|_| Ok(true));

    let restored = mocks.auth().exit_impersonation(session.clone(), request()).await.unwrap();

    assert_eq!(restored.expires_at, administrator().claims.expires_at);

    let mut mocks = AuthMocks::new();
    mocks.audit_log.expect_record().returning(|_| Ok(()));
    mocks.revoked_sessions.expect_revoke().returning(|_| Ok(false));
    let refused = mocks.auth().exit_impersonation(session, request()).await.unwrap_err();
    assert_eq!(refused.reason(), Some(&SESSION_ENDED));
}

#[tokio::test]
async fn an_exited_session_has_ended_and_an_administrator_acts_without_rights() {
    let (admin, acting) = (administrator().user, impersonating());
    for is_revoked in [false, true] {
        let mut users = MockUserRepository::new();
        let found = Some((admin.clone(), Some(1))).filter(|_| !is_revoked);
        users.expect_find_signed_in().once().return_once(|_| Ok(found));
        let mocks = AuthMocks::over(users).reading(Ok(acting.claims.clone()));

        let session = mocks.auth().authenticate("token").await;

        match session {
            Ok(session) => assert_eq!((&session, is_revoked), (&acting, false)),
            Err(error) => assert_eq!((error.reason(), is_revoked), (Some(&SESSION_ENDED), true)),
        }
    }
    assert_eq!(
        authenticated(Claims::begin(&admin, NOW), Some(admin.clone()), None).await.unwrap(),
        admin
    );
}
