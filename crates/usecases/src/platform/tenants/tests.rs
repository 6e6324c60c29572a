//! Rules of administering organizations.

use std::{collections::HashMap, sync::Mutex};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::{Member, Profile, RateLimitRequest, Role, Suspension},
    shared::{change::Change, money::Money},
};
use mockall::Sequence;
use ports::{
    messaging::messages::Submission,
    shared::{
        mock::{
            MockAuditLog, MockDeliveryLogRepository, MockIdentityStore, MockIdentityTransaction,
            MockJobs, MockMessagingProvider, MockOrganizationRepository, MockTemplateRepository,
            MockTenantRepository,
        },
        traces::Tracer,
    },
};

use super::*;
use crate::{
    messaging::messages::Messages,
    messaging::{deliveries::Deliveries, messages::MessagesDeps},
    providers::provider_registry::Providers,
    shared::{
        fixtures::{
            NOW, PRICE, administrator, away, clock, delivering, open_intake, policies, price_list,
            prices, tenant,
        },
        limits::Limits,
    },
};

fn organization(is_screened: bool) -> Organization {
    Organization {
        id: tenant(),
        name: "Kente".into(),
        profile: Profile::default(),
        settings: Settings { is_screened, ..Settings::default() },
        created_at: NOW,
    }
}

fn tenants_with(
    found: Option<Organization>,
    identity: MockIdentityStore,
    audit_log: MockAuditLog,
    messages: Messages,
) -> Tenants {
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_find().return_once(|_| Ok(found));
    organizations.expect_members().returning(|_| Ok(vec![owner(), viewer()]));
    let mut repository = MockTenantRepository::new();
    repository.expect_members().returning(|_| Ok(HashMap::new()));
    repository.expect_balances().returning(|_| Ok(HashMap::from([(tenant(), PRICE)])));
    Tenants::new(TenantsDeps {
        repository: Arc::new(repository),
        organizations: Arc::new(organizations),
        identity: Arc::new(identity),
        audit_log: Arc::new(audit_log),
        mailer: Arc::new(messages),
        policies: policies(Arc::new(MockOrganizationRepository::new())),
        clock: clock(),
    })
}

fn member(role: Role, email: &str) -> Member {
    Member {
        user: administrator().id,
        email: email.into(),
        email_verified: true,
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        role,
        joined_at: NOW,
    }
}

fn owner() -> Member {
    member(Role::Owner, "ama@example.com")
}

fn viewer() -> Member {
    member(Role::Viewer, "kofi@example.com")
}

/// Messages for mails to owners, and their submissions.
fn mails() -> (Messages, Arc<Mutex<Vec<Submission>>>) {
    let (intake, mails) = open_intake();
    let providers = Providers::new(Vec::new(), Arc::new(MockMessagingProvider::new()), None);
    let providers = Arc::new(providers);
    let jobs = Arc::new(MockJobs::new());
    let messages = Messages::new(MessagesDeps {
        templates: Arc::new(MockTemplateRepository::new()),
        delivery_logs: Arc::new(MockDeliveryLogRepository::new()),
        intake: Arc::new(intake),
        prices: prices(price_list()),
        providers: Arc::clone(&providers),
        deliveries: Deliveries::new(delivering(jobs, providers, clock())),
        clock: clock(),
        limits: Limits::off(),
        fraud_guard: None,
        tracer: Tracer::default(),
    });
    (messages, mails)
}

fn tenants(
    found: Option<Organization>,
    identity: MockIdentityStore,
    audit_log: MockAuditLog,
) -> Tenants {
    tenants_with(found, identity, audit_log, mails().0)
}

fn screening(screening: bool) -> TenantUpdate {
    TenantUpdate { screening: Some(screening), ..TenantUpdate::default() }
}

fn suspended(since: DateTime<Utc>) -> Organization {
    let mut organization = organization(false);
    let suspension = Suspension { at: since, reason: "It sends scams.".into() };
    organization.settings.suspension = Some(suspension);
    organization
}

/// Identity store that finds `before` and expects its update to `after`, in `order`.
fn changing(before: Organization, after: Organization, order: &mut Sequence) -> MockIdentityStore {
    let mut tx = MockIdentityTransaction::new();
    tx.expect_lock_organization().return_once(|_| Ok(Some(before)));
    let update = tx.expect_update_organization().once().in_sequence(order);
    update.withf(move |changed| *changed == after).returning(|_| Ok(()));
    tx.expect_commit().once().in_sequence(order).returning(|| Ok(()));
    MockIdentityStore::with(tx)
}

/// Audit log that expects one line of that action, in `order`.
fn writing_down(action: AuditAction, order: &mut Sequence) -> MockAuditLog {
    let mut audit_log = MockAuditLog::new();
    let record = audit_log.expect_record().once().in_sequence(order);
    record.returning(move |entry| {
        assert_eq!((entry.organization, &entry.actor), (tenant(), &administrator().actor()));
        assert_eq!(entry.action, action);
        Ok(())
    });
    audit_log
}

