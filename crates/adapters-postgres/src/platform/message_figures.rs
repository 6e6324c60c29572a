//! Numbers of messages by time and one property, from counters.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    platform::message_figures::{Dimension, FiguresQuery, Interval, MessageCounts, MessageFigure},
    shared::{id::Id, money::Money},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::{
        connection::Connection,
        session::{PgSession, PgStore},
    },
    query::{row::row, sql::sql},
};

/// Maximum number of hours rolled up at a time, so that no statement takes long.
const BATCH: i64 = 2_000;
/// Maximum time for rolling up. The rest follows the next time.
const STRETCH: Duration = Duration::from_secs(60);

row! {
    /// Messages of one interval and value.
    struct FigureRow {
        /// Beginning of the interval.
        at: DateTime<Utc>,
        value: Option<String>,
        /// True if the row stands for the rest of the values.
        is_other: bool,
        sent: i64,
        delivered: i64,
        failed: i64,
        segments: i64,
        cost_micros: Money,
    }
}

row! {
    struct NameRow {
        id: Uuid,
        name: String,
    }
}

row! {
    struct EventNameRow {
        slug: String,
        name: String,
    }
}

impl PgStore {
    /// Returns the figures that a query asks for.
    pub(super) async fn message_figures(
        &self,
        organization: Id<Organization>,
        query: &FiguresQuery,
    ) -> Result<Vec<MessageFigure>, StoreError> {
        let mut session = self.session().await?;
        let conn = session.conn();
        let rows = match stored_dimension(query.by) {
            Some(dimension) => select_figures(conn, organization, query, dimension).await?,
            None => select_channels(conn, organization, query).await?,
        };
        let names = session.names_of(organization, query.by, &rows).await?;
        let mut figures = Vec::with_capacity(rows.len());
        for row in rows {
            let name = row.value.as_ref().and_then(|value| names.get(value).cloned());
            figures.push(row.into_figure(name));
        }
        Ok(figures)
    }

    /// Adds hours that are not kept any more to their days.
    pub(super) async fn roll_figures_up(&self) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        let began = Instant::now();
        while began.elapsed() < STRETCH {
            let roll_up = sql!(ROLL_UP, most = BATCH);
            let hours: i64 = roll_up.only(session.conn()).await.inspect_err(|error| {
                tracing::warn!(%error, "failed to roll old figures up");
            })?;
            if hours < BATCH {
                break;
            }
        }
        Ok(())
    }
}

impl PgSession {
    /// Returns the names of the campaigns, events or templates of rows, by their values.
    async fn names_of(
        &mut self,
        organization: Id<Organization>,
        by: Dimension,
        rows: &[FigureRow],
    ) -> Result<HashMap<String, String>, StoreError> {
        let mut ids: Vec<Uuid> =
            rows.iter().filter_map(|row| row.value.as_deref()?.parse().ok()).collect();
        ids.sort_unstable();
        ids.dedup();
        let names: Vec<NameRow> = match by {
            Dimension::Campaign => {
                let name = sql!(
                    "SELECT id, name FROM campaigns \
                     WHERE organization_id = {organization} AND id = ANY({ids})",
                    organization,
                    ids,
                );
                name.rows(self.conn()).await?
            }
            Dimension::Template => {
                let name = sql!(
                    "SELECT id, name FROM templates \
                     WHERE organization_id = {organization} AND id = ANY({ids})",
                    organization,
                    ids,
                );
                name.rows(self.conn()).await?
            }
            Dimension::Event => return self.event_names(organization, rows).await,
            Dimension::Channel
            | Dimension::Provider
            | Dimension::ErrorCode
            | Dimension::Country => {
                return Ok(HashMap::new());
            }
        };
        Ok(names.into_iter().map(|row| (row.id.to_string(), row.name)).collect())
    }

    async fn event_names(
        &mut self,
        organization: Id<Organization>,
        rows: &[FigureRow],
    ) -> Result<HashMap<String, String>, StoreError> {
        let mut slugs: Vec<String> = rows.iter().filter_map(|row| row.value.clone()).collect();
        slugs.sort_unstable();
        slugs.dedup();
        let name = sql!(
            "SELECT slug, name FROM events \
             WHERE organization_id = {organization} AND slug = ANY({slugs})",
            organization,
            slugs,
        );
        let names: Vec<EventNameRow> = name.rows(self.conn()).await?;
        Ok(names.into_iter().map(|row| (row.slug, row.name)).collect())
    }
}

impl FigureRow {
    fn into_figure(self, name: Option<String>) -> MessageFigure {
        // One below zero is of messages that were accepted before they were counted like this.
        let number = |number: i64| u64::try_from(number).unwrap_or_default();
        MessageFigure {
            at: self.at,
            value: self.value.filter(|value| !value.is_empty()),
            name,
            is_other: self.is_other,
            counts: MessageCounts {
                sent: number(self.sent),
                delivered: number(self.delivered),
                failed: number(self.failed),
                segments: number(self.segments),
                cost: self.cost_micros,
            },
        }
    }
}

