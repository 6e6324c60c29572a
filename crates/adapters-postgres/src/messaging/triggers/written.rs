//! Triggers that a batch of accepted messages begins or advances.

use domain::messaging::message::TriggerId;
use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use diesel::sql_types::{
    Array, Bool, Integer, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
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
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
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

    /// Binds the values of [`WRITE`].
    pub(crate) fn bind<'v, ST>(&self, statement: Statement<'v, ST>) -> Statement<'v, ST> {
        statement
            .bind::<Array<SqlUuid>, _>(self.column(|it| it.organization.uuid()))
            .bind::<Array<SqlUuid>, _>(self.column(|it| it.id.uuid()))
            .bind::<Array<Text>, _>(self.column(|it| it.event.clone()))
            .bind::<Array<Bool>, _>(self.column(|it| it.is_sandbox))
            .bind::<Array<Jsonb>, _>(self.column(channels))
            .bind::<Array<SmallInt>, _>(self.column(tried))
            .bind::<Array<Nullable<SqlUuid>>, _>(
                self.column(|it| it.messages().last().map(Id::uuid)),
            )
            .bind::<Array<Jsonb>, _>(self.column(drafts))
            .bind::<Array<Nullable<Integer>>, _>(self.column(|it| after_seconds(it.wait)))
            .bind::<Array<Text>, _>(self.column(|it| it.wait.until.as_str()))
            .bind::<Array<Nullable<Timestamptz>>, _>(
                self.0.iter().map(|written| written.starts_at).collect::<Vec<_>>(),
            )
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
    mut conn: &Connection,
    triggers: impl Iterator<Item = &Trigger>,
    is_locked: bool,
) -> Result<TriggerPositions, StoreError> {
    let key = |trigger: &Trigger| (trigger.organization.uuid(), trigger.id.uuid());
    let wanted: BTreeSet<_> = triggers.map(key).collect();
    let (organizations, ids): (Vec<_>, Vec<_>) = wanted.into_iter().unzip();
    if ids.is_empty() {
        return Ok(TriggerPositions::new());
    }
    let rows: Vec<(Uuid, i16)> = if is_locked {
        let query = Statement::<(SqlUuid, SmallInt)>::returning(LOCK_POSITIONS);
        let query = query.bind::<Array<SqlUuid>, _>(organizations);
        query.bind::<Array<SqlUuid>, _>(ids).load(&mut conn).await
    } else {
        let query = Statement::<(SqlUuid, SmallInt)>::returning(FIND_POSITIONS);
        let query = query.bind::<Array<SqlUuid>, _>(organizations);
        query.bind::<Array<SqlUuid>, _>(ids).load(&mut conn).await
    }
    .map_err(store_error)?;
    let row = |(id, tried): (Uuid, i16)| (Id::of(id), usize::from(tried.unsigned_abs()));
    Ok(rows.into_iter().map(row).collect())
}

/// Each trigger is found by its key: so no other plan seems as good while the table is empty.
const WANTED: &str = "\
    SELECT known.id, known.tried FROM UNNEST(?, ?) AS wanted (organization_id, id) \
    CROSS JOIN LATERAL ( \
        SELECT id, tried FROM triggers \
        WHERE triggers.organization_id = wanted.organization_id AND triggers.id = wanted.id \
            AND ended_at IS NULL ";

const FIND_POSITIONS: &[&str] = &[WANTED, "LIMIT 1) AS known"];

const LOCK_POSITIONS: &[&str] = &[WANTED, "FOR UPDATE) AS known"];

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
    FROM UNNEST(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AS given (organization_id, id, event, is_sandbox, \
        channels, tried, message_id, drafts, after_seconds, until_status, starts_at) \
    ON CONFLICT (organization_id, id) DO UPDATE \
    SET channels = EXCLUDED.channels, tried = EXCLUDED.tried, message_id = EXCLUDED.message_id, \
        drafts = EXCLUDED.drafts, due_at = EXCLUDED.due_at, ended_at = EXCLUDED.ended_at, \
        expires_at = EXCLUDED.expires_at \
    WHERE triggers.tried = EXCLUDED.tried - 1 AND triggers.ended_at IS NULL RETURNING 1";
