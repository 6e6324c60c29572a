//! Rules of decisions.

use domain::{
    content::approval::{ApprovalContent, ApprovalKind},
    identity::user::User,
};
use ports::shared::mock::MockApprovalRepository;

use super::*;
use crate::shared::fixtures::{NOW, administrator, clock, tenant};

fn approval(author: Id<User>) -> Approval {
    let resource = (ApprovalKind::Template, Id::<Approval>::new_in(NOW, tenant()).uuid());
    let content =
        ApprovalContent { body: "Send your PIN to {{name}}".into(), ..ApprovalContent::default() };
    Approval::request(tenant(), resource, ("Order ready".into(), content, [7; 32]), author, NOW)
}

/// Approves `found`, of which the store says that it is `settled`.
async fn approve(found: Approval, settled: Settled) -> Result<Approval, Error> {
    let (admin, id) = (administrator(), found.id);
    let mut repository = MockApprovalRepository::new();
    repository.expect_find().return_once(move |_| Ok(Some(found)));
    repository.expect_decide().once().return_once(move |_, _, _| Ok(settled));
    let approvals = Approvals::new(Arc::new(repository), clock());
    approvals.decide(&admin, id, (Verdict::Approved, None), Faults::default()).await
}

#[tokio::test]
async fn an_approval_decided_or_changed_meanwhile_is_a_conflict() {
    for (settled, reason) in
        [(Settled::AlreadyDecided, ALREADY_DECIDED), (Settled::ContentChanged, CONTENT_CHANGED)]
    {
        let refused = approve(approval(Id::new(NOW)), settled).await;
        assert!(matches!(refused, Err(Error::Conflict(found)) if found == reason));
    }
}
