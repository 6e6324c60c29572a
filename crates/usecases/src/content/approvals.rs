//! Approvals of content by platform administrators.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    content::approval::{
        self, Approval, ApprovalKind, ApprovalState, Decision, DecisionRefused, RequestedApproval,
        RequestedApprovalFilter, Verdict,
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
    identity::auth::UserRepository,
    shared::clock::Clock,
};

use crate::{
    Error, Reason, content::templates::CONTENT_CHANGED, shared::mailer::Mailer,
    shared::refusals::ALREADY_DECIDED,
};

/// The administrator wrote the content.
pub const OWN_WORK: Reason = Reason::new("FORBIDDEN", "nobody approves what they wrote themselves");

/// Number of decisions mailed per pass.
const NOTIFIED_AT_ONCE: usize = 20;
/// Delay until a failed mail is retried.
const RETRY_AFTER: TimeDelta = TimeDelta::minutes(2);

/// Operations on approvals.
#[derive(Clone)]
pub struct Approvals {
    repository: Arc<dyn ApprovalRepository>,
    users: Arc<dyn UserRepository>,
    mailer: Arc<dyn Mailer>,
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
    /// Creates the operations over `repository`. Requesters among `users` are mailed by `mailer`.
    pub fn new(
        repository: Arc<dyn ApprovalRepository>,
        users: Arc<dyn UserRepository>,
        mailer: Arc<dyn Mailer>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { repository, users, mailer, clock }
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

    /// Decides an approval. The requester is mailed later. `faults` holds the faults found so far.
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

    /// Mails one batch of decisions to their requesters. A failed mail is retried later. Any number of
    /// instances may call this at once.
    pub async fn notify_decisions(&self) -> Result<(), Error> {
        let now = self.clock.now();
        for approval in self.repository.take_pending(now, RETRY_AFTER, NOTIFIED_AT_ONCE).await? {
            if let Err(error) = self.notify_and_mark(&approval).await {
                tracing::warn!(%error, approval = %approval.id, "failed to mail a decision");
            }
        }
        Ok(())
    }

    async fn notify_and_mark(&self, approval: &Approval) -> Result<(), Error> {
        if let ApprovalState::Decided(decision) = &approval.state {
            self.notify(approval, decision).await?;
        }
        Ok(self.repository.mark_notified(approval.organization, approval.id).await?)
    }

    async fn notify(&self, approval: &Approval, decision: &Decision) -> Result<(), Error> {
        let Some(user) = self.users.find(approval.requested_by).await? else {
            tracing::warn!(approval = %approval.id, "found nobody to mail the decision to");
            return Ok(());
        };
        if user.email_verified_at.is_none() {
            return Ok(());
        }
        let key = format!("approval-{}", approval.id);
        let (subject, body) = mail(approval, decision);
        self.mailer.send_service_notice(&user.email, &subject, body, key).await
    }
}

/// Returns the subject and the text of the mail about a decision. The name comes from the reader and
/// the comment from an administrator; the text of the content is left out.
fn mail(approval: &Approval, decision: &Decision) -> (String, String) {
    let (kind, name) = (approval.kind.label(), &approval.name);
    let verdict = match decision.verdict {
        Verdict::Approved => "approved",
        Verdict::Rejected => "rejected",
    };
    let consequence = match (approval.kind, decision.verdict) {
        (ApprovalKind::Campaign, Verdict::Approved) => {
            "It is sent now, or at the time for which it is scheduled."
        }
        (ApprovalKind::Campaign, Verdict::Rejected) => {
            "It is not sent. Make another one to ask again."
        }
        (_, Verdict::Approved) => "It can be used from now on.",
        (_, Verdict::Rejected) => "It cannot be used. Change it to ask again.",
    };
    let comment = decision.comment.as_ref();
    let comment = comment.map(|comment| format!("\nThe reviewer says:\n\n{comment}\n"));
    let body = format!(
        "Your {kind} \"{name}\" was {verdict}.\n{consequence}\n{}",
        comment.unwrap_or_default()
    );
    (format!("Your {kind} was {verdict}"), body)
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
