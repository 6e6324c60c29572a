//! Query whose type is erased.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
};

/// Query whose type is erased: the code that prepares, binds and sends is compiled once for this
/// type, and not for each query. Prepared statements are found by their text.
pub(crate) struct AnyQuery<'q>(pub(crate) &'q dyn QueryFragment<Pg>);

impl QueryFragment<Pg> for AnyQuery<'_> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

impl QueryId for AnyQuery<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for AnyQuery<'_> {
    type SqlType = ();
}
