//! Start of a page of the log, found in the counters instead of by counting the log.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment},
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    identity::organization::Organization,
    messaging::{delivery::Status, delivery_log::LogFilter, message::Message},
    shared::{channel::Channel, id::Id},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::{
    messaging::counters::SLOT,
    shared::{database::connection::Connection, error::store_error, query::run_query::RunQueryDsl},
};

/// Start of the messages after the first `offset`.
pub(super) struct Place {
    /// Number of messages in all.
    pub(super) total: u64,
    /// Smallest identifier of the messages that are counted.
    pub(super) since: Id<Message>,
    /// Start of the read; `None` if there is nothing to read.
    pub(super) start: Option<Start>,
}

/// Start of a read, newest first.
pub(super) struct Start {
    /// Exclusive upper bound of the messages to read.
    pub(super) below: Id<Message>,
    /// Number of messages below it to skip.
    pub(super) skip: i64,
}

/// Finds the start of the messages of `filter` after the newest `offset`: first the day, then the
/// hour of that day, and the minute of that hour, so that fewer messages than those of a minute are
/// left to skip. Days whose log was dropped still have counters, and are left out. By status
/// messages are counted no finer than by the hour, and after some weeks no finer than by the day.
pub(super) async fn find(
    conn: &mut Connection,
    organization: Id<Organization>,
    filter: &LogFilter,
    offset: u64,
) -> Result<Place, StoreError> {
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);
    let mut walk = Walk::over_days(organization, filter, offset);
    let days = walk.take(conn).await?;
    let total = days.total.unsigned_abs();
    let since = days.since.map_or(Id::of(Uuid::nil()), Id::floor);
    let Some(day) = days.end else { return Ok(Place { total, since, start: None }) };

    let skip = offset - days.before;
    if skip == 0 {
        let start = Start { below: Id::floor(day + DAY), skip };
        return Ok(Place { total, since, start: Some(start) });
    }
    walk.narrow(Span::Hour, day, DAY, skip);
    let hours = walk.take(conn).await?;
    // Hours of old days are not stored.
    let Some(hour) = hours.end else {
        let start = Start { below: Id::floor(day + DAY), skip };
        return Ok(Place { total, since, start: Some(start) });
    };

    let skip = skip - hours.before;
    if skip == 0 || filter.status.is_some() {
        let start = Start { below: Id::floor(hour + HOUR), skip };
        return Ok(Place { total, since, start: Some(start) });
    }
    walk.narrow(Span::Slot, hour, HOUR, skip);
    let slots = walk.take(conn).await?;
    // The hour may have become old meanwhile.
    let start = match slots.end {
        Some(slot) => Start { below: Id::floor(slot + SLOT), skip: skip - slots.before },
        None => Start { below: Id::floor(hour + HOUR), skip },
    };
    Ok(Place { total, since, start: Some(start) })
}

const DAY: TimeDelta = TimeDelta::days(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

/// Length of the intervals that a walk goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Span {
    Day,
    Hour,
    Slot,
}

/// Walk over the counters of all days, of the hours of a day, or of the slots of an hour, from the
/// newest back until `offset` messages are passed.
struct Walk {
    organization: Uuid,
    span: Span,
    since: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
    channel: Option<&'static str>,
    status: Option<&'static str>,
    offset: i64,
}

/// Position that a walk reached.
#[derive(Queryable)]
struct Reached {
    /// Number of messages in all intervals.
    total: i64,
    /// Newest interval that was not passed as a whole.
    end: Option<DateTime<Utc>>,
    /// Number of messages in the intervals that were passed.
    before: i64,
    /// Time since which days are counted; `None` for shorter intervals.
    since: Option<DateTime<Utc>>,
}

impl Walk {
    fn over_days(organization: Id<Organization>, filter: &LogFilter, offset: i64) -> Self {
        Self {
            organization: organization.uuid(),
            span: Span::Day,
            since: None,
            until: None,
            channel: filter.channel.map(Channel::as_str),
            status: filter.status.map(Status::as_str),
            offset,
        }
    }

    /// Continues with the shorter intervals of one that was not passed as a whole.
    fn narrow(&mut self, span: Span, since: DateTime<Utc>, length: TimeDelta, offset: i64) {
        self.span = span;
        self.since = Some(since);
        self.until = Some(since + length);
        self.offset = offset;
    }

    async fn take(&self, conn: &mut Connection) -> Result<Reached, StoreError> {
        self.get_result(conn).await.map_err(store_error)
    }
}

/// Prepared under its text, which depends on the span.
impl QueryFragment<Pg> for Walk {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT coalesce(sum(messages), 0)::bigint, max(starts_at) FILTER (WHERE passed > ",
        );
        out.push_bind_param::<BigInt, _>(&self.offset)?;
        out.push_sql("), coalesce(max(passed) FILTER (WHERE passed <= ");
        out.push_bind_param::<BigInt, _>(&self.offset)?;
        out.push_sql("), 0)::bigint, ");
        out.push_sql(match self.span {
            Span::Day => "(SELECT kept_since FROM delivery_log_retention)",
            Span::Hour | Span::Slot => "NULL::timestamptz",
        });
        out.push_sql(
            " FROM (SELECT starts_at, sum(messages) AS messages, \
             sum(sum(messages)) OVER (ORDER BY starts_at DESC) AS passed \
             FROM ",
        );
        out.push_sql(match self.span {
            Span::Day | Span::Hour => "delivery_log_counts_of(",
            Span::Slot => "delivery_log_slot_counts_of(",
        });
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(match self.span {
            Span::Day => {
                ") WHERE span = 'DAY' AND starts_at >= \
                 (SELECT kept_since FROM delivery_log_retention)"
            }
            Span::Hour => ") WHERE span = 'HOUR'",
            Span::Slot => ") WHERE true",
        });
        out.push_sql(" AND starts_at >= coalesce(");
        out.push_bind_param::<Nullable<Timestamptz>, _>(&self.since)?;
        out.push_sql(", '-infinity') AND starts_at < coalesce(");
        out.push_bind_param::<Nullable<Timestamptz>, _>(&self.until)?;
        out.push_sql(", 'infinity') AND channel = coalesce(");
        out.push_bind_param::<Nullable<Text>, _>(&self.channel)?;
        out.push_sql(", channel)");
        if self.span != Span::Slot {
            out.push_sql(" AND status = coalesce(");
            out.push_bind_param::<Nullable<Text>, _>(&self.status)?;
            out.push_sql(", status)");
        }
        out.push_sql(" GROUP BY starts_at) AS spans");
        Ok(())
    }
}

impl Query for &Walk {
    type SqlType = (BigInt, Nullable<Timestamptz>, BigInt, Nullable<Timestamptz>);
}
