//! Sender names: the names and numbers an organization sends from.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    content::sender_name::{MAX_SENDER_NAMES, SenderName, SenderNameRequest, SenderNameStatus},
    identity::{caller::Caller, organization::Organization, permission::Permission},
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    content::sender_names::{Claim, SenderNameRepository},
    shared::{clock::Clock, store::StoreError},
};

use crate::{Error, Reason, identity::policies::Policies, shared::digest};

/// The name belongs to another organization.
pub const SENDER_NAME_TAKEN: Reason =
    Reason::new("SENDER_NAME_TAKEN", "this sender name cannot be had: it is in use");
/// The organization has the maximum number of sender names.
pub const TOO_MANY_SENDER_NAMES: Reason = Reason::new(
    "TOO_MANY_SENDER_NAMES",
    "an organization has at most 100 sender names: delete one that is not needed",
);
/// The organization is requesting the same name in a concurrent request.
pub const SENDER_NAME_IN_PROGRESS: Reason =
    Reason::new("SENDER_NAME_IN_PROGRESS", "this sender name is being asked for: try again");

/// Operations on sender names.
#[derive(Clone, Constructor)]
pub struct SenderNames {
    repository: Arc<dyn SenderNameRepository>,
    /// Cache that messages use.
    policies: Policies,
    clock: Arc<dyn Clock>,
}

impl SenderNames {
    /// Returns a page of the organization's sender names, newest first, of `status` only if it is
    /// given.
    pub async fn page(
        &self,
        caller: &Caller,
        status: Option<SenderNameStatus>,
        page: Page,
    ) -> Result<Paged<SenderName>, Error> {
        caller.authorize(Permission::Read)?;
        let mut names = self.repository.list(caller.organization).await?;
        names.retain(|name| status.is_none_or(|status| name.status == status));
        let total = names.len() as u64;
        Ok(Paged::counted(page.cut(names), page, total))
    }

    /// Requests a sender name, which then waits for approval. An earlier request for the same name is
    /// returned unless it was rejected. `faults` holds the faults found so far.
    pub async fn request(
        &self,
        caller: &Caller,
        request: SenderNameRequest,
        faults: Faults,
    ) -> Result<SenderName, Error> {
        caller.authorize(Permission::RequestSenderNames)?;
        let (user, now) = (caller.user()?, self.clock.now());
        let name = faults.check(request.sender_name(caller.organization, now))?;
        let known = self.repository.list(name.organization).await?;
        if let Some(same) = known.iter().find(|known| known.is_same(&name)) {
            return Ok(same.clone());
        }
        if known.len() >= MAX_SENDER_NAMES {
            return Err(Error::Conflict(TOO_MANY_SENDER_NAMES));
        }
        let claim = self.claim(name.organization, &name.claim()).await?;
        let hash = digest::of_sender_name(&name);
        let approval = name.approval(user, hash);
        if self.repository.insert(&name, &approval, &claim).await? {
            return Ok(name);
        }
        let known = self.repository.list(name.organization).await?;
        let same = known.into_iter().find(|known| known.is_same(&name));
        same.ok_or(Error::InProgress(SENDER_NAME_IN_PROGRESS))
    }

    /// Deletes a sender name. Other organizations can request it afterwards.
    pub async fn delete(&self, caller: &Caller, id: Id<SenderName>) -> Result<(), Error> {
        caller.authorize(Permission::RequestSenderNames)?;
        let organization = caller.organization;
        let deleted = self.repository.delete(organization, id, self.clock.now()).await?;
        let claim = deleted.ok_or(Error::NotFound("sender name"))?;
        self.policies.forget(organization);
        if let Err(error) = self.release(organization, &claim).await {
            // The name is still available to others: a claim without a name is taken over.
            tracing::warn!(%error, %organization, "failed to release the claim of a sender name");
        }
        Ok(())
    }

    /// Claims a name. The claim of another organization is taken over if it no longer uses the name,
    /// because it was rejected or never stored.
    async fn claim(&self, organization: Id<Organization>, claim: &str) -> Result<Claim, Error> {
        let claim = self.repository.claim(organization, claim).await?;
        if claim.organization == organization {
            return Ok(claim);
        }
        if self.repository.uses(claim.organization, &claim.claim).await? {
            return Err(Error::Conflict(SENDER_NAME_TAKEN));
        }
        let taken_over = self.repository.take_over(organization, &claim).await?;
        taken_over.ok_or(Error::Conflict(SENDER_NAME_TAKEN))
    }

    /// Releases a claim unless the organization has another name under it.
    async fn release(&self, organization: Id<Organization>, claim: &str) -> Result<(), StoreError> {
        let found = self.repository.find_claim(claim).await?;
        let Some(claim) = found.filter(|claim| claim.organization == organization) else {
            return Ok(());
        };
        if self.repository.uses(organization, &claim.claim).await? {
            return Ok(());
        }
        self.repository.release(&claim).await
    }
}

#[cfg(test)]
mod tests;
