//! The rules of what platform administrators decide about organizations.

use domain::organization::{Profile, Settings};
use mockall::Sequence;
use ports::mock::{
    MockAuditLog, MockIdentityStore, MockIdentityTransaction, MockOrganizationRepository,
};

use super::*;
use crate::fixtures::{NOW, administrator, away, clock, policies, tenant};

fn organization(is_screened: bool) -> Organization {
    Organization {
        id: tenant(),
        name: "Kente".into(),
        profile: Profile::default(),
        settings: Settings { is_screened, ..Settings::default() },
        created_at: NOW,
    }
}

fn tenants(
    found: Option<Organization>,
    identity: MockIdentityStore,
    audit_log: MockAuditLog,
) -> Tenants {
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_find().return_once(|_| Ok(found));
    let policies = policies(Arc::new(MockOrganizationRepository::new()));
    let (identity, audit_log) = (Arc::new(identity), Arc::new(audit_log));
    Tenants::new(Arc::new(organizations), identity, audit_log, policies, clock())
}

fn screening(screening: bool) -> TenantUpdate {
    TenantUpdate { screening: Some(screening) }
}

#[tokio::test]
async fn a_change_is_in_the_audit_log_before_it_is_made() {
    let mut order = Sequence::new();
    let mut audit_log = MockAuditLog::new();
    let record = audit_log.expect_record().once().in_sequence(&mut order);
    record.returning(|entry| {
        assert_eq!((entry.organization, &entry.actor), (tenant(), &administrator().actor()));
        assert_eq!(entry.details, BTreeMap::from([("screening", "true".to_owned())]));
        Ok(())
    });
    let mut tx = MockIdentityTransaction::new();
    tx.expect_lock_organization().return_once(|_| Ok(Some(organization(false))));
    let update = tx.expect_update_organization().once().in_sequence(&mut order);
    update.withf(|changed| *changed == organization(true)).returning(|_| Ok(()));
    tx.expect_commit().once().in_sequence(&mut order).returning(|| Ok(()));

    let tenants = tenants(Some(organization(false)), MockIdentityStore::with(tx), audit_log);
    let changed =
        tenants.update(&administrator(), tenant(), screening(true), Faults::default()).await;

    assert_eq!(changed.unwrap(), organization(true));
}

#[tokio::test]
async fn what_cannot_be_written_into_the_audit_log_is_not_changed() {
    let mut audit_log = MockAuditLog::new();
    audit_log.expect_record().returning(|_| Err(away()));
    let tenants = tenants(Some(organization(false)), MockIdentityStore::new(), audit_log);

    let changed =
        tenants.update(&administrator(), tenant(), screening(true), Faults::default()).await;

    assert!(matches!(changed, Err(Error::Store(_))), "{changed:?}");
}

#[tokio::test]
async fn the_platform_s_own_organization_is_no_tenant() {
    let own = Organization { id: PLATFORM, ..organization(false) };
    for found in [None, Some(own)] {
        let tenants = tenants(found, MockIdentityStore::new(), MockAuditLog::new());
        let changed =
            tenants.update(&administrator(), PLATFORM, screening(true), Faults::default()).await;
        assert!(matches!(changed, Err(Error::NotFound("organization"))), "{changed:?}");
    }
}
