//! Suppression lists: addresses to which an organization sends no more messages.

use std::sync::Arc;

use domain::{
    audience::suppression::{Suppression, SuppressionFilter, SuppressionRequest},
    identity::{caller::Caller, organization::Holding, permission::Permission},
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{audience::suppressions::SuppressionRepository, shared::clock::Clock};

use crate::{Error, shared::bounds::Bounds};

/// Operations on suppression lists.
#[derive(Clone)]
pub struct Suppressions {
    repository: Arc<dyn SuppressionRepository>,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
}

impl Suppressions {
    /// Creates the operations over `repository`. `bounds` limits the length of suppression lists.
    pub fn new(
        repository: Arc<dyn SuppressionRepository>,
        bounds: Bounds,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { repository, bounds, clock }
    }

    /// Returns a page of the organization's list, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        filter: &SuppressionFilter,
        page: Page,
    ) -> Result<Paged<Suppression>, Error> {
        caller.authorize(Permission::Read)?;
        filter.faults().or(())?;
        Ok(self.repository.page(caller.organization, &filter.sought(), page).await?)
    }

    /// Returns an entry of the list.
    pub async fn get(&self, caller: &Caller, id: Id<Suppression>) -> Result<Suppression, Error> {
        caller.authorize(Permission::Read)?;
        let found = self.repository.find(caller.organization, id).await?;
        found.ok_or(Error::NotFound("suppression"))
    }

    /// Adds an entry to the list, or returns the equal one that exists. `faults` holds the faults found
    /// so far.
    pub async fn create(
        &self,
        caller: &Caller,
        request: SuppressionRequest,
        faults: Faults,
    ) -> Result<Suppression, Error> {
        caller.authorize(Permission::WriteSuppressions)?;
        let entry = faults.check(request.entry(caller.organization, self.clock.now()))?;
        self.bounds.find_room(entry.organization, &[Holding::Suppressions]).await?;
        Ok(self.repository.insert(&entry).await?)
    }

    /// Removes an entry from the list.
    pub async fn delete(&self, caller: &Caller, id: Id<Suppression>) -> Result<(), Error> {
        caller.authorize(Permission::WriteSuppressions)?;
        if self.repository.delete(caller.organization, id).await? {
            Ok(())
        } else {
            Err(Error::NotFound("suppression"))
        }
    }
}
