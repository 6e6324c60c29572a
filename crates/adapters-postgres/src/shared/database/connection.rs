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
use futures_util::{FutureExt, TryStreamExt, future::BoxFuture};
use tokio::time::{Instant, timeout_at};

use crate::shared::query::any_query::AnyQuery;

/// Connection to `PostgreSQL`. Statements may be sent through a shared reference, one before the
/// other is answered.
pub(crate) struct Connection {
    inner: AsyncPgConnection,
    deadline: Option<Duration>,
    /// True after a deadline passed. Nobody waits for further answers on the connection.
    is_silent: Arc<AtomicBool>,
}

/// Row of an answer.
pub(crate) type Row = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;

impl Connection {
    /// Wraps a connection with a time limit for each statement; `None` is no limit.
    pub(crate) fn new(inner: AsyncPgConnection, deadline: Option<Duration>) -> Self {
        Self { inner, deadline, is_silent: Arc::default() }
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

    /// Runs a query, and returns its rows.
    pub(crate) fn load(
        &self,
        query: &dyn QueryFragment<Pg>,
    ) -> BoxFuture<'_, QueryResult<Vec<Row>>> {
        let limit = self.limit();
        let mut inner = &self.inner;
        let loading = AsyncConnectionCore::load(&mut inner, AnyQuery(query));
        async move {
            let loading = async { loading.await?.try_collect().await };
            limit.keep(loading).await
        }
        .boxed()
    }

    /// Runs a statement, and returns the number of rows that it changed.
    pub(crate) fn execute(
        &self,
        query: &dyn QueryFragment<Pg>,
    ) -> BoxFuture<'_, QueryResult<usize>> {
        let limit = self.limit();
        let mut inner = &self.inner;
        let executing = AsyncConnectionCore::execute_returning_count(&mut inner, AnyQuery(query));
        async move { limit.keep(executing).await }.boxed()
    }
}

/// Deadline of a statement.
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
