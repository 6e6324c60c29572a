//! Where a page of the log begins, found in the counters instead of by counting the log.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    channel::Channel, delivery::Status, delivery_log::LogFilter, id::Id, message::Message,
    organization::Organization,
};
use ports::store::StoreError;
use uuid::Uuid;

use crate::error::store_error;

/// Where the messages after the first so many are.
pub(super) struct Place {
    /// How many messages there are in all.
    pub(super) total: u64,
    /// Where to begin to read; `None` if there is nothing to read.
    pub(super) start: Option<Start>,
}

/// Where to begin to read, newest first.
pub(super) struct Start {
    /// All messages to read are below this one.
    pub(super) below: Id<Message>,
    /// How many messages below it are not to be read.
    pub(super) skip: i64,
}

/// Finds where the messages of `filter` after the newest `offset` begin: first the day, then the
/// hour of that day, so that what is left to skip is less than an hour's messages.
pub(super) async fn find(
    conn: &mut AsyncPgConnection,
    organization: Id<Organization>,
    filter: LogFilter,
    offset: u64,
) -> Result<Place, StoreError> {
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);
    let mut walk = Walk::over_days(organization, filter, offset);
    let days = walk.take(conn).await?;
    let total = days.total.unsigned_abs();
    let Some(day) = days.end else { return Ok(Place { total, start: None }) };

    let skip = offset - days.before;
    if skip == 0 {
        let start = Start { below: Id::floor(day + DAY), skip };
        return Ok(Place { total, start: Some(start) });
    }
    walk.over_hours(day, skip);
    let hours = walk.take(conn).await?;
    let start =
        hours.end.map(|hour| Start { below: Id::floor(hour + HOUR), skip: skip - hours.before });
    Ok(Place { total, start })
}

const DAY: TimeDelta = TimeDelta::days(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

/// A walk over the counters of all days, or of the hours of one, from the newest back until
/// `offset` messages are passed.
#[derive(QueryId)]
struct Walk {
    organization: Uuid,
    span: &'static str,
    since: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
    channel: Option<&'static str>,
    status: Option<&'static str>,
    offset: i64,
}

/// Where a walk came to.
#[derive(Queryable)]
struct Reached {
    /// How many messages there are in all spans.
    total: i64,
    /// The newest span that was not passed as a whole.
    end: Option<DateTime<Utc>>,
    /// How many messages there are in those that were passed.
    before: i64,
}

impl Walk {
    fn over_days(organization: Id<Organization>, filter: LogFilter, offset: i64) -> Self {
        Self {
            organization: organization.uuid(),
            span: "DAY",
            since: None,
            until: None,
            channel: filter.channel.map(Channel::as_str),
            status: filter.status.map(Status::as_str),
            offset,
        }
    }

    fn over_hours(&mut self, day: DateTime<Utc>, offset: i64) {
        self.span = "HOUR";
        self.since = Some(day);
        self.until = Some(day + DAY);
        self.offset = offset;
    }

    async fn take(&self, conn: &mut AsyncPgConnection) -> Result<Reached, StoreError> {
        self.get_result(conn).await.map_err(store_error)
    }
}

impl QueryFragment<Pg> for Walk {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT coalesce(sum(messages), 0)::bigint, max(starts_at) FILTER (WHERE passed > ",
        );
        out.push_bind_param::<BigInt, _>(&self.offset)?;
        out.push_sql("), coalesce(max(passed) FILTER (WHERE passed <= ");
        out.push_bind_param::<BigInt, _>(&self.offset)?;
        out.push_sql(
            "), 0)::bigint FROM (SELECT starts_at, sum(messages) AS messages, \
             sum(sum(messages)) OVER (ORDER BY starts_at DESC) AS passed \
             FROM delivery_log_counts WHERE organization_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(" AND span = ");
        out.push_bind_param::<Text, _>(self.span)?;
        out.push_sql(" AND starts_at >= coalesce(");
        out.push_bind_param::<Nullable<Timestamptz>, _>(&self.since)?;
        out.push_sql(", '-infinity') AND starts_at < coalesce(");
        out.push_bind_param::<Nullable<Timestamptz>, _>(&self.until)?;
        out.push_sql(", 'infinity') AND channel = coalesce(");
        out.push_bind_param::<Nullable<Text>, _>(&self.channel)?;
        out.push_sql(", channel) AND status = coalesce(");
        out.push_bind_param::<Nullable<Text>, _>(&self.status)?;
        out.push_sql(", status) GROUP BY starts_at) AS spans");
        Ok(())
    }
}

impl Query for &Walk {
    type SqlType = (BigInt, Nullable<Timestamptz>, BigInt);
}
