//! Statements with named parameters.
//!
//! [`sql!`] checks the names at compile time, and gives each place of use a type, by which
//! connections recognize the prepared statement.

use std::marker::PhantomData;

use diesel::{
    QueryResult,
    deserialize::FromSql,
    pg::Pg,
    query_builder::{AstPass, QueryFragment},
    result::Error as DieselError,
};
use futures_util::{FutureExt, future::BoxFuture};
use ports::shared::store::StoreError;

use super::{
    row::{NamedRow, column, named},
    template::Template,
    value::{Bound, Column},
};
use crate::shared::{
    database::connection::{Connection, Row},
    error::store_error,
};

/// Creates a statement with named parameters.
///
/// The text is a constant in which `{name}` is a parameter, or a list of such constants in
/// brackets. The values follow by name; a name alone is the variable of that name. A parameter
/// without a value, or a value without a parameter, does not compile.
///
/// ```ignore
/// let release = sql!(
///     "UPDATE webhook_endpoints SET lease = NULL WHERE lease = {lease}",
///     lease = self.lease.0,
/// );
/// let released = release.execute(session.conn()).await?;
/// ```
macro_rules! sql {
    ([$($part:expr),+ $(,)?] $(, $name:ident $(= $value:expr)?)* $(,)?) => {{
        struct Place;

        impl $crate::shared::query::sql::Place for Place {
            fn template() -> &'static $crate::shared::query::template::Template {
                use $crate::shared::query::template::{Template, check};

                const PARTS: &[&str] = &[$($part),+];
                const NAMES: &[&str] = &[$(stringify!($name)),*];
                const _: () = check(PARTS, NAMES);
                static TEMPLATE: std::sync::LazyLock<Template> =
                    std::sync::LazyLock::new(|| Template::new(&PARTS.concat(), NAMES));
                &TEMPLATE
            }
        }

        $crate::shared::query::sql::Sql::<Place>::new(
            vec![$($crate::shared::query::value::bound(sql!(@value $name $(= $value)?))),*]
        )
    }};
    (@value $name:ident = $value:expr) => { $value };
    (@value $name:ident) => { $name };
    ($text:expr $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        sql!([$text] $(, $name $(= $value)?)*)
    };
}

pub(crate) use sql;

/// Place in the program where a statement is used.
pub(crate) trait Place: Send + Sync + 'static {
    /// Returns the text of the statement.
    fn template() -> &'static Template;
}

/// Statement with its values. Created by [`sql!`].
pub(crate) struct Sql<'v, P> {
    values: Vec<Box<dyn Bound + 'v>>,
    place: PhantomData<P>,
}

impl<'v, P: Place> Sql<'v, P> {
    /// Creates a statement from the values of its parameters.
    pub(crate) fn new(values: Vec<Box<dyn Bound + 'v>>) -> Self {
        Self { values, place: PhantomData }
    }

    /// Runs the statement, and returns the number of rows that it changed.
    pub(crate) fn execute(self, conn: &Connection) -> BoxFuture<'_, Result<usize, StoreError>> {
        let executing = conn.execute_known::<P>(&self);
        executing.map(|result| result.map_err(store_error)).boxed()
    }

    /// Returns the rows.
    pub(crate) fn rows<R>(self, conn: &Connection) -> BoxFuture<'_, Result<Vec<R>, StoreError>>
    where
        R: NamedRow + Send + 'static,
    {
        decode(conn.load_known::<P>(&self), named)
    }

    /// Returns the row, if there is one.
    pub(crate) fn row<R>(self, conn: &Connection) -> BoxFuture<'_, Result<Option<R>, StoreError>>
    where
        R: NamedRow + Send + 'static,
    {
        decode(conn.load_known::<P>(&self), |rows| Ok(named(first(rows))?.pop()))
    }

    /// Returns the only row, such as one of totals.
    pub(crate) fn only_row<R>(self, conn: &Connection) -> BoxFuture<'_, Result<R, StoreError>>
    where
        R: NamedRow + Send + 'static,
    {
        decode(conn.load_known::<P>(&self), |rows| {
            named::<R>(first(rows))?.pop().ok_or(DieselError::NotFound)
        })
    }

    /// Returns the values of the first column.
    pub(crate) fn values<V>(self, conn: &Connection) -> BoxFuture<'_, Result<Vec<V>, StoreError>>
    where
        V: Column + Send + 'static,
        V::Read: FromSql<V::SqlType, Pg>,
    {
        decode(conn.load_known::<P>(&self), |rows| {
            rows.iter().map(|row| column(row, Some(0))).collect()
        })
    }

    /// Returns the value in the first column of the row, if there is a row.
    pub(crate) fn value<V>(self, conn: &Connection) -> BoxFuture<'_, Result<Option<V>, StoreError>>
    where
        V: Column + Send + 'static,
        V::Read: FromSql<V::SqlType, Pg>,
    {
        decode(conn.load_known::<P>(&self), |rows| {
            rows.first().map(|row| column(row, Some(0))).transpose()
        })
    }

    /// Returns the value in the first column of the only row, such as a count.
    pub(crate) fn only<V>(self, conn: &Connection) -> BoxFuture<'_, Result<V, StoreError>>
    where
        V: Column + Send + 'static,
        V::Read: FromSql<V::SqlType, Pg>,
    {
        decode(conn.load_known::<P>(&self), |rows| {
            let row = rows.first().ok_or(DieselError::NotFound)?;
            column(row, Some(0))
        })
    }
}

type Loading<'c> = BoxFuture<'c, QueryResult<Vec<Row>>>;

fn decode<T: Send + 'static>(
    rows: Loading<'_>,
    read: fn(&[Row]) -> QueryResult<T>,
) -> BoxFuture<'_, Result<T, StoreError>> {
    rows.map(move |rows| rows.and_then(|rows| read(&rows)).map_err(store_error)).boxed()
}

fn first(rows: &[Row]) -> &[Row] {
    rows.get(..1).unwrap_or_default()
}

impl<P: Place> QueryFragment<Pg> for Sql<'_, P> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        P::template().walk(&self.values, out)
    }
}
