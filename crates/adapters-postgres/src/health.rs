//! How much work waits.

use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::{
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::BigInt,
};
use diesel_async::RunQueryDsl;
use ports::{
    health::{Backlog, BacklogProbe},
    store::StoreError,
};
use tokio::time::{Instant, timeout_at};

use crate::{connections::PATIENCE, error::store_error, session::PgStore};

/// Counts the jobs by the database's clock: waiting, active, and the oldest one's age in
/// microseconds.
#[derive(QueryId)]
struct CountJobs;

impl QueryFragment<Pg> for CountJobs {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT count(*) FILTER (WHERE lease IS NULL OR due_at <= now()), \
                    count(*) FILTER (WHERE lease IS NOT NULL AND due_at > now()), \
                    (coalesce(extract(epoch FROM now() - min(due_at) \
                        FILTER (WHERE due_at <= now())), 0) * 1000000)::bigint \
             FROM delivery_jobs WHERE NOT is_follow_up",
        );
        Ok(())
    }
}

impl Query for CountJobs {
    type SqlType = (BigInt, BigInt, BigInt);
}

#[async_trait]
impl BacklogProbe for PgStore {
    async fn backlog(&self) -> Result<Backlog, StoreError> {
        let deadline = Instant::now() + PATIENCE;
        let mut session = self.session().await?;
        let counting = CountJobs.get_result::<(i64, i64, i64)>(session.conn());
        let Ok(counts) = timeout_at(deadline, counting).await else {
            session.discard();
            return Err(StoreError::Unavailable("the jobs could not be counted in time".into()));
        };
        let (waiting, active, oldest) = counts.map_err(store_error)?;
        Ok(Backlog {
            waiting: waiting.unsigned_abs(),
            active: active.unsigned_abs(),
            oldest: TimeDelta::microseconds(oldest),
        })
    }
}
