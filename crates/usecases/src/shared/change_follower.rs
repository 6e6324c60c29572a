//! Follower of changes: reads the log of changes, and hands each change to the caches of such data.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ports::shared::{
    changes::{ChangeLog, Changes, LogPosition},
    clock::Clock,
    signals::Change,
    store::StoreError,
};

/// Cache that a [`ChangeFollower`] keeps current.
#[async_trait]
pub trait FollowedCache: Send + Sync {
    /// Returns the kind of the changes that concern it.
    fn kind(&self) -> Change;

    /// Applies changes, of its kind alone, by evicting or rereading data. Together with the changes of
    /// earlier calls they are all that were visible at `read_at`. After a failure the next call says that
    /// anything may have changed.
    async fn apply(&self, changes: &Changes, read_at: DateTime<Utc>) -> Result<(), StoreError>;
}

/// Follower of the log of changes, for all caches of an instance.
pub struct ChangeFollower {
    log: Arc<dyn ChangeLog>,
    clock: Arc<dyn Clock>,
    caches: Vec<Followed>,
    /// Position after the last read.
    position: Option<LogPosition>,
}

struct Followed {
    cache: Arc<dyn FollowedCache>,
    /// True if it failed to apply changes.
    is_behind: bool,
}

impl ChangeFollower {
    /// Creates a follower that has read nothing yet.
    pub fn new(
        log: Arc<dyn ChangeLog>,
        clock: Arc<dyn Clock>,
        caches: impl IntoIterator<Item = Arc<dyn FollowedCache>>,
    ) -> Self {
        let caches = caches.into_iter().map(|cache| Followed { cache, is_behind: false });
        Self { log, clock, caches: caches.collect(), position: None }
    }

    /// Reads what has changed since the last call, and hands it to the caches. Their data stays valid beyond
    /// its first moment only while this is called several times a second.
    pub async fn follow(&mut self) -> Result<(), StoreError> {
        let read_at = self.clock.now();
        let read = self.log.read(self.position.clone()).await?;
        let mut result = Ok(());
        for followed in &mut self.caches {
            let applied = followed.apply(&read.changes, read_at).await;
            result = result.and(applied);
        }
        self.position = Some(read.position);
        result
    }
}

impl Followed {
    async fn apply(&mut self, changes: &Changes, read_at: DateTime<Utc>) -> Result<(), StoreError> {
        let changes = if self.is_behind { Changes::Unknown } else { changes.of(self.cache.kind()) };
        let applied = self.cache.apply(&changes, read_at).await;
        self.is_behind = applied.is_err();
        applied
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, sync::Mutex};

    use ports::shared::{
        changes::{LogRead, LoggedChange},
        mock::MockChangeLog,
    };

    use super::*;
    use crate::shared::fixtures::{NOW, away, clock, tenant};

    /// Cache that records the changes, and fails as often as it is set to.
    struct Recorder {
        kind: Change,
        applied: Mutex<Vec<Changes>>,
        failures: Mutex<usize>,
    }

    impl Recorder {
        fn of(kind: Change) -> Arc<Self> {
            let (applied, failures) = Default::default();
            Arc::new(Self { kind, applied, failures })
        }

        fn take(&self) -> Vec<Changes> {
            std::mem::take(&mut *self.applied.lock().unwrap())
        }
    }

    #[async_trait]
    impl FollowedCache for Recorder {
        fn kind(&self) -> Change {
            self.kind
        }

        async fn apply(&self, changes: &Changes, read_at: DateTime<Utc>) -> Result<(), StoreError> {
            assert_eq!(read_at, NOW);
            self.applied.lock().unwrap().push(changes.clone());
            let mut failures = self.failures.lock().unwrap();
            if *failures == 0 {
                return Ok(());
            }
            *failures -= 1;
            Err(away())
        }
    }

    fn change(kind: Change, key: &str) -> LoggedChange {
        LoggedChange { kind, organization: Some(tenant()), key: Some(key.into()) }
    }

    fn position(number: usize) -> LogPosition {
        LogPosition(number.to_string())
    }

    /// Log that returns these in turn, and expects the position of each before the next.
    fn log(reads: Vec<Result<Changes, StoreError>>) -> Arc<MockChangeLog> {
        let mut log = MockChangeLog::new();
        let mut reads: VecDeque<_> = reads.into();
        let mut number = 0;
        log.expect_read().times(reads.len()).returning(move |since| {
            assert_eq!(since, (number > 0).then(|| position(number)));
            let changes = reads.pop_front().unwrap()?;
            number += 1;
            Ok(LogRead { position: position(number), changes })
        });
        Arc::new(log)
    }

    fn follower(log: Arc<MockChangeLog>, caches: &[&Arc<Recorder>]) -> ChangeFollower {
        let caches = caches.iter().map(|cache| Arc::clone(cache) as Arc<dyn FollowedCache>);
        ChangeFollower::new(log, clock(), caches.collect::<Vec<_>>())
    }

    #[tokio::test]
    async fn each_cache_gets_the_changes_of_its_kind() {
        let (events, prices) = (Recorder::of(Change::Events), Recorder::of(Change::Prices));
        let (parcel, order) = (change(Change::Events, "parcel"), change(Change::Events, "order"));
        let price = change(Change::Prices, "");
        let all = vec![parcel.clone(), price.clone(), order.clone()];
        let log = log(vec![Ok(Changes::Unknown), Ok(Changes::Known(all))]);
        let mut follower = follower(log, &[&events, &prices]);

        follower.follow().await.unwrap();
        assert_eq!(
            (events.take(), prices.take()),
            (vec![Changes::Unknown], vec![Changes::Unknown])
        );
        follower.follow().await.unwrap();

        assert_eq!(events.take(), [Changes::Known(vec![parcel, order])]);
        assert_eq!(prices.take(), [Changes::Known(vec![price])]);
    }

    #[tokio::test]
    async fn no_cache_is_current_while_the_log_is_away_and_nothing_is_missed_after() {
        let events = Recorder::of(Change::Events);
        let parcel = Changes::Known(vec![change(Change::Events, "parcel")]);
        let log = log(vec![Ok(Changes::Unknown), Err(away()), Err(away()), Ok(parcel.clone())]);
        let mut follower = follower(log, &[&events]);
        follower.follow().await.unwrap();
        events.take();

        for _ in 0..2 {
            follower.follow().await.unwrap_err();
            assert_eq!(events.take(), []);
        }
        follower.follow().await.unwrap();

        assert_eq!(events.take(), [parcel]);
    }

    #[tokio::test]
    async fn a_cache_that_failed_takes_anything_for_changed_and_the_others_go_on() {
        let (holds, events) = (Recorder::of(Change::Holds), Recorder::of(Change::Events));
        let none = || Changes::Known(Vec::new());
        let log = log(vec![Ok(none()), Ok(none()), Ok(none()), Ok(none())]);
        let mut follower = follower(log, &[&holds, &events]);

        *holds.failures.lock().unwrap() = 2;
        for fails in [true, true, false, false] {
            assert_eq!(follower.follow().await.is_err(), fails);
        }

        assert_eq!(holds.take(), [none(), Changes::Unknown, Changes::Unknown, none()]);
        assert_eq!(events.take(), vec![none(); 4]);
    }
}
