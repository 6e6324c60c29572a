//! Statements over whole columns, for work in batches.
//!
//! Diesel never caches a `sql_query` as a prepared statement. A [`Statement`] is the same SQL with a
//! name, so that it is prepared once on each connection.

use std::marker::PhantomData;

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    serialize::ToSql,
    sql_types::HasSqlType,
};

/// A value that is bound to a statement.
pub(crate) trait Bind: Send {
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()>;
}

/// A value with its SQL type.
pub(crate) struct As<ST, T> {
    value: T,
    sql_type: PhantomData<fn() -> ST>,
}

impl<ST, T> Bind for As<ST, T>
where
    T: ToSql<ST, Pg> + Send,
    Pg: HasSqlType<ST>,
{
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_bind_param::<ST, T>(&self.value)
    }
}

/// A statement named by the type `N`, which returns rows of the SQL types `ST`. Its text, which may
/// come in parts, has a `?` for each value.
pub(crate) struct Statement<'v, N, ST = ()> {
    parts: &'static [&'static str],
    values: Vec<Box<dyn Bind + 'v>>,
    name: PhantomData<fn() -> (N, ST)>,
}

impl<'v, N, ST> Statement<'v, N, ST> {
    pub(crate) fn new(parts: &'static [&'static str]) -> Self {
        Self { parts, values: Vec::new(), name: PhantomData }
    }

    /// Binds the next value.
    pub(crate) fn bind<T, V>(mut self, value: V) -> Self
    where
        V: ToSql<T, Pg> + Send + 'v,
        Pg: HasSqlType<T>,
        T: 'v,
    {
        self.values.push(Box::new(As::<T, V> { value, sql_type: PhantomData }));
        self
    }
}

impl<N, ST> QueryFragment<Pg> for Statement<'_, N, ST> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let mut values = self.values.iter();
        for part in self.parts {
            let mut texts = part.split('?');
            out.push_sql(texts.next().unwrap_or_default());
            for text in texts {
                if let Some(value) = values.next() {
                    value.bind(&mut out)?;
                }
                out.push_sql(text);
            }
        }
        Ok(())
    }
}

impl<N: 'static, ST: 'static> QueryId for Statement<'_, N, ST> {
    type QueryId = Statement<'static, N, ST>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<N, ST> Query for Statement<'_, N, ST> {
    type SqlType = ST;
}
