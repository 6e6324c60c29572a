//! Audit of changes of users.

use std::sync::Mutex;

use domain::identity::actor::RequestId;
use ports::shared::mock::{MockAuditLog, MockPlatformUserRepository, MockSecondFactorRepository};

use super::*;
use crate::shared::fixtures::{NOW, clock};

fn admin() -> Administrator {
    Administrator { id: Id::new(NOW), request: RequestId::new("request-1") }
}

fn user(platform_role: Option<PlatformRole>) -> User {
    User {
        id: Id::new(NOW),
        email: "ama@example.com".into(),
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        password_hash: "$argon2id$1".into(),
        platform_role,
        session_version: 1,
        email_verified_at: None,
        second_factor_at: None,
        created_at: NOW,
    }
}

/// A repository with one administrator, who is the only one, and an audit log.
fn users(
    present: &User,
    is_only_admin: bool,
) -> (MockPlatformUserRepository, Arc<Mutex<Vec<AuditEntry>>>, MockAuditLog) {
    let mut repository = MockPlatformUserRepository::new();
    let found = present.clone();
    repository.expect_find().returning(move |_| Ok(Some(found.clone())));
    repository.expect_is_only_admin().returning(move |_| Ok(is_only_admin));
    let lines = Arc::new(Mutex::new(Vec::new()));
    let mut audit_log = MockAuditLog::new();
    let kept = Arc::clone(&lines);
    audit_log.expect_record().returning(move |entry| {
        kept.lock().unwrap().push(entry.clone());
        Ok(())
    });
    (repository, lines, audit_log)
}

fn operations(repository: MockPlatformUserRepository, audit_log: MockAuditLog) -> PlatformUsers {
    let second_factors = Arc::new(MockSecondFactorRepository::new());
    PlatformUsers::new(Arc::new(repository), second_factors, Arc::new(audit_log), clock())
}

#[tokio::test]
async fn a_refused_or_empty_change_leaves_no_line_in_the_audit_log() {
    let last = user(Some(PlatformRole::SuperAdmin));
    let (repository, lines, audit_log) = users(&last, true);
    let users = operations(repository, audit_log);
    let demotion = UserUpdate { platform_role: Change::Set(None), ..UserUpdate::default() };

    let refused = users.update(&admin(), last.id, demotion, Faults::default()).await;
    assert_eq!(refused.unwrap_err().code(), "LAST_ADMIN");
    let update = UserUpdate::default();
    let same = users.update(&admin(), last.id, update, Faults::default()).await.unwrap();

    assert_eq!(same, last);
    assert!(lines.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_change_is_recorded_before_it_is_made() {
    let present = user(Some(PlatformRole::SuperAdmin));
    let (mut repository, lines, audit_log) = users(&present, false);
    let recorded = Arc::clone(&lines);
    repository.expect_update().once().returning(move |_, _, _| {
        assert_eq!(recorded.lock().unwrap().len(), 1);
        Ok(UserUpdated::LastAdmin)
    });
    let users = operations(repository, audit_log);
    let update = UserUpdate { platform_role: Change::Set(None), is_email_verified: Some(false) };

    let overtaken = users.update(&admin(), present.id, update, Faults::default()).await;

    assert_eq!(overtaken.unwrap_err().code(), "LAST_ADMIN");
    let line = lines.lock().unwrap().pop().unwrap();
    assert_eq!((line.action, line.resource), (AuditAction::UserUpdated, present.id.uuid()));
    let expected = [("emailVerified", "false"), ("platformRole", "none")];
    let details: Vec<_> = line.details.iter().map(|(name, text)| (*name, text.as_str())).collect();
    assert_eq!(details, expected);
}
