//! Approvals of content by platform administrators.

use std::sync::Arc;

use domain::{
    content::approval::{
        self, Approval, ApprovalState, DecisionRefused, RequestedApproval, RequestedApprovalFilter,
        Verdict,
    },
    identity::{
        caller::{Administrator, Caller},
        permission::Permission,
    },
    platform::audit::AuditEntry,
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    content::approvals::{ApprovalRepository, Settled},
    shared::clock::Clock,
};

use crate::{
    Error, Reason, content::templates::CONTENT_CHANGED, shared::refusals::ALREADY_DECIDED,
};

/// The administrator wrote the content.
pub const OWN_WORK: Reason = Reason::new("FORBIDDEN", "nobody approves what they wrote themselves");

/// Operations on approvals.
#[derive(Clone)]
pub struct Approvals {
    repository: Arc<dyn ApprovalRepository>,
    clock: Arc<dyn Clock>,
}

/// Part of the approvals of an organization, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedApprovalPart {
    /// Approvals of the part.
    pub approvals: Vec<RequestedApproval>,
    /// Last of these approvals, after which the next part begins; `None` at the end.
    pub next: Option<Id<Approval>>,
}

impl Approvals {
    /// Creates the operations over `repository`.
    pub fn new(repository: Arc<dyn ApprovalRepository>, clock: Arc<dyn Clock>) -> Self {
        Self { repository, clock }
    }

    /// Returns up to `limit` approvals of the caller's organization, newest first, after the approval
    /// `after`.
    pub async fn requested(
        &self,
        caller: &Caller,
        filter: &RequestedApprovalFilter,
        after: Option<Id<Approval>>,
        limit: u32,
    ) -> Result<RequestedApprovalPart, Error> {
        caller.authorize(Permission::Read)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let found =
            self.repository.requested(caller.organization, filter, after, limit.saturating_add(1));
        let mut approvals = found.await?;
        let has_more = approvals.len() > limit;
        approvals.truncate(limit);
        let next = approvals.last().filter(|_| has_more).map(|approval| approval.id);
        Ok(RequestedApprovalPart { approvals, next })
    }

    /// Returns a page of pending approvals, newest first.
    pub async fn pending(&self, _: &Administrator, page: Page) -> Result<Paged<Approval>, Error> {
        Ok(self.repository.pending(page).await?)
    }

    /// Returns a pending or decided approval.
    pub async fn get(&self, _: &Administrator, id: Id<Approval>) -> Result<Approval, Error> {
        let found = self.repository.find(id).await?;
        let shown = found.filter(|approval| approval.state != ApprovalState::Withdrawn);
        shown.ok_or(Error::NotFound("approval"))
    }

    /// Decides an approval. The requester is mailed by a notice. `faults` holds the faults found so far.
    pub async fn decide(
        &self,
        admin: &Administrator,
        id: Id<Approval>,
        (verdict, comment): (Verdict, Option<String>),
        mut faults: Faults,
    ) -> Result<Approval, Error> {
        let comment = match approval::checked_comment(comment) {
            Ok(comment) => faults.or(comment)?,
            Err(found) => {
                faults.merge_new("", found);
                return Err(faults.into());
            }
        };
        let approval = self.repository.find(id).await?.ok_or(Error::NotFound("approval"))?;
        let decision = approval.decide(verdict, comment, admin.id, self.clock.now())?;
        let entry = AuditEntry::of_decision(&approval, &decision, admin.request.clone());
        match self.repository.decide(&approval, &decision, &entry).await? {
            Settled::Done => Ok(Approval { state: ApprovalState::Decided(decision), ..approval }),
            Settled::AlreadyDecided => Err(Error::Conflict(ALREADY_DECIDED)),
            Settled::ContentChanged => Err(Error::Conflict(CONTENT_CHANGED)),
        }
    }
}

impl From<DecisionRefused> for Error {
    fn from(refused: DecisionRefused) -> Self {
        match refused {
            DecisionRefused::AlreadyDecided => Self::Conflict(ALREADY_DECIDED),
            DecisionRefused::ContentChanged => Self::Conflict(CONTENT_CHANGED),
            DecisionRefused::OwnWork => Self::Forbidden(OWN_WORK),
        }
    }
}

#[cfg(test)]
mod tests;
