//! Statements over whole columns, for work in batches.
//!
//! Diesel never caches a `sql_query` as a prepared statement. A [`Statement`] is prepared once on
//! each connection.

use std::marker::PhantomData;

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment},
    serialize::ToSql,
    sql_types::HasSqlType,
};

/// Value that is bound to a statement.
pub(crate) trait Bind: Send {
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()>;
}

/// Value with its SQL type.
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

/// Statement that returns rows of the SQL types `ST`. Its text, which may come in parts, has a `?`
/// for each value.
pub(crate) struct Statement<'v, ST = ()> {
    parts: &'static [&'static str],
    values: Vec<Box<dyn Bind + 'v>>,
    row: PhantomData<fn() -> ST>,
}

impl Statement<'_> {
    /// Creates a statement that returns no rows.
    pub(crate) fn new(parts: &'static [&'static str]) -> Self {
        Self::returning(parts)
    }
}

impl<'v, ST> Statement<'v, ST> {
    /// Creates a statement that returns rows.
    pub(crate) fn returning(parts: &'static [&'static str]) -> Self {
        Self { parts, values: Vec::new(), row: PhantomData }
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

impl<ST> QueryFragment<Pg> for Statement<'_, ST> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        walk(self.parts, &self.values, out)
    }
}

fn walk<'b>(
    parts: &'static [&'static str],
    values: &'b [Box<dyn Bind + '_>],
    mut out: AstPass<'_, 'b, Pg>,
) -> QueryResult<()> {
    let mut values = values.iter();
    for part in parts {
        let mut texts = part.split('?');
        out.push_sql(texts.next().unwrap_or_default());
        for text in texts {
            if let Some(value) = values.next() {
                value.bind(&mut out)?;
            }
            out.push_sql(text);
        }
    }
    debug_assert!(values.next().is_none(), "a statement has fewer places than values");
    Ok(())
}

impl<ST> Query for Statement<'_, ST> {
    type SqlType = ST;
}
