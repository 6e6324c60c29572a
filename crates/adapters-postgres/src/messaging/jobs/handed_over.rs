//! Messages that a provider took at the first call, as most do. Their statement changes only what
//! that changes.

use std::collections::HashSet;

use domain::{
    messaging::{
        delivery::{Delivery, Status},
        job::JobConcluded,
        message::Message,
    },
    shared::id::Id,
};
use ports::shared::store::StoreError;

use super::forgotten_text::forgets_text;
use crate::shared::{
    database::connection::Connection,
    query::{columns::column, json::Json, sql::sql},
};

/// True if a provider took a message that had waited, and its text stays as it is.
pub(super) fn is_plain(step: &JobConcluded) -> bool {
    step.from == Status::Queued
        && matches!(step.message.delivery, Delivery::Sent { .. })
        && !forgets_text(&step.message)
}

/// Updates the rows of the log, and returns the messages that still waited, under leases that held.
pub(super) async fn logs(
    conn: &Connection,
    steps: &[&JobConcluded],
) -> Result<HashSet<Id<Message>>, StoreError> {
    if steps.is_empty() {
        return Ok(HashSet::new());
    }
    let update = sql!(
        LOGS,
        organizations = column(steps, |step| step.message.organization.uuid()),
        ids = column(steps, |step| step.message.id.uuid()),
        leases = column(steps, |step| step.lease.0),
        providers = column(steps, |step| step.message.provider.as_deref()),
        attempts = column(steps, |step| Json(step.message.attempts.as_slice())),
        sent_at = column(steps, |step| step.message.delivery.sent_at()),
    );
    let moved: Vec<Id<Message>> = update.values(conn).await?;
    Ok(moved.into_iter().collect())
}

/// The join stays an outer one, so that the planner can only begin with the steps.
const LOGS: &str = "\
    UPDATE delivery_logs log SET status = 'SENT', provider = coalesce(step.provider, log.provider), \
        attempts = step.attempts, sent_at = step.sent_at, \
        error_code = NULL, error_message = NULL, vendor_code = NULL \
    FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {leases}::uuid[], {providers}::text[], \
            {attempts}::jsonb[], {sent_at}::timestamptz[]) \
        AS step (organization_id, id, lease, provider, attempts, sent_at) \
    LEFT JOIN delivery_jobs job \
        ON job.organization_id = ANY(ARRAY[step.organization_id]) AND job.id = step.id \
    WHERE step.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[step.id]) \
        AND log.status = 'QUEUED' AND job.lease IS NOT DISTINCT FROM step.lease \
    RETURNING log.id";
