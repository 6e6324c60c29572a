//! This process among those that share the database: its leases, and the release of dead instances.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use diesel_async::SimpleAsyncConnection;
use domain::{messaging::job::Lease, platform::heartbeat::Heartbeat};
use ports::{
    messaging::messages::OwnLeases,
    shared::{random::Random, store::StoreError},
};
use uuid::Uuid;

use crate::shared::{database::session::PgStore, error::store_error, query::sql::sql};

/// Maximum time to write a heartbeat. A slower one proves nothing about the present, and others may
/// have declared this process dead meanwhile.
const HEARTBEAT_LIMIT: Duration = Duration::from_secs(5);

/// Process that leases jobs, campaigns, parts of imports and other background work. All its leases
/// begin with the same half, its name.
#[derive(Clone)]
pub struct PgInstance {
    store: PgStore,
    random: Arc<dyn Random>,
    name: u64,
    began: Instant,
    beats: Arc<Mutex<Heartbeats>>,
    active: Arc<AtomicI64>,
}

/// Heartbeats of a process.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Heartbeats {
    /// Time at which the last timely heartbeat was written.
    pub(crate) last_good: Option<Instant>,
    /// True if the last heartbeat was not timely.
    pub(crate) has_failed: bool,
    /// Heartbeats that were written in time.
    shown: Heartbeat,
}

impl PgInstance {
    /// Creates a process with a name of its own. `store` should have a connection for its
    /// heartbeats alone: a process whose heartbeats wait for other statements is declared dead.
    pub fn new(store: PgStore, random: Arc<dyn Random>) -> Self {
        let name = half(&*random);
        let (began, beats) = (Instant::now(), Arc::default());
        Self { store, random, name, began, beats, active: Arc::default() }
    }

