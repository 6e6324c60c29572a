//! Queries of lists, in which the database cuts long texts.

use std::borrow::Cow;

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment},
    sql_types::Integer,
};
use domain::shared::listed_text::LISTED_TEXT_READ;

/// Query of rows with long texts, of which it reads the beginning; newest first.
///
/// The texts are cut around the query, not in it: the texts of rows that its offset skips are not
/// read.
pub(crate) struct Listed<Q> {
    columns: Cow<'static, str>,
    rows: Q,
    characters: i32,
}

impl<Q> Listed<Q> {
    /// Selects `columns` of the rows of a query; these are the columns of the query in its order.
    /// Each `?` in them is the number of characters to read.
    pub(crate) fn new(columns: impl Into<Cow<'static, str>>, rows: Q) -> Self {
        Self { columns: columns.into(), rows, characters: i32::from(LISTED_TEXT_READ) }
    }
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Listed<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let mut columns = self.columns.split('?');
        out.push_sql("SELECT ");
        out.push_sql(columns.next().unwrap_or_default());
        for part in columns {
            out.push_bind_param::<Integer, _>(&self.characters)?;
            out.push_sql(part);
        }
        out.push_sql(" FROM (");
        self.rows.walk_ast(out.reborrow())?;
        out.push_sql(") AS listed ORDER BY id DESC");
        Ok(())
    }
}

impl<Q: Query> Query for Listed<Q> {
    type SqlType = Q::SqlType;
}
