//! References to the messages that a provider took, needed for its callbacks: the provider's
//! identifiers, and the pairs of sender and recipient.

use domain::messaging::job::Step;
use ports::shared::store::StoreError;

use crate::shared::{database::connection::Connection, query::sql::sql};

/// Stores the providers' identifiers of the messages that they just took, if a report is still to
/// come, and assigns stored reports to their messages. An identifier that a provider uses again
/// means its newest message.
pub(crate) async fn references(conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
    let mut rows: Vec<_> = steps
        .iter()
        .filter(|step| step.due_in().is_some())
        .filter_map(|step| {
            let message = step.message();
            let attempt = message.attempts.last()?;
            let owner = message.organization.uuid();
            Some((attempt.provider.as_str(), attempt.reference()?, message.id.uuid(), owner))
        })
        .collect();
    // All instances use the same order, so that no two deadlock. Of messages of one name the newest
    // stays: a statement may not touch a row twice.
    rows.sort_unstable_by(|left, right| right.cmp(left));
    rows.dedup_by(|left, right| (left.0, left.1) == (right.0, right.1));
    if rows.is_empty() {
        return Ok(());
    }
    let refer = sql!(
        REFER,
        providers = rows.iter().map(|row| row.0).collect::<Vec<_>>(),
        references = rows.iter().map(|row| row.1).collect::<Vec<_>>(),
        messages = rows.iter().map(|row| row.2).collect::<Vec<_>>(),
        organizations = rows.iter().map(|row| row.3).collect::<Vec<_>>(),
    );
    refer.execute(conn).await?;
    Ok(())
}

/// Stores the pairs of sender and recipient for providers whose messages recipients can answer.
pub(crate) async fn conversations(conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
    let mut rows: Vec<_> = steps
        .iter()
        .filter_map(|step| {
            let Step::JobConcluded(concluded) = step else { return None };
            let message = &concluded.message;
            if !concluded.can_be_answered {
                return None;
            }
            let (provider, sent_at) = (message.provider.as_deref()?, message.delivery.sent_at()?);
            let recipient = message.draft.recipient.as_str();
            Some((provider, recipient, message.organization.uuid(), sent_at))
        })
        .collect();
    // The newest of each stays: a statement may not touch a row twice.
    rows.sort_by(|left, right| right.cmp(left));
    rows.dedup_by(|left, right| (left.0, left.1, left.2) == (right.0, right.1, right.2));
    if rows.is_empty() {
        return Ok(());
    }
    let converse = sql!(
        CONVERSE,
        providers = rows.iter().map(|row| row.0).collect::<Vec<_>>(),
        addresses = rows.iter().map(|row| row.1).collect::<Vec<_>>(),
        organizations = rows.iter().map(|row| row.2).collect::<Vec<_>>(),
        times = rows.iter().map(|row| row.3).collect::<Vec<_>>(),
    );
    converse.execute(conn).await?;
    Ok(())
}

const REFER: &str = "\
    WITH written AS ( \
        INSERT INTO provider_references AS known \
            (provider, reference, message_id, organization_id) \
        SELECT * FROM UNNEST({providers}::text[], {references}::text[], {messages}::uuid[], \
            {organizations}::uuid[]) \
        ON CONFLICT (organization_id, provider, reference) DO UPDATE SET message_id = EXCLUDED.message_id \
        WHERE known.message_id < EXCLUDED.message_id \
        RETURNING provider, reference, message_id \
    ) \
    UPDATE unmatched_reports kept SET message_id = written.message_id FROM written \
    WHERE kept.provider = ANY(ARRAY[written.provider]) \
        AND kept.reference = ANY(ARRAY[written.reference]) AND kept.message_id IS NULL";

/// One update a day is enough to know who writes to whom.
const CONVERSE: &str = "\
    INSERT INTO conversations AS known (provider, address, organization_id, written_at) \
    SELECT * FROM UNNEST({providers}::text[], {addresses}::text[], {organizations}::uuid[], \
        {times}::timestamptz[]) \
    ON CONFLICT (organization_id, provider, address) DO UPDATE SET written_at = EXCLUDED.written_at \
    WHERE known.written_at < EXCLUDED.written_at - interval '1 day'";
