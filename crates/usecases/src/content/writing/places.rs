//! Concurrency limit of a language model.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::TimeDelta;
use domain::{identity::organization::Organization, shared::id::Id};

use crate::{Error, shared::limits::Limit};

/// Maximum number of concurrent texts of this instance, and of one organization among them.
const PLACES: usize = 16;
const PLACES_OF_ONE: usize = 2;
/// Retry delay; a text takes a few seconds.
const BUSY: TimeDelta = TimeDelta::seconds(2);

/// Places at a model. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Places(Arc<Mutex<HashMap<Id<Organization>, usize>>>);

/// Place at a model, returned on drop.
pub(super) struct Place {
    places: Places,
    organization: Id<Organization>,
}

impl Places {
    /// Takes a place for a text of the organization. Fails if none is free.
    pub(super) fn take(&self, organization: Id<Organization>) -> Result<Place, Error> {
        let mut taken = self.taken();
        let own = taken.get(&organization).copied().unwrap_or_default();
        if own >= PLACES_OF_ONE || taken.values().sum::<usize>() >= PLACES {
            drop(taken);
            Limit::Content.count_refusal();
            return Err(Error::RateLimited(BUSY));
        }
        taken.insert(organization, own + 1);
        Ok(Place { places: self.clone(), organization })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Id<Organization>, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        match taken.get_mut(&self.organization) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                taken.remove(&self.organization);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn organization() -> Id<Organization> {
        Id::new(DateTime::UNIX_EPOCH)
    }

    #[test]
    fn an_organization_has_two_places_and_all_have_sixteen() {
        let places = Places::default();
        let one = organization();
        let mut taken = vec![places.take(one).unwrap(), places.take(one).unwrap()];
        assert!(matches!(places.take(one), Err(Error::RateLimited(_))));
        taken.extend((2..PLACES).map(|_| places.take(organization()).unwrap()));
        assert!(places.take(organization()).is_err());

        taken.remove(0);
        assert!(places.take(one).is_ok() && places.take(organization()).is_ok());

        drop(taken);
        assert!(places.taken().is_empty());
    }
}
