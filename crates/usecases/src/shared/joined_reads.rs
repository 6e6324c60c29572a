//! Joined reads: concurrent reads of one key share a single read.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::{
    FutureExt, TryFutureExt,
    future::{BoxFuture, Shared, WeakShared},
};
use ports::shared::store::StoreError;

type Read<V> = BoxFuture<'static, Result<V, Arc<StoreError>>>;

/// Reads under way by key.
pub(crate) struct JoinedReads<K, V>(Mutex<HashMap<K, WeakShared<Read<V>>>>)
where
    V: Clone;

impl<K, V> Default for JoinedReads<K, V>
where
    V: Clone,
{
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K, V> JoinedReads<K, V>
where
    K: Hash + Eq,
    V: Clone + Send + Sync + 'static,
{
    /// Joins the read of `key` that is under way, or starts `read`. A read continues while anyone waits
    /// for it.
    pub(crate) async fn join(
        &self,
        key: K,
        read: impl Future<Output = Result<V, StoreError>> + Send + 'static,
    ) -> Result<V, StoreError> {
        self.under_way(key, read).await.map_err(|error| shared(&error))
    }

    /// Closes the read under way to new callers, because the value has changed.
    pub(crate) fn forget(&self, key: &K) {
        self.reads().remove(key);
    }

    /// Closes all reads under way to new callers, because any value may have changed.
    pub(crate) fn forget_all(&self) {
        self.reads().clear();
    }

    fn under_way(
        &self,
        key: K,
        read: impl Future<Output = Result<V, StoreError>> + Send + 'static,
    ) -> Shared<Read<V>> {
        let mut reads = self.reads();
        reads.retain(|_, read| read.upgrade().is_some_and(|read| read.peek().is_none()));
        if let Some(read) = reads.get(&key).and_then(WeakShared::upgrade) {
            return read;
        }
        let read = read.map_err(Arc::new).boxed().shared();
        // The read has not ended, so it can be joined.
        if let Some(weak) = read.downgrade() {
            reads.insert(key, weak);
        }
        read
    }

    fn reads(&self) -> MutexGuard<'_, HashMap<K, WeakShared<Read<V>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a copy of a failure for one of the waiting callers.
fn shared(error: &Arc<StoreError>) -> StoreError {
    match &**error {
        StoreError::Conflict { constraint } => {
            StoreError::Conflict { constraint: constraint.clone() }
        }
        StoreError::Unavailable(_) => StoreError::Unavailable(Arc::clone(error).into()),
        StoreError::Internal(_) => StoreError::Internal(Arc::clone(error).into()),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

    use futures_util::future::{join, join_all};

    use super::*;

    /// Read that counts itself and takes a while.
    async fn read(reads: Arc<AtomicUsize>) -> Result<usize, StoreError> {
        let number = reads.fetch_add(1, Ordering::Relaxed) + 1;
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(number)
    }

    #[tokio::test]
    async fn concurrent_callers_share_one_read() {
        let (joined, reads) = (JoinedReads::default(), Arc::default());
        let ask = || joined.join("kente", read(Arc::clone(&reads)));

        let answers = join_all((0..20).map(|_| ask())).await;
        assert!(answers.into_iter().all(|answer| answer.is_ok_and(|number| number == 1)));

        assert_eq!(ask().await.unwrap(), 2);
    }

    #[tokio::test]
    async fn a_caller_after_a_change_joins_no_earlier_read() {
        let (joined, reads) = (JoinedReads::default(), Arc::default());
        let before = joined.join("kente", read(Arc::clone(&reads)));
        let after = async {
            joined.forget(&"kente");
            joined.join("kente", read(Arc::clone(&reads))).await
        };

        let (before, after) = join(before, after).await;

        assert_eq!((before.unwrap(), after.unwrap()), (1, 2));
    }

    #[tokio::test]
    async fn an_abandoned_read_is_not_joined() {
        let (joined, reads) = (JoinedReads::default(), Arc::default());
        let ask = || joined.join("kente", read(Arc::clone(&reads)));

        assert!(ask().now_or_never().is_none());

        assert_eq!(ask().await.unwrap(), 2);
    }

    #[tokio::test]
    async fn all_waiting_callers_get_the_failure() {
        let joined = JoinedReads::<_, ()>::default();
        let ask = || {
            joined.join("kente", async {
                tokio::time::sleep(Duration::from_millis(1)).await;
                Err(StoreError::Unavailable("it is away".into()))
            })
        };

        let answers = join_all((0..3).map(|_| ask())).await;

        let away = |answer: &Result<(), _>| matches!(answer, Err(StoreError::Unavailable(_)));
        assert!(answers.iter().all(away));
    }
}
