//! Sender names: under which names and numbers an organization writes.

use std::sync::Arc;

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

/// Another organization has the name.
pub const SENDER_NAME_TAKEN: Reason =
    Reason::new("SENDER_NAME_TAKEN", "this sender name cannot be had: it is in use");
/// The organization has as many as it may have.
pub const TOO_MANY_SENDER_NAMES: Reason = Reason::new(
    "TOO_MANY_SENDER_NAMES",
    "an organization has at most 100 sender names: delete one that is not needed",
);
/// The organization asks for the same at the same moment.
pub const SENDER_NAME_IN_PROGRESS: Reason =
    Reason::new("SENDER_NAME_IN_PROGRESS", "this sender name is being asked for: try again");

/// Operations on sender names.
#[derive(Clone)]
pub struct SenderNames {
    repository: Arc<dyn SenderNameRepository>,
    policies: Policies,
    clock: Arc<dyn Clock>,
}

impl SenderNames {
    /// Sender names as `repository` keeps them. `policies` is where messages are told of them.
    pub fn new(
        repository: Arc<dyn SenderNameRepository>,
        policies: Policies,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { repository, policies, clock }
    }

    /// A page of those of the organization, newest first; only those of `status`, if one is given.
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

    /// Asks for a sender name, which waits for approval then. For one that was asked for already and is
    /// not rejected, that one is returned. `faults` is what is already known to be wrong.
    pub async fn ask(
        &self,
        caller: &Caller,
        request: SenderNameRequest,
        faults: Faults,
    ) -> Result<SenderName, Error> {
        caller.authorize(Permission::AskForSenderNames)?;
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

    /// Gives a sender name up. Others may ask for it then.
    pub async fn delete(&self, caller: &Caller, id: Id<SenderName>) -> Result<(), Error> {
        caller.authorize(Permission::AskForSenderNames)?;
        let organization = caller.organization;
        let deleted = self.repository.delete(organization, id, self.clock.now()).await?;
        let claim = deleted.ok_or(Error::NotFound("sender name"))?;
        self.policies.forget(organization);
        if let Err(error) = self.release(organization, &claim).await {
            // Nobody is kept from the name by that: a claim without a name is taken over.
            tracing::warn!(%error, %organization, "failed to release the claim of a sender name");
        }
        Ok(())
    }

    /// Claims a name. A claim of another organization that uses no such name any more, for it was
    /// rejected or never came to be, is taken over.
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

    /// Gives a claim up, unless the organization has another name under it.
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
