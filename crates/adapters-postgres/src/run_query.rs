//! Queries as futures of one type.

use diesel::{QueryResult, dsl::Limit, query_dsl::methods::LimitDsl};
use diesel_async::{
    AsyncConnectionCore,
    methods::{ExecuteDsl, LoadQuery},
};
use futures_util::{FutureExt, future::BoxFuture};

/// The methods of [`diesel_async::RunQueryDsl`], with futures that are all of one type. There, each future has
/// the type of its query within, and the compiler works through it at every `await`: a third of the time that
/// it took to check this crate.
pub(crate) trait RunQueryDsl<Conn>: Sized
where
    Conn: AsyncConnectionCore + Send,
{
    /// Runs a statement, and returns the number of rows that it changed.
    fn execute<'c>(self, conn: &'c mut Conn) -> BoxFuture<'c, QueryResult<usize>>
    where
        Self: ExecuteDsl<Conn> + 'c,
    {
        diesel_async::RunQueryDsl::execute(self, conn).boxed()
    }

    /// Returns all rows.
    fn load<'c, U>(self, conn: &'c mut Conn) -> BoxFuture<'c, QueryResult<Vec<U>>>
    where
        U: Send + 'c,
        Self: LoadQuery<'c, Conn, U> + 'c,
    {
        diesel_async::RunQueryDsl::load(self, conn).boxed()
    }

    /// Returns the first of the rows; an error if there is none.
    fn get_result<'c, U>(self, conn: &'c mut Conn) -> BoxFuture<'c, QueryResult<U>>
    where
        U: Send + 'c,
        Self: LoadQuery<'c, Conn, U> + 'c,
    {
        diesel_async::RunQueryDsl::get_result(self, conn).boxed()
    }

    /// Asks for one row, and returns it; an error if there is none.
    fn first<'c, U>(self, conn: &'c mut Conn) -> BoxFuture<'c, QueryResult<U>>
    where
        U: Send + 'c,
        Self: LimitDsl,
        Limit<Self>: LoadQuery<'c, Conn, U> + Send + 'c,
    {
        RunQueryDsl::get_result(self.limit(1), conn)
    }
}

impl<Q, Conn: AsyncConnectionCore + Send> RunQueryDsl<Conn> for Q {}
