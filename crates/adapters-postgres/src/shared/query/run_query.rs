//! Methods that run a query of Diesel on a [`Connection`].

use std::borrow::Borrow;

use diesel::{
    QueryResult,
    deserialize::FromSqlRow,
    dsl::Limit,
    expression::QueryMetadata,
    pg::Pg,
    query_builder::{AsQuery, QueryFragment},
    query_dsl::{CompatibleType, methods::LimitDsl},
    result::Error as DieselError,
};
use futures_util::{FutureExt, future::BoxFuture};

use crate::shared::database::connection::{Connection, Row};

/// Methods of `diesel_async::RunQueryDsl`, with one type of future for all queries. There, each
/// future contains the type of its query, which the compiler processes at every `await`.
pub(crate) trait RunQueryDsl: Sized {
    /// Runs a statement, and returns the number of rows that it changed.
    fn execute<C>(self, conn: &mut C) -> BoxFuture<'_, QueryResult<usize>>
    where
        C: Borrow<Connection>,
        Self: QueryFragment<Pg>,
    {
        let conn: &Connection = (*conn).borrow();
        conn.execute(&self)
    }

    /// Returns all rows.
    fn load<U, C, ST>(self, conn: &mut C) -> BoxFuture<'_, QueryResult<Vec<U>>>
    where
        C: Borrow<Connection>,
        Self: AsQuery<Query: QueryFragment<Pg>, SqlType: CompatibleType<U, Pg, SqlType = ST>>,
        Pg: QueryMetadata<Self::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        let conn: &Connection = (*conn).borrow();
        decode_all(conn.load(&self.as_query()))
    }

    /// Returns the first of the rows; fails if there is none.
    fn get_result<U, C, ST>(self, conn: &mut C) -> BoxFuture<'_, QueryResult<U>>
    where
        C: Borrow<Connection>,
        Self: AsQuery<Query: QueryFragment<Pg>, SqlType: CompatibleType<U, Pg, SqlType = ST>>,
        Pg: QueryMetadata<Self::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        let conn: &Connection = (*conn).borrow();
        decode_first(conn.load(&self.as_query()))
    }

    /// Requests one row, and returns it; fails if there is none.
    fn first<U, C, ST>(self, conn: &mut C) -> BoxFuture<'_, QueryResult<U>>
    where
        C: Borrow<Connection>,
        Self: LimitDsl,
        Limit<Self>:
            AsQuery<Query: QueryFragment<Pg>, SqlType: CompatibleType<U, Pg, SqlType = ST>>,
        Pg: QueryMetadata<<Limit<Self> as AsQuery>::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        RunQueryDsl::get_result(self.limit(1), conn)
    }
}

impl<Q> RunQueryDsl for Q {}

type Loading<'c> = BoxFuture<'c, QueryResult<Vec<Row>>>;

fn decode_all<U, ST>(rows: Loading<'_>) -> BoxFuture<'_, QueryResult<Vec<U>>>
where
    U: FromSqlRow<ST, Pg> + Send + 'static,
    ST: 'static,
{
    rows.map(|rows| rows?.iter().map(decode::<U, ST>).collect()).boxed()
}

fn decode_first<U, ST>(rows: Loading<'_>) -> BoxFuture<'_, QueryResult<U>>
where
    U: FromSqlRow<ST, Pg> + Send + 'static,
    ST: 'static,
{
    rows.map(|rows| match rows?.as_slice() {
        [] => Err(DieselError::NotFound),
        [row, ..] => decode::<U, ST>(row),
    })
    .boxed()
}

fn decode<U: FromSqlRow<ST, Pg>, ST>(row: &Row) -> QueryResult<U> {
    U::build_from_row(row).map_err(DieselError::DeserializationError)
}