#[tokio::test]
async fn a_change_is_in_the_audit_log_before_it_is_made() {
    let mut order = Sequence::new();
    let mut audit_log = MockAuditLog::new();
    let record = audit_log.expect_record().once().in_sequence(&mut order);
    record.returning(|entry| {
        let expected = [
            ("invoiceCreditLimit", "GHS 500.00"),
            ("liveLimit", "5/50"),
            ("requestLimit", "as for all"),
            ("sandboxLimit", "as for all"),
            ("screening", "true"),
        ];
        let expected = expected.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(entry.details, BTreeMap::from(expected));
        Ok(())
    });
    let mut changed = organization(true);
    changed.settings.limits.live = RateLimit::new(5, 50);
    changed.settings.limits.invoice_credit = Some(Money::from_cedis(500));
    let identity = changing(organization(false), changed.clone(), &mut order);
    let mut update = screening(true);
    let limit = RateLimitRequest { per_second: Some(5), burst: Some(50) };
    update.limits.live = Change::Set(Some(limit));
    update.limits.invoice_credit = Change::Set(Some(Money::from_cedis(500)));

    let tenants = tenants(Some(organization(false)), identity, audit_log);
    let tenant = tenants.update(&administrator(), tenant(), update, Faults::default()).await;

    let tenant = tenant.unwrap();
    assert_eq!((tenant.organization, tenant.members, tenant.balance), (changed, 0, PRICE));
}

#[tokio::test]
async fn a_change_that_cannot_be_logged_is_not_made() {
    let mut audit_log = MockAuditLog::new();
    audit_log.expect_record().returning(|_| Err(away()));
    let tenants = tenants(Some(organization(false)), MockIdentityStore::new(), audit_log);

    let changed =
        tenants.update(&administrator(), tenant(), screening(true), Faults::default()).await;

    assert!(matches!(changed, Err(Error::Store(_))), "{changed:?}");
}

#[tokio::test]
async fn an_organization_is_suspended_once_and_its_owners_are_mailed() {
    let mut order = Sequence::new();
    let audit_log = writing_down(AuditAction::TenantSuspended, &mut order);
    let identity = changing(organization(false), suspended(NOW), &mut order);
    let (messages, mails) = mails();
    let first = tenants_with(Some(organization(false)), identity, audit_log, messages.clone());
    let reason = || Some("It sends scams.".to_owned());

    let tenant = first.suspend(&administrator(), tenant(), reason(), Faults::default()).await;

    assert_eq!(tenant.unwrap().organization, suspended(NOW));
    // A repetition changes nothing; the mail has the same key, so it is sent once.
    let (identity, audit_log) = (MockIdentityStore::new(), MockAuditLog::new());
    let again = tenants_with(Some(suspended(NOW)), identity, audit_log, messages.clone());
    let other = Some("another".to_owned());
    again
        .suspend(&administrator(), crate::shared::fixtures::tenant(), other, Faults::default())
        .await
        .unwrap();
    let long_ago = suspended(NOW - TimeDelta::hours(23));
    let (identity, audit_log) = (MockIdentityStore::new(), MockAuditLog::new());
    let later = tenants_with(Some(long_ago), identity, audit_log, messages);
    later
        .suspend(&administrator(), crate::shared::fixtures::tenant(), reason(), Faults::default())
        .await
        .unwrap();
    let mails = mails.lock().unwrap();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].idempotency, mails[1].idempotency);
    let draft = &mails[0].messages[0].draft;
    assert_eq!(draft.recipient.as_str(), "ama@example.com");
    assert!(draft.body.contains("It sends scams."), "{}", draft.body);
}

#[tokio::test]
async fn a_suspended_organization_is_restored_and_its_owners_are_mailed() {
    let mut order = Sequence::new();
    let audit_log = writing_down(AuditAction::TenantRestored, &mut order);
    let identity = changing(suspended(NOW), organization(false), &mut order);
    let (messages, mails) = mails();
    let tenants = tenants_with(Some(suspended(NOW)), identity, audit_log, messages);

    let restored = tenants.restore(&administrator(), tenant()).await.unwrap();

    assert_eq!(restored.organization, organization(false));
    let body = mails.lock().unwrap()[0].messages[0].draft.body.clone();
    assert!(body.contains(&tenant().to_string()) && !body.contains("Kente"), "{body}");
    // An organization that is not suspended is left unchanged.
    let (identity, audit_log) = (MockIdentityStore::new(), MockAuditLog::new());
    let tenants = super::tests::tenants(Some(organization(false)), identity, audit_log);
    tenants.restore(&administrator(), tenant()).await.unwrap();
}
