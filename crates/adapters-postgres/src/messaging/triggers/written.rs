//! Triggers that a batch of accepted messages begins or advances.

use domain::messaging::message::TriggerId;
use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use domain::{
    outreach::{event::Wait, trigger::Trigger},
    shared::id::Id,
};
use ports::shared::store::StoreError;
use serde_json::{Value, json};
use uuid::Uuid;

use super::row::{KeptChannel, KeptDraft};
use crate::shared::{
    database::connection::Connection,
    query::{row::row, sql::sql},
};

/// Number of channels tried of each trigger that has not ended.
pub(crate) type TriggerPositions = HashMap<TriggerId, usize>;

/// Trigger in its new state.
pub(crate) struct TriggerWritten<'b> {
    pub(crate) trigger: &'b Trigger,
    /// Time for which its message is scheduled; `None` if that goes at once.
    pub(crate) starts_at: Option<DateTime<Utc>>,
}

/// Triggers to be written, in the order of their keys: two batches with the same triggers would
/// deadlock otherwise.
#[derive(Default)]
pub(crate) struct TriggersWritten<'b>(Vec<TriggerWritten<'b>>);

/// [`TriggersWritten`], column by column.
pub(crate) struct TriggerColumns {
    pub(crate) organizations: Vec<Uuid>,
    pub(crate) ids: Vec<Uuid>,
    pub(crate) events: Vec<String>,
    pub(crate) are_sandbox: Vec<bool>,
    pub(crate) channels: Vec<Value>,
    /// Numbers of channels that were tried.
    pub(crate) tried: Vec<i16>,
    pub(crate) messages: Vec<Option<Uuid>>,
    pub(crate) drafts: Vec<Value>,
    /// Seconds after which the next channels are due.
    pub(crate) after_seconds: Vec<Option<i32>>,
    pub(crate) until_statuses: Vec<&'static str>,
    pub(crate) starts_at: Vec<Option<DateTime<Utc>>>,
}

row! {
    struct PositionRow {
        id: TriggerId,
        tried: i16,
    }
}

impl<'b> TriggersWritten<'b> {
    /// Collects these triggers, each in its new state.
    pub(crate) fn of(triggers: impl Iterator<Item = TriggerWritten<'b>>) -> Self {
        let mut triggers: Vec<_> = triggers.collect();
        triggers.sort_by_key(|written| (written.trigger.organization, written.trigger.id));
        Self(triggers)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of triggers.
    pub(crate) fn count(&self) -> i64 {
        i64::try_from(self.0.len()).unwrap_or(i64::MAX)
    }

    /// Returns the triggers column by column.
    pub(crate) fn columns(&self) -> TriggerColumns {
        TriggerColumns {
            organizations: self.column(|it| it.organization.uuid()),
            ids: self.column(|it| it.id.uuid()),
            events: self.column(|it| it.event.clone()),
            are_sandbox: self.column(|it| it.is_sandbox),
            channels: self.column(channels),
            tried: self.column(tried),
            messages: self.column(|it| it.messages().last().map(Id::uuid)),
            drafts: self.column(drafts),
            after_seconds: self.column(|it| after_seconds(it.wait)),
            until_statuses: self.column(|it| it.wait.until.as_str()),
            starts_at: self.0.iter().map(|written| written.starts_at).collect(),
        }
    }

    fn column<V>(&self, value: impl Fn(&Trigger) -> V) -> Vec<V> {
        self.0.iter().map(|written| value(written.trigger)).collect()
    }
}

fn channels(trigger: &Trigger) -> Value {
    json!(trigger.channels.iter().map(KeptChannel::from).collect::<Vec<_>>())
}

fn drafts(trigger: &Trigger) -> Value {
    json!(trigger.left.iter().map(KeptDraft::from).collect::<Vec<_>>())
}

fn tried(trigger: &Trigger) -> i16 {
    i16::try_from(trigger.tried()).unwrap_or(i16::MAX)
}

fn after_seconds(wait: Wait) -> Option<i32> {
    wait.after.and_then(|after| after.num_seconds().try_into().ok())
}

/// Returns the positions of these triggers. Those that have ended are missing. A lock keeps all
/// other transactions from advancing them.
pub(crate) async fn positions(
    conn: &Connection,
    triggers: impl Iterator<Item = &Trigger>,
    is_locked: bool,
) -> Result<TriggerPositions, StoreError> {
    let key = |trigger: &Trigger| (trigger.organization.uuid(), trigger.id.uuid());
    let wanted: BTreeSet<_> = triggers.map(key).collect();
    let (organizations, ids): (Vec<_>, Vec<_>) = wanted.into_iter().unzip();
    if ids.is_empty() {
        return Ok(TriggerPositions::new());
    }
    let rows: Vec<PositionRow> = if is_locked {
        sql!([WANTED, "FOR UPDATE) AS known"], organizations, ids).rows(conn).await?
    } else {
        sql!([WANTED, "LIMIT 1) AS known"], organizations, ids).rows(conn).await?
    };
    let position = |row: PositionRow| (row.id, usize::from(row.tried.unsigned_abs()));
    Ok(rows.into_iter().map(position).collect())
}

/// Each trigger is found by its key: so no other plan seems as good while the table is empty.
const WANTED: &str = "\
    SELECT known.id, known.tried \
    FROM UNNEST({organizations}::uuid[], {ids}::uuid[]) AS wanted (organization_id, id) \
    CROSS JOIN LATERAL ( \
        SELECT id, tried FROM triggers \
        WHERE triggers.organization_id = wanted.organization_id AND triggers.id = wanted.id \
            AND ended_at IS NULL ";

/// Writes triggers, and returns a row for each that has just begun or was at the expected position.
/// The next channel is due when the wait for this one ends, which begins when the message may go; after
/// the last channel nothing is due.
pub(crate) const WRITE: &str = "\
    INSERT INTO triggers (organization_id, id, event, is_sandbox, channels, tried, message_id, \
        drafts, after_seconds, until_status, due_at, ended_at, expires_at) \
    SELECT organization_id, id, event, is_sandbox, channels, tried, message_id, drafts, \
        after_seconds, until_status, \
        CASE WHEN drafts <> '[]' \
            THEN coalesce(starts_at, now()) + make_interval(secs => after_seconds) END, \
        CASE WHEN drafts = '[]' THEN now() END, \
        coalesce(starts_at, now()) + CASE WHEN drafts = '[]' THEN interval '7 days' ELSE interval '14 days' END \
    FROM UNNEST({trigger_organizations}::uuid[], {triggers}::uuid[], {trigger_events}::text[], \
            {trigger_modes}::boolean[], {trigger_channels}::jsonb[], {tried}::smallint[], \
            {trigger_messages}::uuid[], {drafts}::jsonb[], {after_seconds}::integer[], \
            {until_statuses}::text[], {starts_at}::timestamptz[]) \
        AS given (organization_id, id, event, is_sandbox, channels, tried, message_id, drafts, \
            after_seconds, until_status, starts_at) \
    ON CONFLICT (organization_id, id) DO UPDATE \
    SET channels = EXCLUDED.channels, tried = EXCLUDED.tried, message_id = EXCLUDED.message_id, \
        drafts = EXCLUDED.drafts, due_at = EXCLUDED.due_at, ended_at = EXCLUDED.ended_at, \
        expires_at = EXCLUDED.expires_at \
    WHERE triggers.tried = EXCLUDED.tried - 1 AND triggers.ended_at IS NULL RETURNING 1";
