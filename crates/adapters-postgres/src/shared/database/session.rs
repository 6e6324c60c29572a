//! Sessions: borrowed connections, and the transactions on them.

use std::sync::Arc;

use deadpool::managed::{Object, Pool, QueueMode, WeakPool};
use diesel::{dsl::sql, sql_types::Bool};
use diesel_async::SimpleAsyncConnection;
use futures_util::future::{self, try_join};
use ports::{platform::health::PoolStats, shared::store::StoreError};
use tokio::{runtime::Handle, time::timeout};

use crate::shared::{
    database::{
        borrowers::{Borrower, Borrowers},
        config_error::ConfigError,
        connection::Connection,
        connections::Connections,
        places::Place,
        start_options::Purpose,
        target::PgTarget,
    },
    error::store_error,
    query::run_query::RunQueryDsl,
};

/// The store, on a pool of `PostgreSQL` connections. Each port that it implements is in the module
/// of its area.
#[derive(Clone)]
pub struct PgStore {
    pool: Pool<Connections>,
    /// Borrowers of its connections; `None` if it shares no places with other stores.
    borrowers: Option<Borrowers>,
    /// Prefix of its leases; `None` if they need not be attributed to an instance.
    lease_prefix: Option<Arc<str>>,
}

/// Usage of the connections of a [`PgStore`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUsage {
    /// Number of borrowed connections.
    pub busy: usize,
    /// Number of unused connections.
    pub idle: usize,
    /// Number of callers that wait for one.
    pub waiting: usize,
    /// Maximum number of connections.
    pub max: usize,
}

impl PgStore {
    /// Creates a store on a database, with up to `pool_size` connections, each made on first use.
    /// Must be called on a runtime that outlives the store, since its connections live there.
    pub fn connect(target: impl Into<PgTarget>, pool_size: usize) -> Result<Self, ConfigError> {
        Self::over(Connections::new(target, Purpose::Requests)?, pool_size)
    }

    /// Like [`connect`](Self::connect), for [`PgIntake`](crate::PgIntake) and
    /// [`PgJobs`](crate::PgJobs), which write in batches.
    pub fn connect_writers(
        target: impl Into<PgTarget>,
        pool_size: usize,
    ) -> Result<Self, ConfigError> {
        Self::over(Connections::new(target, Purpose::Writers)?, pool_size)
    }

    /// Like [`connect`](Self::connect), for [`PgSegments`](crate::PgSegments), which scans all
    /// contacts of an organization.
    pub fn connect_evaluation(
        target: impl Into<PgTarget>,
        pool_size: usize,
    ) -> Result<Self, ConfigError> {
        Self::over(Connections::new(target, Purpose::Evaluation)?, pool_size)
    }

    /// Like [`connect`](Self::connect), for background work.
    pub fn connect_background(
        target: impl Into<PgTarget>,
        pool_size: usize,
    ) -> Result<Self, ConfigError> {
        Self::over(Connections::new(target, Purpose::Background)?, pool_size)
    }

    /// Like [`connect_background`](Self::connect_background), for work that is taken from a queue.
    /// Every row is found by its key, whatever the statistics of the tables.
    pub fn connect_queues(
        target: impl Into<PgTarget>,
        pool_size: usize,
    ) -> Result<Self, ConfigError> {
        Self::over(Connections::new(target, Purpose::Queues)?, pool_size)
    }

    /// Like [`connect`](Self::connect), for [`maintain`](Self::maintain).
    pub fn connect_maintenance(
        target: impl Into<PgTarget>,
        pool_size: usize,
    ) -> Result<Self, ConfigError> {
        Self::over(Connections::new(target, Purpose::Maintenance)?, pool_size)
    }

    /// Returns the numbers of connections and of callers that wait for one.
    pub fn pool_usage(&self) -> PoolUsage {
        let status = self.pool.status();
        let busy = status.size.saturating_sub(status.available);
        PoolUsage { busy, idle: status.available, waiting: status.waiting, max: status.max_size }
    }

