//! Turns: evaluations of an organization's rules run one after another.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use domain::{identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use tokio::{
    sync::{Mutex as AsyncMutex, OwnedMutexGuard},
    time::timeout,
};

/// Maximum wait for a turn.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Turns of this instance. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Turns(Arc<Mutex<ByOrganization>>);

type ByOrganization = HashMap<Id<Organization>, Weak<AsyncMutex<()>>>;

/// Turn of an organization. Ends when it is dropped.
pub(crate) struct Turn(#[expect(dead_code, reason = "it is held, not used")] OwnedMutexGuard<()>);

impl Turns {
    /// Waits until no other evaluation of the organization is under way.
    pub(super) async fn take(&self, organization: Id<Organization>) -> Result<Turn, StoreError> {
        self.take_within(TIMEOUT, organization).await
    }

    /// Like [`take`](Self::take), but with another timeout.
    pub(super) async fn take_within(
        &self,
        max_wait: Duration,
        organization: Id<Organization>,
    ) -> Result<Turn, StoreError> {
        let turn = self.of(organization).lock_owned();
        match timeout(max_wait, turn).await {
            Ok(turn) => Ok(Turn(turn)),
            Err(late) => Err(StoreError::Unavailable(late.into())),
        }
    }

    fn of(&self, organization: Id<Organization>) -> Arc<AsyncMutex<()>> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| turn.strong_count() > 0);
        if let Some(turn) = turns.get(&organization).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::default();
        turns.insert(organization, Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn an_organization_waits_for_its_turn_and_others_do_not() {
        let [first, second] = [Id::new(DateTime::UNIX_EPOCH), Id::new(DateTime::UNIX_EPOCH)];
        let turns = Turns::default();
        let turn = turns.take(first).await.unwrap();

        assert!(turns.take(first).now_or_never().is_none());
        assert!(turns.take(second).now_or_never().is_some());
        drop(turn);
        assert!(turns.take(first).now_or_never().is_some());
    }
}
