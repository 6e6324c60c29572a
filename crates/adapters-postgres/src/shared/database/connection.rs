//! Connection on which every statement has a deadline.
//!
//! The server has limits of its own, but a frozen server keeps none, and none of them holds while a
//! commit waits for the disk or for another server.

use std::{
    sync::Arc,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::QueryFragment,
    result::{DatabaseErrorKind, Error as DieselError},
};
use diesel_async::{
    AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection,
    pooled_connection::PoolableConnection,
};
use futures_util::{FutureExt, TryStreamExt, future::BoxFuture, stream::BoxStream};
use tokio::{
    sync::OnceCell,
    time::{Instant, timeout_at},
};

use crate::shared::{
    database::{composite_types::CompositeTypes, places::Place},
    query::{any_query::AnyQuery, known_query::KnownQuery},
};

/// Connection to `PostgreSQL`. Statements may be sent through a shared reference, one before the
/// other is answered.
pub(crate) struct Connection {
    inner: AsyncPgConnection,
    deadline: Option<Duration>,
    /// True after a deadline passed. Nobody waits for further answers on the connection.
    is_silent: Arc<AtomicBool>,
    /// Its place among the connections that pools share; `None` if it is of no such pool.
    place: Option<Place>,
    composite_types: OnceCell<CompositeTypes>,
}

/// Row of an answer.
pub(crate) type Row = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;

impl Connection {
    /// Wraps a connection with a time limit for each statement; `None` is no limit. It occupies the
    /// place, if there is one, until it is dropped.
    pub(crate) fn new(
        inner: AsyncPgConnection,
        deadline: Option<Duration>,
        place: Option<Place>,
    ) -> Self {
        Self { inner, deadline, is_silent: Arc::default(), place, composite_types: OnceCell::new() }
    }

    /// Returns its place among the connections that pools share, if it is of such a pool.
    pub(crate) fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// Returns the composite types of the database, which are read once for each connection.
    pub(crate) fn composite_types(&self) -> &OnceCell<CompositeTypes> {
        &self.composite_types
    }

    /// True if a statement was not answered in time.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Acquire)
    }

    /// True if the connection cannot be used again.
    pub(crate) fn is_broken(&mut self) -> bool {
        self.is_silent() || self.inner.is_broken()
    }

    fn limit(&self) -> Limit {
        Limit {
            at: self.deadline.map(|deadline| Instant::now() + deadline),
            is_silent: Arc::clone(&self.is_silent),
        }
    }

    /// Runs a query, and returns its rows. The prepared statement is found by its text.
    pub(crate) fn load(
        &self,
        query: &dyn QueryFragment<Pg>,
    ) -> BoxFuture<'_, QueryResult<Vec<Row>>> {
        let mut inner = &self.inner;
        self.limit().keep_rows(AsyncConnectionCore::load(&mut inner, AnyQuery(query)))
    }

    /// Like [`load`](Self::load), but finds the prepared statement by the type `K`.
    pub(crate) fn load_known<K: 'static>(
        &self,
        query: &dyn QueryFragment<Pg>,
    ) -> BoxFuture<'_, QueryResult<Vec<Row>>> {
        let mut inner = &self.inner;
        let query = KnownQuery::<K>::new(query);
        self.limit().keep_rows(AsyncConnectionCore::load(&mut inner, query))
    }

    /// Runs a statement, and returns the number of rows that it changed.
    pub(crate) fn execute(
        &self,
        query: &dyn QueryFragment<Pg>,
    ) -> BoxFuture<'_, QueryResult<usize>> {
        let mut inner = &self.inner;
        let query = AnyQuery(query);
        self.limit().keep_count(AsyncConnectionCore::execute_returning_count(&mut inner, query))
    }

    /// Like [`execute`](Self::execute), but finds the prepared statement by the type `K`.
    pub(crate) fn execute_known<K: 'static>(
        &self,
        query: &dyn QueryFragment<Pg>,
    ) -> BoxFuture<'_, QueryResult<usize>> {
        let mut inner = &self.inner;
        let query = KnownQuery::<K>::new(query);
        self.limit().keep_count(AsyncConnectionCore::execute_returning_count(&mut inner, query))
    }
}

/// Deadline of a statement.
struct Limit {
    at: Option<Instant>,
    is_silent: Arc<AtomicBool>,
}

type Rows = BoxStream<'static, QueryResult<Row>>;

impl Limit {
    fn keep_rows(
        self,
        rows: BoxFuture<'_, QueryResult<Rows>>,
    ) -> BoxFuture<'_, QueryResult<Vec<Row>>> {
        async move {
            let rows = async { rows.await?.try_collect().await };
            self.keep(rows).await
        }
        .boxed()
    }

    fn keep_count(
        self,
        count: BoxFuture<'_, QueryResult<usize>>,
    ) -> BoxFuture<'_, QueryResult<usize>> {
        async move { self.keep(count).await }.boxed()
    }

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
