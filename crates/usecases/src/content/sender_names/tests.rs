//! Rules of sender name requests.

use domain::{
    identity::organization::Role,
    shared::{channel::Channel, country::Country, sender::Sender},
};
use ports::shared::mock::{MockOrganizationRepository, MockSenderNameRepository};

use super::*;
use crate::shared::fixtures::{NOW, clock, member, policies, tenant};

fn request() -> SenderNameRequest {
    SenderNameRequest { name: Some("Kente".into()), channel: Some(Channel::Sms), country: None }
}

fn name(id: u8, status: SenderNameStatus) -> SenderName {
    SenderName {
        id: format!("018bcfe5-6800-7000-8000-0000000000{id:02x}").parse().unwrap(),
        organization: tenant(),
        sender: Sender::stored("KENTE".into()),
        channel: Channel::Sms,
        country: Country::GH,
        status,
        created_at: NOW,
    }
}

fn claim_of(organization: Id<Organization>) -> Claim {
    Claim { claim: "kente".into(), organization, at: NOW }
}

/// Repository in which the organization has these names.
fn having(names: Vec<SenderName>) -> MockSenderNameRepository {
    let mut repository = MockSenderNameRepository::new();
    repository.expect_list().returning(move |_| Ok(names.clone()));
    repository
}

fn sender_names(repository: MockSenderNameRepository) -> SenderNames {
    let policies = policies(Arc::new(MockOrganizationRepository::new()));
    SenderNames::new(Arc::new(repository), policies, clock())
}

async fn ask(repository: MockSenderNameRepository) -> Result<SenderName, Error> {
    let owner = member(Role::Owner);
    sender_names(repository).request(&owner, request(), Faults::default()).await
}

fn reason(result: Result<SenderName, Error>) -> Reason {
    result.unwrap_err().reason().unwrap().clone()
}

#[tokio::test]
async fn a_repeated_request_is_new_only_after_a_rejection() {
    for status in [SenderNameStatus::PendingApproval, SenderNameStatus::Approved] {
        let known = name(1, status);
        assert_eq!(ask(having(vec![known.clone()])).await.unwrap(), known);
    }
    let mut repository = having(vec![name(1, SenderNameStatus::Rejected)]);
    repository.expect_claim().once().returning(|_, _| Ok(claim_of(tenant())));
    repository.expect_insert().once().returning(|_, _, _| Ok(true));
    assert_eq!(ask(repository).await.unwrap().status, SenderNameStatus::PendingApproval);
}

#[tokio::test]
async fn an_organization_has_a_hundred_names_at_the_most() {
    let many = (0..100).map(|id| SenderName {
        sender: Sender::stored(format!("Kente {id}")),
        ..name(id, SenderNameStatus::Rejected)
    });
    assert_eq!(reason(ask(having(many.collect())).await), TOO_MANY_SENDER_NAMES);
}

#[tokio::test]
async fn a_deleted_name_is_free_for_others_unless_another_one_holds_it() {
    for (is_used, releases) in [(false, 1), (true, 0)] {
        let mut repository = MockSenderNameRepository::new();
        repository.expect_delete().once().returning(|_, _, _| Ok(Some("kente".into())));
        repository.expect_find_claim().returning(|_| Ok(Some(claim_of(tenant()))));
        repository.expect_uses().returning(move |_, _| Ok(is_used));
        let release = repository.expect_release().times(releases);
        release.withf(|seen| *seen == claim_of(tenant())).returning(|_| Ok(()));

        let id = name(1, SenderNameStatus::Approved).id;
        sender_names(repository).delete(&member(Role::Owner), id).await.unwrap();
    }
}
