//! Effects of message states on triggers.

use domain::messaging::{
    delivery::{Delivery, FailureCode, Status},
    job::Step,
    message::{Message, Source},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{database::connection::Connection, query::sql::sql};

/// Updates the triggers of messages: a delivered or cancelled message ends its trigger, any other
/// that failed makes the next channel due if it was the last that was tried, and one that reached
/// the awaited status stops the wait.
pub(crate) async fn note(conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
    let (mut organizations, mut triggers) = (Vec::new(), Vec::new());
    let (mut messages, mut statuses) = (Vec::<Uuid>::new(), Vec::new());
    for step in steps {
        if let Some((message, source)) = moved(step) {
            organizations.push(message.organization.uuid());
            triggers.push(source);
            messages.push(message.id.uuid());
            statuses.push(effect(message));
        }
    }
    if triggers.is_empty() {
        return Ok(());
    }
    sql!(NOTE, organizations, triggers, messages, statuses).execute(conn).await?;
    Ok(())
}

/// Returns the message of a step, and its trigger, if the trigger depends on the new state.
fn moved(step: &Step) -> Option<(&Message, Uuid)> {
    let message = step.message();
    let trigger = message.source.and_then(Source::trigger)?;
    let status = message.delivery.status();
    let is_news = matches!(status, Status::Sent | Status::Delivered | Status::Failed);
    (is_news && status != step.previous_status()).then(|| (message, trigger.uuid()))
}

/// Returns the status of a message, or `CANCELLED`: what its sender cancelled is not tried over another
/// channel.
fn effect(message: &Message) -> &'static str {
    match &message.delivery {
        Delivery::Failed { failure, .. } if failure.code == FailureCode::Cancelled => "CANCELLED",
        delivery => delivery.status().as_str(),
    }
}

/// A request that waits continues by itself when a message fails, so others leave it the time for
/// that.
const NOTE: &str = "\
    UPDATE triggers noted SET \
        due_at = CASE WHEN NOT step.is_over AND noted.message_id = ANY(step.failed) \
            THEN now() + interval '2 seconds' END, \
        drafts = CASE WHEN step.is_over THEN '[]' ELSE noted.drafts END, \
        ended_at = CASE WHEN step.is_over THEN now() END, \
        expires_at = CASE WHEN step.is_over THEN now() + interval '7 days' \
            ELSE noted.expires_at END \
    FROM (SELECT organization_id, id, bool_or(status IN ('DELIVERED', 'CANCELLED')) AS is_over, \
            coalesce(array_agg(message_id) FILTER (WHERE status = 'FAILED'), '{}') AS failed, \
            coalesce(array_agg(message_id) FILTER (WHERE status = 'SENT'), '{}') AS sent \
        FROM UNNEST({organizations}::uuid[], {triggers}::uuid[], {messages}::uuid[], \
                {statuses}::text[]) AS given (organization_id, id, message_id, status) \
        GROUP BY organization_id, id ORDER BY organization_id, id) AS step \
    WHERE noted.organization_id = ANY(ARRAY[step.organization_id]) AND noted.id = step.id \
        AND noted.ended_at IS NULL \
        AND (step.is_over OR noted.message_id = ANY(step.failed) \
            OR noted.until_status = 'SENT' AND noted.message_id = ANY(step.sent))";
