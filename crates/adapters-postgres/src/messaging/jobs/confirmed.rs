//! Messages that a provider took and confirms, as most reports do. Their statement changes only what
//! that changes.

use std::collections::HashSet;

use domain::{
    messaging::{
        delivery::{Delivery, Status},
        job::ReportApplied,
        message::Message,
    },
    shared::id::Id,
};
use ports::shared::store::StoreError;

use super::forgotten_text::forgets_text;
use crate::shared::{
    database::connection::Connection,
    query::{columns::column, sql::sql},
};

/// True if a message that was sent is confirmed, and its text stays as it is.
pub(super) fn is_plain(step: &ReportApplied) -> bool {
    step.from == Status::Sent
        && matches!(step.message.delivery, Delivery::Delivered { .. })
        && !forgets_text(&step.message)
}

/// Updates the rows of the log, and returns the messages that were still sent.
pub(super) async fn logs(
    conn: &Connection,
    steps: &[&ReportApplied],
) -> Result<HashSet<Id<Message>>, StoreError> {
    if steps.is_empty() {
        return Ok(HashSet::new());
    }
    let update = sql!(
        LOGS,
        organizations = column(steps, |step| step.message.organization.uuid()),
        ids = column(steps, |step| step.message.id.uuid()),
        providers = column(steps, |step| step.message.provider.as_deref()),
        sent_at = column(steps, |step| step.message.delivery.sent_at()),
        delivered_at = column(steps, |step| step.message.delivery.delivered_at()),
    );
    let moved: Vec<Id<Message>> = update.values(conn).await?;
    Ok(moved.into_iter().collect())
}

/// A message that was not reported on in time has an error until then.
const LOGS: &str = "\
    UPDATE delivery_logs log SET status = 'DELIVERED', \
        provider = coalesce(step.provider, log.provider), \
        sent_at = step.sent_at, delivered_at = step.delivered_at, \
        error_code = NULL, error_message = NULL, vendor_code = NULL \
    FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {providers}::text[], \
            {sent_at}::timestamptz[], {delivered_at}::timestamptz[]) \
        AS step (organization_id, id, provider, sent_at, delivered_at) \
    WHERE step.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[step.id]) \
        AND log.status = 'SENT' \
    RETURNING log.id";
