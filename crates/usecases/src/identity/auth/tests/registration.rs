//! Registration of users and organizations in two steps.

use domain::identity::caller::Caller;
use ports::shared::{
    mock::{MockPricingRepository, MockSpendingRulesStore},
    nobody::Nobody,
};

use super::*;
use crate::{
    identity::{
        organizations::{Organizations, OrganizationsDeps},
        spending::Spending,
    },
    money::{billing::Billing, prices::Prices},
    shared::fixtures::{self, away, member},
};

/// Transaction that expects the first step of a registration and its commit.
fn first_step() -> MockIdentityTransaction {
    let mut tx = MockIdentityTransaction::new();
    tx.expect_insert_user().once().returning(|_| Ok(()));
    tx.expect_insert_organization().once().returning(|_| Ok(()));
    let put = tx.expect_put_member().once();
    put.withf(|_, _, role, _| *role == Role::Owner).returning(|_, _, _, _| Ok(()));
    tx.expect_commit().once().returning(|| Ok(()));
    tx
}

async fn register(mocks: AuthMocks) -> Result<(Session, Option<Organization>), Error> {
    mocks.hashing().auth().register(registration(), ADDRESS, Faults::default()).await
}

#[tokio::test]
async fn registration_provisions_the_organization_before_it_returns() {
    let (session, organization) =
        register(AuthMocks::within(first_step()).provisioning()).await.unwrap();

    assert_eq!(session.user.email, EMAIL);
    assert_eq!(organization.unwrap().name, "Kente Ltd");
}

#[tokio::test]
async fn a_user_can_sign_in_after_a_failed_provisioning() {
    let mut mocks = AuthMocks::within(first_step());
    mocks.wallets.expect_open().once().returning(|_, _, _| Err(away()));
    let error = register(mocks).await.unwrap_err();
    assert_eq!(error.code(), "SERVICE_UNAVAILABLE", "{error}");

    let mut users = signing_in(1, Some(user()));
    users.expect_forget_logins().once().returning(|_, _| Ok(()));
    let mut mocks = AuthMocks::over(users).verifying(Some(HASH), true);
    mocks.organizations.expect_memberships().once().returning(|_| {
        let name = "Kente Ltd".to_owned();
        let role = Role::Owner;
        Ok(vec![Membership { organization: tenant(), name, role, closed_at: None }])
    });
    let signed_in = mocks.auth().login(credentials(), ADDRESS, Faults::default()).await;
    assert_eq!(signed_in.unwrap().1[0].organization, tenant());
}

#[tokio::test]
async fn a_wallet_that_is_not_open_yet_is_unavailable() {
    let wallets = || {
        let mut wallets = MockWalletRepository::new();
        wallets.expect_find().once().returning(|_| Ok(None));
        Arc::new(wallets)
    };
    let owner: Caller = member(Role::Owner);
    let prices = Prices::new(Arc::new(MockPricingRepository::new()), clock(), Arc::new(Nobody));
    let billing = Billing::new(wallets(), prices);
    let mut repository = MockOrganizationRepository::new();
    repository.expect_find().once().returning(|id| {
        let (profile, settings) = (Profile::default(), Settings::default());
        Ok(Some(Organization { id, name: "Kente".into(), profile, settings, created_at: NOW }))
    });
    let repository = Arc::new(repository);
    let organizations = Organizations::new(OrganizationsDeps {
        policies: fixtures::policies(Arc::clone(&repository)),
        repository,
        wallets: wallets(),
        identity: Arc::new(MockIdentityStore::new()),
        spending: Spending::new(Arc::new(MockSpendingRulesStore::new())),
    });

    let wallet = billing.wallet(&owner).await.unwrap_err();
    let overview = organizations.current(&owner).await.unwrap_err();

    assert_eq!((wallet.code(), overview.code()), ("SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE"));
}