    /// True if connections for writers have their settings. A pooler may drop the settings that
    /// they are opened with.
    pub async fn has_settings_of_writers(&self) -> Result<bool, StoreError> {
        let has_limit = sql::<Bool>("current_setting('lock_timeout') <> '0'");
        let mut session = self.session().await?;
        diesel::select(has_limit).get_result(session.conn()).await.map_err(store_error)
    }

    fn over(connections: Connections, pool_size: usize) -> Result<Self, ConfigError> {
        connections.target().plan(pool_size);
        Self::on(connections, pool_size)
    }

    /// Creates a store whose connections are planned elsewhere.
    pub(crate) fn on(connections: Connections, pool_size: usize) -> Result<Self, ConfigError> {
        let borrowers = connections.places().cloned().map(Borrowers::new);
        // The connection that was used last is next: its server process still has its plans in the
        // caches of a processor, and those that are not needed are seen to be unused.
        let builder = Pool::builder(connections).max_size(pool_size);
        let pool = builder.queue_mode(QueueMode::Lifo).build()?;
        Ok(Self { pool, borrowers, lease_prefix: None })
    }

    /// Returns the pool, which the result does not keep open.
    pub(crate) fn weak_pool(&self) -> WeakPool<Connections> {
        self.pool.weak()
    }

    /// Returns the same store, whose leases begin with the prefix of an instance: when it dies,
    /// others free them.
    #[must_use]
    pub fn leasing_by(self, prefix: &str) -> Self {
        Self { lease_prefix: Some(prefix.into()), ..self }
    }

    /// Returns the prefix of its leases.
    pub(crate) fn lease_prefix(&self) -> Option<&str> {
        self.lease_prefix.as_deref()
    }

    /// Returns the database to which the connections lead.
    pub(crate) fn target(&self) -> &PgTarget {
        self.pool.manager().target()
    }

    /// Opens a connection beside the pool, and closes it.
    pub(crate) async fn try_connecting(&self) -> Result<(), StoreError> {
        let connected = self.pool.manager().establish().await;
        connected.map(drop).map_err(|error| StoreError::Unavailable(error.into()))
    }

    /// Returns the current usage of the connections.
    pub(crate) fn pool_stats(&self) -> PoolStats {
        let status = self.pool.status();
        PoolStats {
            max_size: status.max_size,
            in_use: status.size.saturating_sub(status.available),
            waiting: status.waiting,
        }
    }

    /// Borrows a connection on which every statement is its own transaction.
    pub(crate) async fn session(&self) -> Result<PgSession, StoreError> {
        let borrower = match &self.borrowers {
            // Boxed, because most stores share no places, and need no room for it.
            Some(borrowers) => Some(Box::pin(borrowers.enter(&self.pool)).await),
            None => None,
        };
        let limit = self.pool.manager().borrow_timeout();
        let conn = timeout(limit, self.pool.get()).await.map_err(|_| {
            let late = format!("no connection was free or could be opened within {limit:?}");
            StoreError::Unavailable(late.into())
        })?;
        let conn = conn.map_err(|error| StoreError::Unavailable(error.into()))?;
        let runtime = self.pool.manager().runtime().clone();
        Ok(PgSession { conn: Some(conn), state: State::Idle, borrower, runtime })
    }

    /// Borrows a connection and begins a transaction on it.
    pub(crate) async fn transaction(&self) -> Result<PgSession, StoreError> {
        let opening = self.opening().await?;
        opening.begin_with(future::ready(Ok(()))).await?;
        Ok(opening.opened())
    }

    /// Borrows a connection and begins a transaction on it whose statements all read the same
    /// snapshot.
    pub(crate) async fn snapshot(&self) -> Result<PgSession, StoreError> {
        let mut session = self.session().await?;
        session.state = State::Uncertain;
        let begin = session.conn().batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
        begin.await.map_err(store_error)?;
        session.state = State::InTransaction;
        Ok(session)
    }

