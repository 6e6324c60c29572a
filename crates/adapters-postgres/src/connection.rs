//! A connection on which every statement has a deadline.
//!
//! The server has limits of its own, but one that is frozen keeps none, and none of them holds while a
//! commit waits for the disk or for another server.

use std::{
    pin::Pin,
    sync::Arc,
    sync::atomic::{AtomicBool, Ordering},
    task::{Context, Poll, ready},
    time::Duration,
};

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AsQuery, QueryFragment, QueryId},
    result::{DatabaseErrorKind, Error as DieselError},
};
use diesel_async::{
    AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection,
    pooled_connection::PoolableConnection,
};
use futures_util::{FutureExt, Stream, future::BoxFuture, stream::BoxStream};
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

/// A connection to `PostgreSQL`. Statements may be sent through a shared reference, one before the
/// other is answered.
pub(crate) struct Connection {
    inner: AsyncPgConnection,
    deadline: Option<Duration>,
    /// Set when a deadline passed. What is still to come on the connection nobody waits for.
    is_silent: Arc<AtomicBool>,
}

type Row = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;
type Rows = BoxStream<'static, QueryResult<Row>>;

impl Connection {
    /// The same connection, with so much time for each statement; `None` is no limit.
    pub(crate) fn new(inner: AsyncPgConnection, deadline: Option<Duration>) -> Self {
        Self { inner, deadline, is_silent: Arc::default() }
    }

    /// Whether a statement was not answered in time.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Acquire)
    }

    /// Whether it cannot be used again.
    pub(crate) fn is_broken(&mut self) -> bool {
        self.is_silent() || self.inner.is_broken()
    }

    fn limit(&self) -> Limit {
        Limit {
            at: self.deadline.map(|deadline| Instant::now() + deadline),
            is_silent: Arc::clone(&self.is_silent),
        }
    }

    fn load_in_time<'c, 'q, T>(&'c self, source: T) -> BoxFuture<'c, QueryResult<Rows>>
    where
        T: AsQuery + 'q,
        T::Query: QueryFragment<Pg> + QueryId + 'q,
    {
        let limit = self.limit();
        let mut inner = &self.inner;
        let loading = AsyncConnectionCore::load(&mut inner, source);
        async move {
            let rows = limit.keep(loading).await?;
            let until = limit.at.map(|at| Box::pin(sleep_until(at)));
            Ok(Box::pin(RowsInTime { rows, limit, until }) as Rows)
        }
        .boxed()
    }

    fn execute_in_time<'c, 'q, T>(&'c self, source: T) -> BoxFuture<'c, QueryResult<usize>>
    where
        T: QueryFragment<Pg> + QueryId + 'q,
    {
        let limit = self.limit();
        let mut inner = &self.inner;
        let executing = AsyncConnectionCore::execute_returning_count(&mut inner, source);
        async move { limit.keep(executing).await }.boxed()
    }
}

/// Until when a statement must be answered.
struct Limit {
    at: Option<Instant>,
    is_silent: Arc<AtomicBool>,
}

impl Limit {
    async fn keep<T>(&self, answer: impl Future<Output = QueryResult<T>>) -> QueryResult<T> {
        let Some(at) = self.at else { return answer.await };
        match timeout_at(at, answer).await {
            Ok(answer) => answer,
            Err(_) => Err(self.passed()),
        }
    }

    fn passed(&self) -> DieselError {
        self.is_silent.store(true, Ordering::Release);
        let message = "the database did not answer in time".to_owned();
        DieselError::DatabaseError(DatabaseErrorKind::UnableToSendCommand, Box::new(message))
    }
}

/// Rows, all of which must come before the limit.
struct RowsInTime {
    rows: Rows,
    limit: Limit,
    until: Option<Pin<Box<Sleep>>>,
}

impl Stream for RowsInTime {
    type Item = QueryResult<Row>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(row) = self.rows.as_mut().poll_next(cx) {
            return Poll::Ready(row);
        }
        let Some(until) = &mut self.until else { return Poll::Pending };
        ready!(until.as_mut().poll(cx));
        Poll::Ready(Some(Err(self.limit.passed())))
    }
}

impl SimpleAsyncConnection for Connection {
    async fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        SimpleAsyncConnection::batch_execute(&mut &*self, query).await
    }
}

impl SimpleAsyncConnection for &Connection {
    async fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        let mut inner = &self.inner;
        self.limit().keep(SimpleAsyncConnection::batch_execute(&mut inner, query)).await
    }
}

impl AsyncConnectionCore for Connection {
    type LoadFuture<'conn, 'query> = BoxFuture<'conn, QueryResult<Rows>>;
    type ExecuteFuture<'conn, 'query> = BoxFuture<'conn, QueryResult<usize>>;
    type Stream<'conn, 'query> = Rows;
    type Row<'conn, 'query> = Row;
    type Backend = Pg;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> Self::LoadFuture<'conn, 'query>
    where
        T: AsQuery + 'query,
        T::Query: QueryFragment<Pg> + QueryId + 'query,
    {
        self.load_in_time(source)
    }

    fn execute_returning_count<'conn, 'query, T>(
        &'conn mut self,
        source: T,
    ) -> Self::ExecuteFuture<'conn, 'query>
    where
        T: QueryFragment<Pg> + QueryId + 'query,
    {
        self.execute_in_time(source)
    }
}

impl<'a> AsyncConnectionCore for &'a Connection {
    type LoadFuture<'conn, 'query> = BoxFuture<'a, QueryResult<Rows>>;
    type ExecuteFuture<'conn, 'query> = BoxFuture<'a, QueryResult<usize>>;
    type Stream<'conn, 'query> = Rows;
    type Row<'conn, 'query> = Row;
    type Backend = Pg;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> Self::LoadFuture<'conn, 'query>
    where
        T: AsQuery + 'query,
        T::Query: QueryFragment<Pg> + QueryId + 'query,
    {
        self.load_in_time(source)
    }

    fn execute_returning_count<'conn, 'query, T>(
        &'conn mut self,
        source: T,
    ) -> Self::ExecuteFuture<'conn, 'query>
    where
        T: QueryFragment<Pg> + QueryId + 'query,
    {
        self.execute_in_time(source)
    }
}
