//! Suppression lists: who gets no more messages of an organization.

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

use crate::{Error, platform::bounds::Bounds};

/// Operations on suppression lists.
#[derive(Clone)]
pub struct Suppressions {
    repository: Arc<dyn SuppressionRepository>,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
}

impl Suppressions {
    /// Suppression lists as `repository` keeps them.
    pub fn new(repository: Arc<dyn SuppressionRepository>, clock: Arc<dyn Clock>) -> Self {
        Self { repository, bounds: Bounds::default(), clock }
    }

    /// The same lists, of which organizations make none longer than `bounds` let them.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// A page of the organization's list, newest first.
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

    /// Puts an entry on the list. For what is on it already, that entry is returned. `faults` is what
    /// is already known to be wrong.
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

    /// Takes an entry off the list.
    pub async fn delete(&self, caller: &Caller, id: Id<Suppression>) -> Result<(), Error> {
        caller.authorize(Permission::WriteSuppressions)?;
        if self.repository.delete(caller.organization, id).await? {
            Ok(())
        } else {
            Err(Error::NotFound("suppression"))
        }
    }
}
