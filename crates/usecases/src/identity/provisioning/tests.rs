//! Rules of provisioning.

use mockall::Sequence;
use ports::shared::mock::{MockOrganizationRepository, MockWalletRepository};

use super::*;
use crate::shared::fixtures::{NOW, away, clock, tenant};

const CREDIT: Money = Money::from_cedis(10);

fn provisioning(
    organizations: MockOrganizationRepository,
    wallets: MockWalletRepository,
) -> Provisioning {
    Provisioning::new(Arc::new(organizations), Arc::new(wallets), clock(), CREDIT)
}

#[tokio::test]
async fn an_organization_is_provisioned_only_after_its_wallet_opened() {
    let (mut organizations, mut wallets) =
        (MockOrganizationRepository::new(), MockWalletRepository::new());
    let mut sequence = Sequence::new();
    let open = wallets.expect_open().once().in_sequence(&mut sequence);
    open.returning(|_, _, _| Err(away()));
    let open = wallets.expect_open().once().in_sequence(&mut sequence);
    open.withf(|id, credit, now| (*id, *credit, *now) == (tenant(), CREDIT, NOW))
        .returning(|_, _, _| Ok(()));
    let mark = organizations.expect_mark_provisioned().once().in_sequence(&mut sequence);
    mark.withf(|id| *id == tenant()).returning(|_| Ok(()));
    let provisioning = provisioning(organizations, wallets);

    assert!(provisioning.provision(tenant()).await.is_err());
    provisioning.provision(tenant()).await.unwrap();
}

#[tokio::test]
async fn provisions_interrupted_organizations_despite_a_failure() {
    let (stuck, other) = (tenant(), Id::new(NOW));
    let (mut organizations, mut wallets) =
        (MockOrganizationRepository::new(), MockWalletRepository::new());
    let look = organizations.expect_unprovisioned().once();
    look.withf(|before, limit| (*before, *limit) == (NOW - TimeDelta::seconds(10), 100))
        .return_once(move |_, _| Ok(vec![stuck, other]));
    let open = wallets.expect_open().times(2);
    open.returning(move |id, _, _| if id == stuck { Err(away()) } else { Ok(()) });
    let mark = organizations.expect_mark_provisioned().once();
    mark.withf(move |id| *id == other).returning(|_| Ok(()));

    let provisioned = provisioning(organizations, wallets).provision_left().await;

    assert_eq!(provisioned.unwrap(), 1);
}