    /// Borrows a connection on which a transaction is about to begin.
    pub(crate) async fn opening(&self) -> Result<Opening, StoreError> {
        let mut session = self.session().await?;
        session.state = State::Uncertain;
        Ok(Opening(session))
    }
}

/// Connection borrowed from the pool.
pub(crate) struct PgSession {
    /// `None` only while dropping.
    conn: Option<Object<Connections>>,
    state: State,
    /// `None` if its store shares no places.
    borrower: Option<Borrower>,
    runtime: Handle,
}

/// State of the transaction on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// No transaction is open.
    Idle,
    /// A transaction is open.
    InTransaction,
    /// The transaction was being begun or ended, and the caller gave up or got an error.
    Uncertain,
}

impl PgSession {
    #[expect(clippy::expect_used, reason = "only the end of the session takes the connection away")]
    pub(crate) fn conn(&mut self) -> &mut Connection {
        self.conn.as_mut().expect("the session is alive")
    }

    /// Returns the connection, for statements that do not wait for each other's answers.
    #[expect(clippy::expect_used, reason = "only the end of the session takes the connection away")]
    pub(crate) fn pipeline(&self) -> &Connection {
        self.conn.as_ref().expect("the session is alive")
    }

    /// Commits the transaction. One in which a statement failed cannot be committed; `COMMIT` alone
    /// would roll it back and report success.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        self.state = State::Uncertain;
        self.conn().batch_execute("SELECT 1; COMMIT").await.map_err(store_error)?;
        self.state = State::Idle;
        Ok(())
    }
}

/// Transaction that begins together with its first statements, in one round trip.
pub(crate) struct Opening(PgSession);

impl Opening {
    /// Returns the connection for the first statements.
    pub(crate) fn conn(&self) -> &Connection {
        self.0.pipeline()
    }

    /// Begins the transaction, and runs `first` in it without waiting for that.
    pub(crate) async fn begin_with<T>(
        &self,
        first: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let mut conn = self.conn();
        let begin = async { conn.batch_execute("BEGIN").await.map_err(store_error) };
        // `BEGIN` is polled first and needs no preparation, so it reaches the server first.
        let ((), read) = try_join(begin, first).await?;
        Ok(read)
    }

    /// Returns the session, once the transaction has begun.
    pub(crate) fn opened(mut self) -> PgSession {
        self.0.state = State::InTransaction;
        self.0
    }
}

impl Drop for PgSession {
    /// Rolls an open transaction back, in the background, before the connection returns to the
    /// pool: the pool itself would leave the transaction, and its locks, open. A connection in an
    /// uncertain state is closed.
    fn drop(&mut self) {
        let Some(mut conn) = self.conn.take() else { return };
        if conn.is_silent() {
            // The others lead to the same server. Their next borrowers find out which host answers.
            if let Some(pool) = Object::pool(&conn) {
                pool.retain(|_, _| false);
            }
            drop(Object::take(conn));
            return;
        }
        let borrower = self.borrower.take();
        match self.state {
            State::Idle => give_back(conn, borrower),
            State::Uncertain => drop(Object::take(conn)),
            State::InTransaction => {
                self.runtime.spawn(async move {
                    match conn.batch_execute("ROLLBACK").await {
                        Ok(()) => give_back(conn, borrower),
                        Err(error) => {
                            tracing::warn!(%error, "could not roll back; the connection is closed");
                            drop(Object::take(conn));
                        }
                    }
                });
            }
        }
    }
}

/// Returns a connection to its pool. If other pools share its place and one of them waits for a
/// place, an unused connection is closed.
fn give_back(conn: Object<Connections>, borrower: Option<Borrower>) {
    let place = conn.place().map(Place::places);
    drop(conn);
    drop(borrower);
    if let Some(places) = place {
        places.make_room();
    }
}
