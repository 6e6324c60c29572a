//! Repetitions of failed messages that a batch of accepted messages writes.

use std::collections::{BTreeSet, HashMap};

use domain::{
    identity::organization::Organization,
    messaging::{message::Message, resend::Resend},
    shared::id::Id,
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    query::{row::row, sql::sql},
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

/// [`ResendsWritten`], column by column.
pub(crate) struct ResendColumns {
    pub(crate) organizations: Vec<Uuid>,
    pub(crate) messages: Vec<Uuid>,
    pub(crate) replacements: Vec<Uuid>,
    pub(crate) former: Vec<Option<Uuid>>,
    pub(crate) tasks: Vec<Option<Uuid>>,
}

row! {
    struct ReplacementRow {
        message_id: Id<Message>,
        replacement_id: Id<Message>,
    }
}

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

    /// Returns the repetitions column by column.
    pub(crate) fn columns(&self) -> ResendColumns {
        ResendColumns {
            organizations: self.column(|it| it.organization.uuid()),
            messages: self.column(|it| it.resend.message.uuid()),
            replacements: self.column(|it| it.resend.replacement.uuid()),
            former: self.column(|it| it.resend.former.map(Id::uuid)),
            tasks: self.column(|it| it.resend.task.map(Id::uuid)),
        }
    }

    fn column<V>(&self, value: impl Fn(&OwnedResend<'b>) -> V) -> Vec<V> {
        self.0.iter().map(value).collect()
    }
}

/// Returns the newest repetitions of the messages that these would repeat.
pub(crate) async fn replacements<'r>(
    conn: &Connection,
    resends: impl Iterator<Item = OwnedResend<'r>>,
) -> Result<Replacements, StoreError> {
    let wanted: BTreeSet<_> =
        resends.map(|it| (it.organization.uuid(), it.resend.message.uuid())).collect();
    let (organizations, messages): (Vec<_>, Vec<_>) = wanted.into_iter().unzip();
    if messages.is_empty() {
        return Ok(Replacements::new());
    }
    let find = sql!(FIND_REPLACEMENTS, organizations, messages);
    let rows: Vec<ReplacementRow> = find.rows(conn).await?;
    Ok(rows.into_iter().map(|row| (row.message_id, row.replacement_id)).collect())
}

/// Each repetition is found by its key: so no other plan seems as good while the table is empty.
const FIND_REPLACEMENTS: &str = "\
    SELECT known.message_id, known.replacement_id \
    FROM UNNEST({organizations}::uuid[], {messages}::uuid[]) \
        AS wanted (organization_id, message_id) \
    CROSS JOIN LATERAL ( \
        SELECT message_id, replacement_id FROM message_resends \
        WHERE message_resends.organization_id = wanted.organization_id \
            AND message_resends.message_id = wanted.message_id LIMIT 1) AS known";

/// Writes repetitions, and returns a row for each message that was not sent again yet, or only by
/// the former replacement.
pub(crate) const WRITE: &str = "\
    INSERT INTO message_resends (organization_id, message_id, replacement_id, former_id, task_id) \
    SELECT * FROM UNNEST({resend_organizations}::uuid[], {resent_messages}::uuid[], \
        {replacements}::uuid[], {former_replacements}::uuid[], {resend_tasks}::uuid[]) \
    ON CONFLICT (organization_id, message_id) DO UPDATE \
    SET replacement_id = EXCLUDED.replacement_id, former_id = EXCLUDED.former_id, \
        task_id = EXCLUDED.task_id \
    WHERE message_resends.replacement_id = EXCLUDED.former_id RETURNING 1";
