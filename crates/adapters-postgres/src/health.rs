//! The state of the database and of the work that waits in it, looked at every few seconds by one
//! task, so that nobody who asks waits for a count.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use chrono::TimeDelta;
use diesel::sql_types::{Array, BigInt, Integer, Nullable, SmallInt};
use diesel_async::RunQueryDsl;
use domain::lane::{Lane, Line};
use ports::{
    health::{Backlog, LaneBacklog, StoreProbe, StoreStats},
    store::StoreError,
};

use crate::{error::store_error, instance::PgInstance, session::PgStore, statement::Statement};

/// How often the jobs are counted at the most.
const COUNTING: Duration = Duration::from_secs(5);
/// How much longer than a count took the next one waits, so that counting a long queue takes no more
/// than a twentieth of a connection's time.
const REST: u32 = 20;
/// How long after a sign of life that was taken in time the database counts as away: signs are
/// shown every three seconds and have five to be taken.
const SILENCE: Duration = Duration::from_secs(9);

/// Watches the database for this instance.
pub struct PgMonitor {
    store: PgStore,
    instance: PgInstance,
    pools: Vec<(&'static str, PgStore)>,
    found: Mutex<Found>,
}

/// What was found at the last look.
#[derive(Default)]
struct Found {
    is_away: bool,
    backlog: Option<Backlog>,
    next_count: Option<Instant>,
    held: Vec<i32>,
    journal_lines: u64,
    oldest_rollup: TimeDelta,
    partitions_ahead: u32,
}

impl PgMonitor {
    /// Looks through `store`, which should have a connection for that alone, and at the signs of life
    /// of `instance`; the use of `pools` is told by their names.
    pub fn new(store: PgStore, instance: PgInstance, pools: Vec<(&'static str, PgStore)>) -> Self {
        Self { store, instance, pools, found: Mutex::default() }
    }

    /// Says of which lines no provider can be called now: what is due there does not wait for a worker.
    pub fn hold(&self, lines: &[Line]) {
        self.found().held = lines.iter().map(|line| line.0).collect();
    }

    /// Looks at the database. Meant to be called every few seconds.
    pub async fn look(&self) -> Result<(), StoreError> {
        let looked = self.look_at_totals().await;
        self.found().is_away = looked.is_err();
        looked?;
        let now = Instant::now();
        if self.found().next_count.is_some_and(|next| now < next) {
            return Ok(());
        }
        let counted = self.count().await;
        let mut found = self.found();
        found.next_count = Some(Instant::now() + COUNTING.max(now.elapsed() * REST));
        match counted {
            Ok(backlog) => {
                found.backlog = Some(backlog);
                Ok(())
            }
            Err(error) => {
                found.backlog = None;
                Err(error)
            }
        }
    }

    async fn look_at_totals(&self) -> Result<(), StoreError> {
        let mut session = self.store.session().await?;
        let look = Statement::<Look, (BigInt, BigInt, BigInt)>::new(&[LOOK]);
        let (lines, oldest, partitions): (i64, i64, i64) =
            look.get_result(session.conn()).await.map_err(store_error)?;
        let mut found = self.found();
        found.journal_lines = lines.unsigned_abs();
        found.oldest_rollup = TimeDelta::microseconds(oldest.max(0));
        found.partitions_ahead = u32::try_from(partitions).unwrap_or_default();
        Ok(())
    }

    async fn count(&self) -> Result<Backlog, StoreError> {
        let mut session = self.store.session().await?;
        let held = self.found().held.clone();
        let count = Statement::<Count, LaneRow>::new(&[COUNT]).bind::<Array<Integer>, _>(held);
        let rows: Vec<(i16, i64, i64, Option<i64>)> =
            count.load(session.conn()).await.map_err(store_error)?;
        let mut backlog = Backlog::default();
        for (rank, waiting, active, oldest) in rows {
            let waiting = waiting.unsigned_abs();
            let oldest = TimeDelta::microseconds(oldest.unwrap_or_default());
            backlog.waiting += waiting;
            backlog.active += active.unsigned_abs();
            backlog.oldest = backlog.oldest.max(oldest);
            if let Some(lane) = Lane::ranked(rank).filter(|_| waiting > 0) {
                backlog.lanes.insert(lane, LaneBacklog { waiting, oldest });
            }
        }
        Ok(backlog)
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoreProbe for PgMonitor {
    fn stats(&self) -> StoreStats {
        let pools: BTreeMap<_, _> =
            self.pools.iter().map(|(name, store)| (*name, store.pool_stats())).collect();
        let beats = self.instance.beats();
        let found = self.found();
        let is_silent = beats.last_good.is_some_and(|at| at.elapsed() > SILENCE);
        let database = if found.is_away {
            Err("PostgreSQL does not answer".to_owned())
        } else if beats.has_failed || is_silent {
            Err("PostgreSQL does not take writes".to_owned())
        } else {
            Ok(())
        };
        StoreStats {
            database,
            backlog: found.backlog.clone(),
            journal_lines: found.journal_lines,
            oldest_rollup: found.oldest_rollup,
            partitions_ahead: found.partitions_ahead,
            pools,
        }
    }
}

struct Look;
const LOOK: &str = "\
    SELECT (SELECT count(*) FROM journal), \
        coalesce((extract(epoch FROM now() - (SELECT min(written_at) FROM journal_rollups)) \
            * 1000000)::bigint, 0), \
        (SELECT count(*) FROM generate_series(1, 12) AS ahead CROSS JOIN LATERAL ( \
            SELECT to_char(date_trunc('month', now() AT TIME ZONE 'UTC') \
                + make_interval(months => ahead), 'YYYY_MM') AS name) AS month \
        WHERE to_regclass('delivery_logs_' || month.name) IS NOT NULL \
            AND to_regclass('ledger_entries_' || month.name) IS NOT NULL)";

type LaneRow = (SmallInt, BigInt, BigInt, Nullable<BigInt>);

/// Counts by the database's clock: waiting, active, and the oldest one's age in microseconds.
struct Count;
const COUNT: &str = "\
    SELECT lane, count(*) FILTER (WHERE lease IS NULL OR due_at <= now()), \
        count(*) FILTER (WHERE lease IS NOT NULL AND due_at > now()), \
        (extract(epoch FROM now() - min(due_at) \
            FILTER (WHERE due_at <= now() AND line <> ALL(?))) * 1000000)::bigint \
    FROM delivery_jobs WHERE NOT is_follow_up GROUP BY lane";
