//! State of the database and of its backlog, checked every few seconds by one task, so that no
//! caller waits for a count.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::TimeDelta;
use domain::messaging::priority::{Priority, ProviderQueue};
use ports::{
    platform::health::{Backlog, PriorityBacklog, StoreProbe, StoreStats},
    shared::store::StoreError,
};

use crate::{
    messaging::jobs::OCCUPIED_LINES,
    shared::{
        database::{connection_budget::ConnectionBudget, instance::PgInstance, session::PgStore},
        query::{row::row, sql::sql},
    },
};

/// Maximum number of messages of a priority counted, both of due ones and of postponed ones, so
/// that a long queue takes no longer than any other.
const COUNTED: i64 = 10_000;
/// Maximum number of organizations of a provider queue whose oldest message is read.
const ORGANIZATIONS: i64 = 500;
/// Maximum number of jobs not seen by a claim yet that are searched for the oldest message.
const LOOKED_THROUGH: i64 = 100;
/// Time after a successful heartbeat at which the database counts as unavailable: heartbeats are
/// sent every three seconds and may take five.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(9);

/// Watches the database for this instance.
pub struct PgMonitor {
    store: PgStore,
    instance: PgInstance,
    pools: Vec<(&'static str, PgStore)>,
    found: Mutex<Found>,
}

/// Result of the last check.
#[derive(Default)]
struct Found {
    is_away: bool,
    backlog: Option<Backlog>,
    held: Vec<i32>,
    journal_lines: u64,
    oldest_rollup: TimeDelta,
    partitions_ahead: u32,
}

row! {
    struct TotalsRow {
        journal_lines: i64,
        /// Age of the oldest rollup in microseconds.
        oldest_rollup: i64,
        partitions_ahead: i64,
    }
}

row! {
    struct PriorityRow {
        priority: i16,
        waiting: i64,
        /// Number of messages in flight, of all priorities.
        active: i64,
        /// Time since the oldest became due, in microseconds.
        oldest: Option<i64>,
    }
}

impl PgMonitor {
    /// Creates a monitor that reads through `store`, which should have a connection for it alone,
    /// of a kind that keeps to indexes, and that watches the heartbeats of `instance`; the usage of
    /// `pools` is reported under their names.
    pub fn new(store: PgStore, instance: PgInstance, pools: Vec<(&'static str, PgStore)>) -> Self {
        Self { store, instance, pools, found: Mutex::default() }
    }

    /// Sets the provider queues in which no provider can be called now: due messages there do not
    /// wait for a worker.
    pub fn hold(&self, provider_queues: &[ProviderQueue]) {
        self.found().held = provider_queues.iter().map(|it| it.0).collect();
    }

    /// Checks the database. Meant to be called every few seconds.
    pub async fn look(&self) -> Result<(), StoreError> {
        if self.store.target().is_refused() {
            // While connections are refused, no request would find out when that is over.
            self.store.try_connecting().await?;
        }
        let looked = self.look_at_totals().await;
        self.found().is_away = looked.is_err();
        looked?;
        let counted = self.count().await;
        let (backlog, counted) =
            counted.map_or_else(|error| (None, Err(error)), |it| (Some(it), Ok(())));
        self.found().backlog = backlog;
        counted
    }

    /// Compares the connections that the instances may hold with those that the server allows.
    pub async fn connection_budget(&self) -> Result<ConnectionBudget, StoreError> {
        self.store.connection_budget().await
    }

    async fn look_at_totals(&self) -> Result<(), StoreError> {
        let mut session = self.store.session().await?;
        let totals: TotalsRow = sql!(LOOK).only_row(session.conn()).await?;
        let mut found = self.found();
        found.journal_lines = totals.journal_lines.unsigned_abs();
        found.oldest_rollup = TimeDelta::microseconds(totals.oldest_rollup.max(0));
        found.partitions_ahead = u32::try_from(totals.partitions_ahead).unwrap_or_default();
        Ok(())
    }

    async fn count(&self) -> Result<Backlog, StoreError> {
        let mut session = self.store.session().await?;
        let count = sql!(
            ["WITH RECURSIVE ", OCCUPIED_LINES, ", ", COUNT_PRIORITIES],
            owners = ORGANIZATIONS,
            held = self.found().held.clone(),
            looked_through = LOOKED_THROUGH,
            counted = COUNTED,
            priorities = Priority::ALL.map(Priority::rank),
        );
        let rows: Vec<PriorityRow> = count.rows(session.conn()).await?;
        let mut backlog = Backlog::default();
        for PriorityRow { priority, waiting, active, oldest } in rows {
            let waiting = waiting.unsigned_abs();
            let oldest = TimeDelta::microseconds(oldest.unwrap_or_default().max(0));
            backlog.waiting += waiting;
            backlog.active = active.unsigned_abs();
            backlog.oldest = backlog.oldest.max(oldest);
            if let Some(priority) = Priority::ranked(priority).filter(|_| waiting > 0) {
                backlog.priorities.insert(priority, PriorityBacklog { waiting, oldest });
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
        let is_silent = beats.last_good.is_some_and(|at| at.elapsed() > HEARTBEAT_TIMEOUT);
        let is_refused = self.store.target().is_refused();
        let database = if is_refused {
            Err("PostgreSQL has too few connections for this instance".to_owned())
        } else if found.is_away {
            Err("PostgreSQL does not answer".to_owned())
        } else if beats.has_failed || is_silent {
            Err("PostgreSQL does not take writes".to_owned())
        } else {
            Ok(())
        };
        StoreStats {
            database,
            is_refused,
            backlog: found.backlog.clone(),
            journal_lines: found.journal_lines,
            oldest_rollup: found.oldest_rollup,
            partitions_ahead: found.partitions_ahead,
            pools,
        }
    }
}

const LOOK: &str = "\
    SELECT (SELECT count(*) FROM (SELECT FROM journal LIMIT 100000) AS line) AS journal_lines, \
        coalesce((extract(epoch FROM now() - (SELECT min(written_at) FROM journal_rollups)) \
            * 1000000)::bigint, 0) AS oldest_rollup, \
        (SELECT count(*) FROM generate_series(1, 12) AS ahead CROSS JOIN LATERAL ( \
            SELECT to_char(date_trunc('month', now() AT TIME ZONE 'UTC') \
                + make_interval(months => ahead), 'YYYY_MM') AS name) AS month \
        WHERE to_regclass('delivery_logs_' || month.name) IS NOT NULL \
            AND to_regclass('ledger_entries_' || month.name) IS NOT NULL) AS partitions_ahead";

/// Per priority: the number of waiting messages, the number in flight altogether, and the time since
/// the oldest became due that a provider could take, in microseconds by the database's clock.
/// Claims give all organizations of a provider queue their turn, so some organizations represent
/// all. If no claim ran for long, it is among the jobs that have become due since.
const COUNT_PRIORITIES: &str = "\
    owner AS ( \
        SELECT occupied.priority, occupied.line, first.organization_id \
        FROM (SELECT {owners}::bigint) AS given (owners) CROSS JOIN occupied CROSS JOIN LATERAL ( \
            WITH RECURSIVE walk AS ( \
                (SELECT organization_id FROM delivery_jobs \
                WHERE is_ready AND priority = occupied.priority AND line = occupied.line \
                ORDER BY organization_id LIMIT 1) \
                UNION ALL \
                SELECT next.organization_id FROM walk CROSS JOIN LATERAL ( \
                    SELECT organization_id FROM delivery_jobs job \
                    WHERE is_ready AND priority = occupied.priority AND line = occupied.line \
                        AND job.organization_id > walk.organization_id \
                    ORDER BY organization_id LIMIT 1) AS next \
            ) SELECT organization_id FROM walk LIMIT given.owners) AS first \
        WHERE occupied.line <> ALL({held}) \
    ) \
    SELECT rank.priority, \
        (SELECT count(*) FROM ( \
            (SELECT FROM delivery_jobs WHERE is_ready AND NOT is_follow_up AND priority = rank.priority \
            LIMIT counted) \
            UNION ALL \
            (SELECT FROM delivery_jobs \
            WHERE lease IS NULL AND NOT is_follow_up AND NOT is_ready AND priority = rank.priority \
            LIMIT counted)) AS waiting) AS waiting, \
        (SELECT coalesce(sum(active), 0)::bigint FROM instances \
            WHERE seen_at > clock_timestamp() - interval '15 seconds') AS active, \
        (extract(epoch FROM now() - least(( \
            SELECT min(first.due_at) FROM owner CROSS JOIN LATERAL ( \
                SELECT due_at FROM delivery_jobs WHERE is_ready AND NOT is_follow_up \
                    AND priority = owner.priority AND line = owner.line \
                    AND organization_id = owner.organization_id \
                ORDER BY due_at LIMIT 1) AS first \
            WHERE owner.priority = rank.priority \
        ), ( \
            SELECT min(due_at) FROM (SELECT line, due_at, is_follow_up FROM delivery_jobs \
                WHERE NOT is_ready AND priority = rank.priority AND due_at <= now() \
                ORDER BY due_at LIMIT {looked_through}) AS unseen \
            WHERE NOT is_follow_up AND line <> ALL({held}) \
        ))) * 1000000)::bigint AS oldest \
    FROM (SELECT {counted}::bigint) AS given (counted) \
    CROSS JOIN UNNEST({priorities}::smallint[]) AS rank (priority)";
