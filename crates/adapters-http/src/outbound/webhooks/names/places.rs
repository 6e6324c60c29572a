//! Places for names that are being resolved.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{identity::organization::Organization, shared::id::Id};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Number of places, and the longest wait for one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    /// Number of places of all organizations.
    pub all: usize,
    /// Maximum number of these that one organization has.
    pub one: usize,
    /// Maximum time that a name waits for others that are being resolved.
    pub wait: Duration,
}

/// Reason for which a name is not resolved now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    /// The organization is resolving as many names as it may.
    #[error("too many names of this organization are being resolved")]
    OfOrganization,
    /// All organizations together are resolving as many as they may.
    #[error("too many names are being resolved")]
    OfAll,
}

/// The places of all organizations.
pub(super) struct Places {
    share: Share,
    all: Arc<Semaphore>,
    own: Mutex<HashMap<Id<Organization>, Arc<Semaphore>>>,
}

/// A place, which is returned on drop.
pub(super) struct Place {
    _own: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl Places {
    pub(super) fn new(share: Share) -> Self {
        Self { share, all: Arc::new(Semaphore::new(share.all)), own: Mutex::default() }
    }

    /// Takes a place for a name of the organization: first among its own, so that it occupies no
    /// more places of all than it may.
    pub(super) async fn take(&self, organization: Id<Organization>) -> Result<Place, NoPlace> {
        let own = self.own_of(organization);
        let own = self.wait_for(own).await.ok_or(NoPlace::OfOrganization)?;
        let of_all = self.wait_for(Arc::clone(&self.all)).await.ok_or(NoPlace::OfAll)?;
        Ok(Place { _own: own, _of_all: of_all })
    }

    async fn wait_for(&self, places: Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            return Some(place);
        }
        if self.share.wait.is_zero() {
            return None;
        }
        timeout(self.share.wait, places.acquire_owned()).await.ok()?.ok()
    }

    fn own_of(&self, organization: Id<Organization>) -> Arc<Semaphore> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        // Permits and waiting callers hold a reference to the places of their organization.
        own.retain(|_, places| Arc::strong_count(places) > 1);
        let places = own.entry(organization);
        Arc::clone(places.or_insert_with(|| Arc::new(Semaphore::new(self.share.one))))
    }
}
