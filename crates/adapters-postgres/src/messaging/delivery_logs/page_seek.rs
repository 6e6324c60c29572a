//! Start of a page of the log, found in the counters instead of by counting the log.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{delivery::Status, delivery_log::LogFilter, message::Message},
    shared::{channel::Channel, id::Id, page::Page},
};
use ports::shared::store::StoreError;

use crate::{
    messaging::counters::SLOT,
    shared::{
        database::connection::Connection,
        query::{row::row, sql::sql},
    },
};

/// Place of a page among the messages of a filter.
pub(super) struct Place {
    /// Number of messages in all.
    pub(super) total: u64,
    /// Start of the read; `None` if there is nothing to read.
    pub(super) start: Option<Start>,
}

/// Start of a read, newest first, and the oldest messages that it may come to.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// Exclusive upper bound of the messages to read.
    pub(super) below: Id<Message>,
    /// Number of messages below it to skip.
    pub(super) skip: i64,
    /// Smallest identifier of the days that the page is in.
    pub(super) from: Id<Message>,
    /// Smallest identifier of the days in which messages are counted. Messages that a wrong clock
    /// dated before the log begins come after it, and are not counted.
    pub(super) since: Id<Message>,
}

/// Finds the start of a page of the messages of `filter`: first the day, then the hour of that day,
/// and the minute of that hour, so that fewer messages than those of a minute are left to skip.
/// Days whose log was dropped still have counters, and are left out. By status messages are counted
/// no finer than by the hour, and after some weeks no finer than by the day.
pub(super) async fn find(
    conn: &Connection,
    organization: Id<Organization>,
    filter: &LogFilter,
    page: Page,
) -> Result<Place, StoreError> {
    let channel = filter.channel.map(Channel::as_str);
    let status = filter.status.map(Status::as_str);
    let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
    let end = offset.saturating_add(page.limit().into());
    let reached: Reached = if offset == 0 {
        let find = sql!([DAYS, FIRST_PAGE], organization, channel, status, offset, end);
        find.only_row(conn).await?
    } else {
        let find =
            sql!([DAYS, HOURS, SLOTS, LATER_PAGE], organization, channel, status, offset, end);
        find.only_row(conn).await?
    };
    Ok(Place { total: reached.total.unsigned_abs(), start: reached.start() })
}

const DAY: TimeDelta = TimeDelta::days(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

row! {
    /// Position that a walk over the counters reached.
    struct Reached {
        total: i64,
        /// Oldest day with messages.
        since: Option<DateTime<Utc>>,
        /// Newest day with which all messages of the page are passed.
        oldest: Option<DateTime<Utc>>,
        /// Newest day that the messages before the page do not fill.
        day: Option<DateTime<Utc>>,
        /// The same of the hours of that day.
        hour: Option<DateTime<Utc>>,
        /// The same of the slots of that hour.
        slot: Option<DateTime<Utc>>,
        /// Number of messages to skip in the shortest of these.
        to_skip: i64,
    }
}

impl Reached {
    fn start(&self) -> Option<Start> {
        let reached = [(self.slot, SLOT), (self.hour, HOUR), (self.day, DAY)];
        let below = reached.into_iter().find_map(|(start, length)| Some(start? + length))?;
        let since = self.since?;
        Some(Start {
            below: Id::floor(below),
            skip: self.to_skip,
            from: Id::floor(self.oldest.unwrap_or(since)),
            since: Id::floor(since),
        })
    }
}

/// Walks over all days, from the newest back. `passed` is the number of messages in a day and in all
/// newer ones.
const DAYS: &str = "\
    WITH in_days AS ( \
        SELECT coalesce(sum(messages), 0)::bigint AS total, \
            min(starts_at) FILTER (WHERE messages > 0) AS since, \
            max(starts_at) FILTER (WHERE passed >= {end}) AS oldest, \
            max(starts_at) FILTER (WHERE passed > {offset}) AS day, \
            {offset} - coalesce(max(passed) FILTER (WHERE passed <= {offset}), 0) AS to_skip \
        FROM ( \
            SELECT starts_at, sum(messages) AS messages, \
                sum(sum(messages)) OVER (ORDER BY starts_at DESC) AS passed \
            FROM delivery_log_counts_of({organization}) \
            WHERE span = 'DAY' \
                AND starts_at >= (SELECT kept_since FROM delivery_log_retention) \
                AND channel = coalesce({channel}, channel) \
                AND status = coalesce({status}, status) \
            GROUP BY starts_at \
        ) AS days \
    )";

/// Walks over the hours of that day, unless the page begins with it. Hours of old days are not
/// stored.
const HOURS: &str = ", \
    in_hours AS ( \
        SELECT hours.starts_at AS hour, to_skip - (passed - messages) AS to_skip \
        FROM in_days CROSS JOIN LATERAL ( \
            SELECT starts_at, sum(messages) AS messages, \
                sum(sum(messages)) OVER (ORDER BY starts_at DESC) AS passed \
            FROM delivery_log_counts_of({organization}) \
            WHERE span = 'HOUR' AND starts_at >= in_days.day \
                AND starts_at < in_days.day + interval '24 hours' \
                AND channel = coalesce({channel}, channel) \
                AND status = coalesce({status}, status) \
            GROUP BY starts_at \
        ) AS hours \
        WHERE to_skip > 0 AND passed > to_skip \
        ORDER BY hours.starts_at DESC LIMIT 1 \
    )";

/// Walks over the slots of that hour, unless the page begins with it.
const SLOTS: &str = ", \
    in_slots AS ( \
        SELECT slots.starts_at AS slot, to_skip - (passed - messages) AS to_skip \
        FROM in_hours CROSS JOIN LATERAL ( \
            SELECT starts_at, sum(messages) AS messages, \
                sum(sum(messages)) OVER (ORDER BY starts_at DESC) AS passed \
            FROM delivery_log_slot_counts_of({organization}) \
            WHERE starts_at >= in_hours.hour \
                AND starts_at < in_hours.hour + interval '1 hour' \
                AND channel = coalesce({channel}, channel) \
            GROUP BY starts_at \
        ) AS slots \
        WHERE {status}::text IS NULL AND to_skip > 0 AND passed > to_skip \
        ORDER BY slots.starts_at DESC LIMIT 1 \
    )";

/// The first page begins with a day. Most lists are read no further, so they do not pay for a plan
/// of all three walks.
const FIRST_PAGE: &str = " \
    SELECT total, since, oldest, in_days.day, NULL::timestamptz AS hour, \
        NULL::timestamptz AS slot, to_skip::bigint AS to_skip \
    FROM in_days";

const LATER_PAGE: &str = " \
    SELECT total, since, oldest, in_days.day, in_hours.hour, in_slots.slot, \
        coalesce(in_slots.to_skip, in_hours.to_skip, in_days.to_skip)::bigint AS to_skip \
    FROM in_days LEFT JOIN in_hours ON true LEFT JOIN in_slots ON true";
