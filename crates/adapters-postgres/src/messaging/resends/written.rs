//! Repetitions of failed messages that a batch of accepted messages writes.

use std::collections::{BTreeSet, HashMap};

use diesel::sql_types::{Array, Nullable, Uuid as SqlUuid};
use domain::{
    identity::organization::Organization,
    messaging::{message::Message, resend::Resend},
    shared::id::Id,
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Newest repetition of each failed message that was sent again.
pub(crate) type Replacements = HashMap<Id<Message>, Id<Message>>;

/// Repetition, and the organization that it belongs to.
#[derive(Clone, Copy)]
pub(crate) struct OwnedResend<'b> {
    pub(crate) organization: Id<Organization>,
    pub(crate) resend: &'b Resend,
}

/// Repetitions to be written, in the order of their keys: two batches with the same messages would
/// deadlock otherwise.
#[derive(Default)]
pub(crate) struct ResendsWritten<'b>(Vec<OwnedResend<'b>>);

impl<'b> ResendsWritten<'b> {
    /// Collects these repetitions.
    pub(crate) fn of(resends: impl Iterator<Item = OwnedResend<'b>>) -> Self {
        let mut resends: Vec<_> = resends.collect();
        resends.sort_by_key(|it| (it.organization, it.resend.message));
        Self(resends)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of repetitions.
    pub(crate) fn count(&self) -> i64 {
        i64::try_from(self.0.len()).unwrap_or(i64::MAX)
    }

    /// Binds the values of [`WRITE`].
    pub(crate) fn bind<'v, ST>(&self, statement: Statement<'v, ST>) -> Statement<'v, ST> {
        statement
            .bind::<Array<SqlUuid>, _>(self.column(|it| it.organization.uuid()))
            .bind::<Array<SqlUuid>, _>(self.column(|it| it.resend.message.uuid()))
            .bind::<Array<SqlUuid>, _>(self.column(|it| it.resend.replacement.uuid()))
            .bind::<Array<Nullable<SqlUuid>>, _>(self.column(|it| it.resend.former.map(Id::uuid)))
            .bind::<Array<Nullable<SqlUuid>>, _>(self.column(|it| it.resend.task.map(Id::uuid)))
    }

    fn column<V>(&self, value: impl Fn(&OwnedResend<'b>) -> V) -> Vec<V> {
        self.0.iter().map(value).collect()
    }
}

/// Returns the newest repetitions of the messages that these would repeat.
pub(crate) async fn replacements<'r>(
    mut conn: &Connection,
    resends: impl Iterator<Item = OwnedResend<'r>>,
) -> Result<Replacements, StoreError> {
    let wanted: BTreeSet<_> =
        resends.map(|it| (it.organization.uuid(), it.resend.message.uuid())).collect();
    let (organizations, messages): (Vec<_>, Vec<_>) = wanted.into_iter().unzip();
    if messages.is_empty() {
        return Ok(Replacements::new());
    }
    let rows: Vec<(Uuid, Uuid)> = Statement::<(SqlUuid, SqlUuid)>::returning(&[FIND_REPLACEMENTS])
        .bind::<Array<SqlUuid>, _>(organizations)
        .bind::<Array<SqlUuid>, _>(messages)
        .load(&mut conn)
        .await
        .map_err(store_error)?;
    Ok(rows.into_iter().map(|(message, by)| (Id::of(message), Id::of(by))).collect())
}

/// Each repetition is found by its key: so no other plan seems as good while the table is empty.
const FIND_REPLACEMENTS: &str = "\
    SELECT known.message_id, known.replacement_id \
    FROM UNNEST(?, ?) AS wanted (organization_id, message_id) \
    CROSS JOIN LATERAL ( \
        SELECT message_id, replacement_id FROM message_resends \
        WHERE message_resends.organization_id = wanted.organization_id \
            AND message_resends.message_id = wanted.message_id LIMIT 1) AS known";

/// Writes repetitions, and returns a row for each message that was not sent again yet, or only by
/// the former replacement.
pub(crate) const WRITE: &str = "\
    INSERT INTO message_resends (organization_id, message_id, replacement_id, former_id, task_id) \
    SELECT * FROM UNNEST(?, ?, ?, ?, ?) \
    ON CONFLICT (organization_id, message_id) DO UPDATE \
    SET replacement_id = EXCLUDED.replacement_id, former_id = EXCLUDED.former_id, \
        task_id = EXCLUDED.task_id \
    WHERE message_resends.replacement_id = EXCLUDED.former_id RETURNING 1";
