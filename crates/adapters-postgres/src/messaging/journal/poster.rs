//! Work on the journal: it is folded, posted to counters and ledger, and kept small.

use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::TimeDelta;
use ports::shared::store::StoreError;

use crate::shared::database::session::PgStore;

/// Time for which the lines of the journal gather before they are folded together, however many
/// instances look.
const LINES_GATHER: TimeDelta = TimeDelta::milliseconds(900);
/// Time for which the rollups of a bucket of organizations gather before they are posted together.
const GATHERING: TimeDelta = TimeDelta::minutes(4);
/// Most buckets posted after one folding, so that the load is even. Half of that would suffice for
/// 256 buckets in four minutes.
const BUCKETS_AT_ONCE: usize = 2;
/// Number of folded lines after which the journal is cleaned, and of posted rollups after which
/// they are.
const DIRTY_LINES: usize = 1_000;
const DIRTY_ROLLUPS: usize = 10_000;

/// Worker on the journal, with the work done since the tables were cleaned.
pub struct PgJournalPoster {
    store: PgStore,
    folded: AtomicUsize,
    posted: AtomicUsize,
}

impl PgJournalPoster {
    /// Creates a worker that has done nothing yet. `store` should have a connection for it alone.
    pub fn new(store: PgStore) -> Self {
        Self { store, folded: AtomicUsize::new(0), posted: AtomicUsize::new(0) }
    }

    /// Folds lines, and posts what has gathered once few lines are left. Returns true if more lines wait.
    /// Call it every second.
    pub async fn post_some(&self) -> Result<bool, StoreError> {
        let folded = self.fold().await;
        if matches!(folded, Ok(lines) if lines >= PgStore::FOLDED_AT_ONCE) {
            return Ok(true);
        }
        let posted = self.post().await;
        folded.and(posted).map(|()| false)
    }

    async fn fold(&self) -> Result<usize, StoreError> {
        let lines = self.store.fold_journal(Some(LINES_GATHER)).await?;
        let folded = self.folded.fetch_add(lines, Ordering::Relaxed) + lines;
        if folded >= DIRTY_LINES {
            self.store.clean_journal().await?;
            self.folded.store(0, Ordering::Relaxed);
        }
        Ok(lines)
    }

    async fn post(&self) -> Result<(), StoreError> {
        self.store.enter_credits().await?;
        let mut posted = self.posted.load(Ordering::Relaxed);
        for _ in 0..BUCKETS_AT_ONCE {
            let rollups = self.store.post_oldest_bucket(Some(GATHERING)).await?;
            if rollups == 0 {
                break;
            }
            posted += rollups;
            self.posted.store(posted, Ordering::Relaxed);
        }
        if posted >= DIRTY_ROLLUPS {
            self.store.clean_rollups().await?;
            self.posted.store(0, Ordering::Relaxed);
        }
        self.store.close_ledger_hours().await?;
        Ok(())
    }
}
