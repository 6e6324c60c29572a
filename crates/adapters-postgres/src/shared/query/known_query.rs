//! Query that a connection knows by a type.

use std::marker::PhantomData;

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
};

/// Query whose prepared statement is found by the type `K`, not by its text. Queries with the same
/// `K` have the same text, and values of the same types.
pub(crate) struct KnownQuery<'q, K> {
    query: &'q dyn QueryFragment<Pg>,
    key: PhantomData<fn() -> K>,
}

impl<'q, K> KnownQuery<'q, K> {
    /// Marks `query` with its key.
    pub(crate) fn new(query: &'q dyn QueryFragment<Pg>) -> Self {
        Self { query, key: PhantomData }
    }
}

impl<K> QueryFragment<Pg> for KnownQuery<'_, K> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.query.walk_ast(out)
    }
}

impl<K: 'static> QueryId for KnownQuery<'_, K> {
    type QueryId = K;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<K> Query for KnownQuery<'_, K> {
    type SqlType = ();
}
