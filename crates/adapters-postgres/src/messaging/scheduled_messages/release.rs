//! Release of scheduled messages: they get jobs once their time has come.

use std::collections::HashSet;

use domain::{
    messaging::{delivery::FailureCode, message::Message},
    shared::id::Id,
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::{
    messaging::{delivery_logs, intake::lookup},
    shared::{
        database::{connection::Connection, session::PgStore},
        query::{row::row, sql::sql},
    },
};

/// Reasons for which messages do not go that were accepted.
const SUPPRESSED: &str = "the recipient is on the suppression list";
const WITHDRAWN: &str = "its template is not approved any more";

row! {
    struct DueRow {
        organization_id: Uuid,
        id: Uuid,
    }
}

/// Makes at most `limit` messages due whose time has come, and returns their number. Each statement is
/// by itself: what changes in between is left to the next call.
pub(super) async fn release(store: &PgStore, limit: i64) -> Result<usize, StoreError> {
    let due = due(store, limit).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let ids: Vec<_> = due.iter().map(|row| Id::<Message>::of(row.id)).collect();
    let messages = delivery_logs::find_all(store, &ids).await?;
    let messages: Vec<&Message> = messages.values().collect();
    let session = store.session().await?;
    let suppressed = lookup::barred(session.pipeline(), &messages).await?;
    let withdrawn = withdrawn(session.pipeline(), &messages).await?;
    let (mut codes, mut reasons) = (Vec::new(), Vec::new());
    for row in &due {
        let (code, reason) = if suppressed.contains(&Id::of(row.id)) {
            (Some(FailureCode::RecipientSuppressed.as_str()), Some(SUPPRESSED))
        } else if withdrawn.contains(&row.id) {
            (Some(FailureCode::BlockedContent.as_str()), Some(WITHDRAWN))
        } else {
            (None, None)
        };
        codes.push(code);
        reasons.push(reason);
    }
    let release = sql!(
        RELEASE,
        organizations = due.iter().map(|row| row.organization_id).collect::<Vec<_>>(),
        ids = due.iter().map(|row| row.id).collect::<Vec<_>>(),
        error_codes = codes,
        error_messages = reasons,
    );
    let released: i64 = release.only(session.pipeline()).await?;
    Ok(usize::try_from(released).unwrap_or_default())
}

/// Returns organizations and identifiers of messages whose time has come, the longest waiting first.
async fn due(store: &PgStore, limit: i64) -> Result<Vec<DueRow>, StoreError> {
    // Reads the index `scheduled_messages_due`.
    let find = sql!(
        "SELECT organization_id, id FROM scheduled_messages WHERE due_at <= now() \
         ORDER BY due_at LIMIT {limit}",
        limit,
    );
    find.rows(store.session().await?.conn()).await
}

/// Returns the messages whose templates are gone or not approved any more.
async fn withdrawn(conn: &Connection, messages: &[&Message]) -> Result<HashSet<Uuid>, StoreError> {
    let (mut organizations, mut ids, mut templates) = (Vec::new(), Vec::new(), Vec::new());
    for message in messages {
        if let Some(template) = message.draft.template {
            organizations.push(message.organization.uuid());
            ids.push(message.id.uuid());
            templates.push(template.uuid());
        }
    }
    if templates.is_empty() {
        return Ok(HashSet::new());
    }
    let find = sql!(
        "SELECT wanted.id \
         FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {templates}::uuid[]) \
            AS wanted (organization_id, id, template_id) \
         WHERE NOT EXISTS (SELECT FROM templates template \
            WHERE template.organization_id = ANY(ARRAY[wanted.organization_id]) \
                AND template.id = ANY(ARRAY[wanted.template_id]) \
                AND template.status = 'APPROVED')",
        organizations,
        ids,
        templates,
    );
    let withdrawn: Vec<Uuid> = find.values(conn).await?;
    Ok(withdrawn.into_iter().collect())
}

/// Moves the messages that are still there and due, unless others are moving them, and notes why some
/// of them do not go.
const RELEASE: &str = "\
    WITH due AS MATERIALIZED ( \
        SELECT scheduled.organization_id, scheduled.id, given.error_code, given.error_message \
        FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {error_codes}::text[], \
                {error_messages}::text[]) \
            AS given (organization_id, id, error_code, error_message) \
        JOIN scheduled_messages scheduled \
            ON scheduled.organization_id = ANY(ARRAY[given.organization_id]) \
                AND scheduled.id = given.id \
        WHERE scheduled.due_at <= now() FOR UPDATE OF scheduled SKIP LOCKED \
    ), gone AS ( \
        DELETE FROM scheduled_messages scheduled USING due \
        WHERE scheduled.organization_id = ANY(ARRAY[due.organization_id]) AND scheduled.id = due.id \
        RETURNING scheduled.organization_id, scheduled.id, scheduled.priority, scheduled.line \
    ), entered AS ( \
        INSERT INTO delivery_jobs (organization_id, id, priority, line, is_ready, due_at) \
        SELECT organization_id, id, priority, line, true, now() FROM gone \
    ), noted AS ( \
        UPDATE delivery_logs log SET error_code = due.error_code, \
            error_message = due.error_message \
        FROM due \
        WHERE due.error_code IS NOT NULL \
            AND due.organization_id = ANY(ARRAY[log.organization_id]) \
            AND log.id = ANY(ARRAY[due.id]) \
    ) SELECT count(*) FROM gone";