/// Returns the name of a dimension in `message_figures`; `None` for channels, which have counters of
/// their own.
const fn stored_dimension(by: Dimension) -> Option<&'static str> {
    match by {
        Dimension::Channel => None,
        Dimension::Campaign => Some("CAMPAIGN"),
        Dimension::Event => Some("EVENT"),
        Dimension::Template => Some("TEMPLATE"),
        Dimension::Provider => Some("PROVIDER"),
        Dimension::ErrorCode => Some("ERROR_CODE"),
        Dimension::Country => Some("COUNTRY"),
    }
}

async fn select_figures(
    conn: &Connection,
    organization: Id<Organization>,
    query: &FiguresQuery,
    dimension: &'static str,
) -> Result<Vec<FigureRow>, StoreError> {
    let select = sql!(
        [FIGURES, RANKED],
        interval = query.interval.as_str(),
        organization,
        dimension,
        from = query.from,
        until = query.until,
        most = i64::try_from(query.values).unwrap_or(i64::MAX),
    );
    select.rows(conn).await
}

async fn select_channels(
    conn: &Connection,
    organization: Id<Organization>,
    query: &FiguresQuery,
) -> Result<Vec<FigureRow>, StoreError> {
    let span = match query.interval {
        Interval::Day => "DAY",
        Interval::Hour => "HOUR",
    };
    let select = sql!(
        [CHANNELS, RANKED],
        organization,
        span,
        from = query.from,
        until = query.until,
        most = i64::try_from(query.values).unwrap_or(i64::MAX),
    );
    select.rows(conn).await
}

/// A single counter may be below zero, the sum never is.
const FIGURES: &str = "\
    WITH each AS MATERIALIZED ( \
        SELECT date_trunc({interval}, starts_at, 'UTC') AS at, value, sum(sent) AS sent, \
            sum(delivered) AS delivered, sum(failed) AS failed, sum(segments) AS segments, \
            sum(cost_micros) AS cost_micros \
        FROM message_figures_of({organization}, {dimension}) \
        WHERE starts_at >= {from} AND starts_at < {until} \
        GROUP BY 1, 2 HAVING sum(sent) <> 0 OR sum(delivered) <> 0 OR sum(failed) <> 0 \
    )";

const CHANNELS: &str = "\
    WITH each AS MATERIALIZED ( \
        SELECT starts_at AS at, channel AS value, sum(messages) AS sent, \
            sum(messages) FILTER (WHERE status = 'DELIVERED') AS delivered, \
            sum(messages) FILTER (WHERE status = 'FAILED') AS failed, sum(segments) AS segments, \
            sum(cost_micros) FILTER (WHERE status <> 'FAILED') AS cost_micros \
        FROM delivery_log_counts_of({organization}) \
        WHERE span = {span} AND starts_at >= {from} AND starts_at < {until} AND NOT is_sandbox \
        GROUP BY 1, 2 HAVING sum(messages) <> 0 \
    )";

/// Values with the most messages keep rows of their own, all others share one.
const RANKED: &str = ", \
    kept AS ( \
        SELECT value FROM each GROUP BY value ORDER BY sum(sent) DESC, value LIMIT {most} \
    ) \
    SELECT at, CASE WHEN is_kept THEN value END AS value, NOT is_kept AS is_other, \
        coalesce(sum(sent), 0)::bigint AS sent, coalesce(sum(delivered), 0)::bigint AS delivered, \
        coalesce(sum(failed), 0)::bigint AS failed, \
        coalesce(sum(segments), 0)::bigint AS segments, \
        coalesce(sum(cost_micros), 0)::bigint AS cost_micros \
    FROM (SELECT each.*, value IN (SELECT value FROM kept) AS is_kept FROM each) AS ranked \
    GROUP BY 1, 2, 3 ORDER BY 1, 3, 2";

/// The lock is that of the posting, which may change the same days.
const ROLL_UP: &str = "\
    WITH hours AS ( \
        DELETE FROM message_figures WHERE ctid = ANY(ARRAY(SELECT ctid FROM message_figures \
            WHERE (SELECT pg_try_advisory_xact_lock(hashtext('atumpan rollups'))) \
                AND span = 'HOUR' AND starts_at < figure_hours_kept_since() \
            LIMIT {most})) \
        RETURNING * \
    ), days AS ( \
        INSERT INTO message_figures AS figure (organization_id, dimension, starts_at, span, value, \
            sent, delivered, failed, segments, cost_micros) \
        SELECT organization_id, dimension, date_trunc('day', starts_at, 'UTC'), 'DAY', value, \
            sum(sent), sum(delivered), sum(failed), sum(segments), sum(cost_micros) \
        FROM hours GROUP BY 1, 2, 3, 5 \
        ON CONFLICT (organization_id, dimension, starts_at, span, value) DO UPDATE \
        SET sent = figure.sent + EXCLUDED.sent, \
            delivered = figure.delivered + EXCLUDED.delivered, \
            failed = figure.failed + EXCLUDED.failed, \
            segments = figure.segments + EXCLUDED.segments, \
            cost_micros = figure.cost_micros + EXCLUDED.cost_micros \
    ) SELECT count(*) FROM hours";