    /// Returns the results of the heartbeats so far.
    pub(crate) fn beats(&self) -> Heartbeats {
        *self.beats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a unique lease.
    pub(crate) fn lease(&self) -> Lease {
        Lease(Uuid::from_u64_pair(self.name, half(&*self.random)))
    }

    /// Sets the number of messages in flight in this process, which the next heartbeat publishes.
    pub fn note_active(&self, messages: u64) {
        self.active.store(i64::try_from(messages).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// Writes a heartbeat. Other processes take over the leases of one without a heartbeat for
    /// fifteen seconds. Fails if it took more than five.
    pub async fn heartbeat(&self) -> Result<(), StoreError> {
        let began = Instant::now();
        let shown = self.show().await;
        let shown = shown.and_then(|()| match began.elapsed() {
            took if took > HEARTBEAT_LIMIT => {
                Err(StoreError::Unavailable(format!("a heartbeat took {took:?}").into()))
            }
            _ => Ok(()),
        });
        let mut beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
        beats.has_failed = shown.is_err();
        if shown.is_ok() {
            beats.last_good = Some(Instant::now());
            beats.shown.show(began - self.began, self.began.elapsed());
        }
        shown
    }

    async fn show(&self) -> Result<(), StoreError> {
        let mut session = self.store.session().await?;
        let heartbeat = sql!(
            "INSERT INTO instances (first_lease, last_lease, active, seen_at) \
             VALUES ({first}, {last}, {active}, clock_timestamp()) ON CONFLICT (first_lease) \
             DO UPDATE SET active = EXCLUDED.active, seen_at = EXCLUDED.seen_at",
            first = self.first_lease(),
            last = Uuid::from_u64_pair(self.name, u64::MAX),
            active = AtomicI64::load(&self.active, Ordering::Relaxed),
        );
        heartbeat.execute(session.conn()).await?;
        Ok(())
    }

    /// Returns the half with which all leases of this process begin, in hexadecimal digits.
    pub fn lease_prefix(&self) -> String {
        format!("{:016x}", self.name)
    }

    /// Frees the jobs, campaigns, imports, repetitions, contact jobs, exports and webhook endpoints of
    /// other processes that had no heartbeat for fifteen seconds, and returns the number of jobs. Only a
    /// process whose own heartbeats succeeded all that time may judge others: after an outage of the
    /// database nobody's did.
    pub async fn release_dead_instances(&self) -> Result<usize, StoreError> {
        let mut session = self.store.session().await?;
        let release = sql!(RELEASE_DEAD_INSTANCE, first_lease = self.first_lease());
        release.execute(session.conn()).await
    }

    /// Frees the jobs, imports, campaigns, repetitions, contact jobs, exports and webhook endpoints of all
    /// processes before this one. For a database that no other process can use.
    pub async fn release_all_jobs(&self) -> Result<(), StoreError> {
        let mut session = self.store.session().await?;
        session.conn().batch_execute(RELEASE_DEAD_INSTANCES).await.map_err(store_error)
    }

    /// Removes this process, which holds no lease any more.
    pub async fn deregister(&self) -> Result<(), StoreError> {
        let mut session = self.store.session().await?;
        let leave = sql!(
            "DELETE FROM instances WHERE first_lease = {first_lease}",
            first_lease = self.first_lease(),
        );
        leave.execute(session.conn()).await?;
        Ok(())
    }

    /// Returns the key of this process in the table.
    fn first_lease(&self) -> Uuid {
        Uuid::from_u64_pair(self.name, 0)
    }
}

impl OwnLeases for PgInstance {
    fn are_certain(&self, age: Duration) -> bool {
        self.beats().shown.are_unbroken(age, self.began.elapsed())
    }
}

fn half(random: &dyn Random) -> u64 {
    let mut half = [0; 8];
    half.copy_from_slice(&random.secret()[..8]);
    u64::from_be_bytes(half)
}

const RELEASE_DEAD_INSTANCE: &str = "\
    WITH dead AS ( \
        DELETE FROM instances WHERE first_lease <> {first_lease} \
            AND seen_at < clock_timestamp() - interval '15 seconds' RETURNING * \
    ), uncalled AS ( \
        UPDATE webhook_endpoints endpoint SET lease = NULL, leased_until = NULL FROM dead \
        WHERE endpoint.lease BETWEEN dead.first_lease AND dead.last_lease \
    ), unsent AS ( \
        UPDATE campaigns campaign SET lease = NULL, due_at = now() FROM dead \
        WHERE campaign.lease IS NOT NULL AND campaign.due_at IS NOT NULL \
            AND campaign.lease BETWEEN dead.first_lease AND dead.last_lease \
    ), unread AS ( \
        UPDATE imports import SET lease = NULL, due_at = now() FROM dead \
        WHERE import.status = 'PROCESSING' \
            AND import.lease BETWEEN dead.first_lease AND dead.last_lease \
    ), undone AS ( \
        UPDATE imports import SET lease = NULL, due_at = now() FROM dead \
        WHERE import.undo_status = 'PROCESSING' \
            AND import.lease BETWEEN dead.first_lease AND dead.last_lease \
    ), unrepeated AS ( \
        UPDATE resend_tasks task SET lease = NULL, due_at = now() FROM dead \
        WHERE task.completed_at IS NULL \
            AND task.lease BETWEEN dead.first_lease AND dead.last_lease \
    ), unfinished AS ( \
        UPDATE contact_jobs job SET lease = NULL, due_at = now() FROM dead \
        WHERE job.finished_at IS NULL \
            AND job.lease BETWEEN dead.first_lease AND dead.last_lease \
    ), unexported AS ( \
        UPDATE log_exports export SET lease = NULL, due_at = now() FROM dead \
        WHERE export.kept_until IS NULL \
            AND export.lease BETWEEN dead.first_lease AND dead.last_lease \
    ) \
    UPDATE delivery_jobs job SET lease = NULL, is_ready = true, due_at = now() FROM dead \
    WHERE job.lease BETWEEN dead.first_lease AND dead.last_lease";

const RELEASE_DEAD_INSTANCES: &str = "\
    DELETE FROM instances; \
    UPDATE delivery_jobs SET lease = NULL, is_ready = true, due_at = now() WHERE lease IS NOT NULL; \
    UPDATE imports SET lease = NULL, due_at = now() WHERE lease IS NOT NULL; \
    UPDATE campaigns SET lease = NULL, due_at = now() WHERE lease IS NOT NULL; \
    UPDATE resend_tasks SET lease = NULL, due_at = now() WHERE lease IS NOT NULL; \
    UPDATE contact_jobs SET lease = NULL, due_at = now() WHERE lease IS NOT NULL; \
    UPDATE log_exports SET lease = NULL, due_at = now() WHERE lease IS NOT NULL; \
    UPDATE webhook_endpoints SET lease = NULL, leased_until = NULL WHERE lease IS NOT NULL";
