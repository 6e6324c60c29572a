//! Record of the contacts that an import created, for its undo.

use chrono::TimeDelta;
use domain::audience::import::ContactStep;
use ports::{audience::imports::LeasedChunk, shared::store::StoreError};

use super::integer;
use crate::shared::{database::connection::Connection, query::sql::sql};

/// Maximum difference between the clocks of instances.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::minutes(1);

/// Records which contacts a part of a file created, and which of those that earlier parts created it
/// changed. Must be called in the transaction that writes them.
pub(super) async fn record(
    conn: &mut Connection,
    chunk: &LeasedChunk,
    steps: &[ContactStep],
) -> Result<(), StoreError> {
    let since = chunk.import.time() - CLOCKS_DIFFER;
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    for step in steps {
        new.extend(step.new.iter().map(|contact| contact.id));
        for contact in &step.changed {
            // Older ones were there before the file.
            if contact.created_at >= since {
                changed.push(contact.id);
            }
        }
    }
    let (organization, import) = (chunk.organization, chunk.import);
    let number = integer(chunk.chunk.number);
    if !new.is_empty() {
        // The time is that at which the transaction writes the contacts.
        let record = sql!(
            "INSERT INTO imported_contacts \
                (organization_id, import_id, number, written_at, contact_ids) \
             VALUES ({organization}, {import}, {number}, now(), {new})",
            organization,
            import,
            number,
            new,
        );
        record.execute(conn).await?;
    }
    if !changed.is_empty() {
        let record = sql!(RECORD_CHANGED, organization, import, number, changed);
        record.execute(conn).await?;
    }
    Ok(())
}

/// Whatever the planner knows of the table, each recorded contact is read once.
const RECORD_CHANGED: &str = "\
    INSERT INTO imported_contacts AS part \
        (organization_id, import_id, number, written_at, contact_ids) \
    SELECT given.organization_id, given.import_id, given.number, now(), again.ids \
    FROM (SELECT {organization}::uuid AS organization_id, {import}::uuid AS import_id, \
            {number}::integer AS number, {changed}::uuid[] AS changed) AS given \
    CROSS JOIN LATERAL (SELECT array_agg(id) AS ids FROM ( \
        SELECT UNNEST(given.changed) AS id \
        INTERSECT \
        SELECT UNNEST(earlier.contact_ids) FROM imported_contacts AS earlier \
        WHERE earlier.organization_id = given.organization_id \
            AND earlier.import_id = given.import_id AND earlier.number < given.number \
    ) AS own) AS again \
    WHERE again.ids IS NOT NULL \
    ON CONFLICT (organization_id, import_id, number) \
        DO UPDATE SET contact_ids = part.contact_ids || EXCLUDED.contact_ids";
