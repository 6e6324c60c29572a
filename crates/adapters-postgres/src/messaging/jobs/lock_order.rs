//! Order in which a batch of steps locks the rows of the log.

use domain::messaging::{
    delivery::Status,
    job::{ReportApplied, Step},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{database::connection::Connection, query::sql::sql};

/// Locks the rows in the order of the messages, if a report may meet a message whose step another
/// instance is writing.
///
/// Each kind of step has a statement of its own. If two instances write reports on each other's
/// messages, each could lock what it hands over first, and then wait for the other.
pub(super) async fn keep(conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
    if steps.len() < 2 || !steps.iter().any(|step| is_early(step)) {
        return Ok(());
    }
    let organizations: Vec<Uuid> =
        steps.iter().map(|step| step.message().organization.uuid()).collect();
    let ids: Vec<Uuid> = steps.iter().map(|step| step.message().id.uuid()).collect();
    let _: i64 = sql!(LOCK, organizations, ids).only(conn).await?;
    Ok(())
}

/// True if a report came before it was written that the provider took the message.
fn is_early(step: &Step) -> bool {
    matches!(step, Step::ReportApplied(ReportApplied { from, .. }) if *from != Status::Sent)
}

const LOCK: &str = "\
    WITH locked AS ( \
        SELECT log.id FROM UNNEST({organizations}::uuid[], {ids}::uuid[]) \
            AS step (organization_id, id) JOIN delivery_logs log \
            ON step.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[step.id]) \
        ORDER BY log.id FOR NO KEY UPDATE OF log \
    ) SELECT count(*) FROM locked";
