//! The rules of organizations.

use chrono::TimeDelta;
use domain::{
    change::Change,
    id::Id,
    organization::{Profile, Settings},
    user::User,
};
use ports::mock::{
    MockIdentityStore, MockIdentityTransaction, MockOrganizationRepository, MockWalletRepository,
};

use super::*;
use crate::fixtures::{NOW, clock, member, program, tenant};

fn user() -> User {
    User {
        id: "018bcfe5-6800-7000-8000-000000000003".parse().unwrap(),
        email: "ama@example.com".into(),
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        password_hash: String::new(),
        platform_role: None,
        session_version: 1,
        email_verified_at: Some(NOW),
        created_at: NOW,
    }
}

fn in_role(role: Role, user: Id<User>) -> Member {
    Member {
        user,
        email: "ama@example.com".into(),
        email_verified: true,
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        role,
        joined_at: NOW - TimeDelta::days(1),
    }
}

fn organization() -> Organization {
    Organization {
        id: tenant(),
        name: "Kente Ltd".into(),
        profile: Profile::default(),
        settings: Settings::default(),
        created_at: NOW,
    }
}

/// A transaction in which the invited user has registered and these are members.
fn with_members(members: Vec<Member>) -> MockIdentityTransaction {
    let mut tx = MockIdentityTransaction::new();
    tx.expect_lock_organization().once().return_once(|_| Ok(Some(organization())));
    tx.expect_members().return_once(|_| Ok(members));
    tx.expect_find_user_by_email().return_once(|_| Ok(Some(user())));
    tx
}

fn puts(mut tx: MockIdentityTransaction, role: Role) -> MockIdentityTransaction {
    let put = tx.expect_put_member().once();
    put.withf(move |organization, invited, given, _| {
        (*organization, *invited, *given) == (tenant(), user().id, role)
    })
    .return_once(|_, _, _, _| Ok(()));
    tx.expect_commit().once().returning(|| Ok(()));
    tx
}

fn organizations(identity: MockIdentityStore) -> Organizations {
    let repository = Arc::new(MockOrganizationRepository::new());
    Organizations::new(
        repository,
        Arc::new(MockWalletRepository::new()),
        Arc::new(identity),
        clock(),
    )
}

async fn invite(tx: MockIdentityTransaction, granter: Role, role: Role) -> Result<Member, Error> {
    let organizations = organizations(MockIdentityStore::with(tx));
    let invitation = Invitation { email: Some(" Ama@Example.com".into()), role };
    organizations.invite(&member(granter), invitation, Faults::default()).await
}

#[tokio::test]
async fn a_user_who_is_invited_becomes_a_member() {
    let owner = in_role(Role::Owner, Id::new(NOW));
    let tx = puts(with_members(vec![owner]), Role::Developer);

    let member = invite(tx, Role::Admin, Role::Developer).await.unwrap();

    assert_eq!((member.user, member.role, member.joined_at), (user().id, Role::Developer, NOW));
}

#[tokio::test]
async fn a_member_who_is_invited_again_has_another_role_since_the_same_day() {
    let before = in_role(Role::Viewer, user().id);
    let owner = in_role(Role::Owner, Id::new(NOW));
    let tx = puts(with_members(vec![owner, before.clone()]), Role::Owner);

    let member = invite(tx, Role::Owner, Role::Owner).await.unwrap();

    assert_eq!((member.role, member.joined_at), (Role::Owner, before.joined_at));
}

#[tokio::test]
async fn only_an_owner_makes_an_owner() {
    let tx = with_members(vec![in_role(Role::Owner, Id::new(NOW))]);

    let error = invite(tx, Role::Admin, Role::Owner).await.unwrap_err();

    assert_eq!(error.code(), "FORBIDDEN", "{error}");
}

#[tokio::test]
async fn the_last_owner_stays_one() {
    let tx = with_members(vec![in_role(Role::Owner, user().id)]);

    let error = invite(tx, Role::Owner, Role::Viewer).await.unwrap_err();

    assert_eq!(error.code(), "LAST_OWNER", "{error}");
}

#[tokio::test]
async fn somebody_who_never_registered_cannot_be_invited() {
    let mut tx = MockIdentityTransaction::new();
    tx.expect_lock_organization().once().return_once(|_| Ok(Some(organization())));
    tx.expect_find_user_by_email().return_once(|_| Ok(None));

    let error = invite(tx, Role::Owner, Role::Viewer).await.unwrap_err();

    assert_eq!(error.code(), "USER_NOT_FOUND", "{error}");
}

#[tokio::test]
async fn an_invitation_needs_an_address_and_somebody_who_may_invite() {
    let organizations = organizations(MockIdentityStore::new());
    let nobody = Invitation::default;

    let owner = member(Role::Owner);
    let error = organizations.invite(&owner, nobody(), Faults::default()).await.unwrap_err();
    let Error::Invalid(faults) = error else { panic!("{error}") };
    assert_eq!(faults.fields["email"], ["is required"]);

    let developer = member(Role::Developer);
    let error = organizations.invite(&developer, nobody(), Faults::default()).await.unwrap_err();
    assert_eq!(error.code(), "FORBIDDEN", "{error}");

    let program = program(&["messages:send"], false);
    let error = organizations.invite(&program, nobody(), Faults::default()).await.unwrap_err();
    assert_eq!(error.code(), "FORBIDDEN", "{error}");
}

#[tokio::test]
async fn an_update_changes_what_it_names_and_is_committed() {
    let mut tx = MockIdentityTransaction::new();
    tx.expect_lock_organization().once().return_once(|_| Ok(Some(organization())));
    let renamed = |it: &Organization| {
        it.name == "Kente Ltd" && it.profile.industry.as_deref() == Some("Textiles")
    };
    tx.expect_update_organization().once().withf(renamed).return_once(|_| Ok(()));
    tx.expect_commit().once().returning(|| Ok(()));
    let mut repository = MockOrganizationRepository::new();
    repository.expect_find().return_once(|_| Ok(Some(organization())));
    repository.expect_members().return_once(|_| Ok(Vec::new()));
    let mut wallets = MockWalletRepository::new();
    let wallet = Wallet { balance: domain::money::Money::ZERO, updated_at: NOW };
    wallets.expect_find().return_once(|_| Ok(Some(wallet)));
    let identity = Arc::new(MockIdentityStore::with(tx));
    let organizations =
        Organizations::new(Arc::new(repository), Arc::new(wallets), identity, clock());
    let update = OrganizationUpdate {
        industry: Change::Set(Some("Textiles".into())),
        ..OrganizationUpdate::default()
    };

    organizations.update(&member(Role::Admin), update, Faults::default()).await.unwrap();
}
