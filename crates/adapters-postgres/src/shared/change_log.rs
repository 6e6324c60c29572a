//! Log of changes, which triggers of the database write.

use async_trait::async_trait;
use domain::{identity::organization::Organization, shared::id::Id};
use ports::shared::{
    changes::{ChangeLog, Changes, LogPosition, LogRead, LoggedChange},
    store::StoreError,
};

use crate::shared::{
    database::session::PgStore,
    query::{row::row, sql::sql},
};

row! {
    /// Position, and a change if there is one.
    struct LogRow {
        position: String,
        /// True if the log reaches back to the position before.
        reaches_back: bool,
        kind: Option<String>,
        organization_id: Option<Id<Organization>>,
        key: Option<String>,
    }
}

#[async_trait]
impl ChangeLog for PgStore {
    async fn read(&self, since: Option<LogPosition>) -> Result<LogRead, StoreError> {
        let since = since.map(|position| position.0);
        let rows: Vec<LogRow> = sql!(READ, since).rows(self.session().await?.conn()).await?;
        let Some(LogRow { position, reaches_back, .. }) = rows.first() else {
            return Err(StoreError::Internal("the log of changes has no position".into()));
        };
        let (position, reaches_back) = (LogPosition(position.clone()), *reaches_back);
        let changes = if reaches_back {
            Changes::Known(rows.into_iter().filter_map(change).collect())
        } else {
            Changes::Unknown
        };
        Ok(LogRead { position, changes })
    }
}

/// Returns the change in a row; `None` if there is none, or if only another version knows its kind.
fn change(row: LogRow) -> Option<LoggedChange> {
    let kind = row.kind?.parse().ok()?;
    let (organization, key) = (row.organization_id, row.key.map(digits_of));
    Some(LoggedChange { kind, organization, key })
}

/// Returns a key, of bytes the digits alone.
fn digits_of(key: String) -> String {
    match key.strip_prefix("\\x") {
        Some(digits) => digits.to_owned(),
        None => key,
    }
}

/// A position is a snapshot, the server and table that it belongs to, and its time. A change is new if its
/// transaction is visible in the present snapshot and was not in the one before: numbers of rows would miss a
/// transaction that commits after others with higher numbers. Transactions are numbered anew when a table is
/// restored on another server, and repeated when a standby without the last of them takes over; rows are
/// deleted after an hour. No entry of a cache is older than ten minutes.
const READ: &str = "\
    WITH given AS MATERIALIZED ( \
        SELECT part[1]::pg_snapshot AS snapshot, part[2] AS server, part[3]::numeric AS seconds \
        FROM string_to_array({since}::text, ' ') AS part \
    ), present AS MATERIALIZED ( \
        SELECT pg_current_snapshot() AS snapshot, extract(epoch FROM now()) AS seconds, \
            extract(epoch FROM pg_postmaster_start_time()) || '/' || 'changes'::regclass::oid AS server \
    ) \
    SELECT concat_ws(' ', present.snapshot, present.server, present.seconds) AS position, \
        coalesce(given.server = present.server \
            AND pg_snapshot_xmax(given.snapshot) <= pg_snapshot_xmax(present.snapshot) \
            AND present.seconds - given.seconds < 600, false) AS reaches_back, \
        change.kind, change.organization_id, change.key \
    FROM given CROSS JOIN present LEFT JOIN changes change \
        ON change.xid >= pg_snapshot_xmin(given.snapshot) \
            AND NOT pg_visible_in_snapshot(change.xid, given.snapshot) \
            AND pg_visible_in_snapshot(change.xid, present.snapshot)";
