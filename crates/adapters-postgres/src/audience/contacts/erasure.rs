//! Erasure of people from the delivery log after their contact was deleted.
//!
//! Logs have no index on recipients. So an organization's log is walked from end to end, in small
//! batches, for all of its deleted contacts together. The next step is stored with the walk, and a
//! step is one statement, so any instance can continue, and nothing is lost or done twice.

use domain::{identity::organization::Organization, messaging::message::Message, shared::id::Id};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    query::{row::row, sql::sql},
};

/// Maximum number of messages read at a time, and of messages that were not final and are visited
/// again.
const BATCH: i64 = 2_000;
const UNFINISHED: i64 = 500;

row! {
    /// Walk over the log of an organization: over messages, then over the events published of them.
    struct Walk {
        organization_id: Uuid,
        reached: Uuid,
        until: Uuid,
        events_reached: Uuid,
    }
}

row! {
    /// Scheduled message.
    struct ScheduledRow {
        organization_id: Id<Organization>,
        message_id: Id<Message>,
    }
}

impl PgStore {
    /// Erases a batch of messages. Returns true if more may be left. Any number of instances may do
    /// so at the same time.
    pub async fn erase_some(&self) -> Result<bool, StoreError> {
        let met_again = self.erase_unfinished().await?;
        if met_again >= UNFINISHED {
            return Ok(true);
        }
        if let Some(walk) = self.claim_walk().await? {
            self.take_step(&walk).await?;
            return Ok(true);
        }
        Ok(self.begin_walks().await? > 0)
    }

    /// Returns messages that are scheduled for people who are being erased, of those that
    /// [`erase_some`](Self::erase_some) checks next. Once cancelled, it erases them.
    pub async fn scheduled_to_erase(
        &self,
    ) -> Result<Vec<(Id<Organization>, Id<Message>)>, StoreError> {
        // A message that was taken to be cancelled, but was not, has a job.
        let find = sql!(
            "SELECT due.organization_id, due.message_id FROM ( \
                SELECT organization_id, message_id FROM unfinished_erasures WHERE due_at <= now() \
                ORDER BY due_at LIMIT {most}) AS due \
             WHERE EXISTS (SELECT FROM delivery_logs log \
                WHERE log.organization_id = ANY(ARRAY[due.organization_id]) \
                    AND log.id = ANY(ARRAY[due.message_id]) \
                    AND log.scheduled_at > now() AND log.status IN ('QUEUED', 'PENDING'))",
            most = UNFINISHED,
        );
        let found: Vec<ScheduledRow> = find.rows(self.session().await?.conn()).await?;
        Ok(found.into_iter().map(|row| (row.organization_id, row.message_id)).collect())
    }

    /// Begins a walk for each organization that has people to erase and no walk.
    async fn begin_walks(&self) -> Result<i64, StoreError> {
        sql!(BEGIN).only(self.session().await?.conn()).await
    }

    /// Claims the walk that has waited longest, for a minute.
    async fn claim_walk(&self) -> Result<Option<Walk>, StoreError> {
        let claim = sql!(
            "UPDATE erasure_walks SET due_at = now() + interval '1 minute' \
             WHERE organization_id = ANY(ARRAY( \
                SELECT organization_id FROM erasure_walks WHERE due_at <= now() \
                ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)) \
             RETURNING organization_id, reached, until, events_reached"
        );
        claim.row(self.session().await?.conn()).await
    }

    /// Erases the people from the next messages, then from the events published of messages, and
    /// ends the walk after the last ones.
    async fn take_step(&self, walk: &Walk) -> Result<(), StoreError> {
        let Walk { organization_id: organization, reached, until, events_reached } = *walk;
        let mut session = self.session().await?;
        let conn = session.conn();
        if reached < until {
            let step = sql!([STEP, ERASED, STEP_ENDS], organization, reached, until, batch = BATCH);
            step.execute(conn).await?;
        } else if events_reached < until {
            let step =
                sql!(STEP_OF_EVENTS, organization, reached = events_reached, until, batch = BATCH);
            step.execute(conn).await?;
        } else {
            sql!(END, organization).execute(conn).await?;
        }
        Ok(())
    }

    /// Erases messages that are final by now, and returns the number of messages checked.
    async fn erase_unfinished(&self) -> Result<i64, StoreError> {
        let erase = sql!([MEET_AGAIN, ERASED, MET_AGAIN], most = UNFINISHED);
        erase.only(self.session().await?.conn()).await
    }
}

/// Organizations are found one after the other in the key. A walk covers up to 5,000 deleted
/// contacts, each deleted at least a minute ago: messages accepted for them before are written by
/// then. Until then they remain known to imports that came in before; none of these waits any more
/// when the walk begins. The walk ends at the messages of now.
const BEGIN: &str = "\
    WITH RECURSIVE known (organization_id) AS ( \
        (SELECT organization_id FROM contact_erasures ORDER BY organization_id LIMIT 1) \
        UNION ALL \
        SELECT (SELECT contact_erasures.organization_id FROM contact_erasures \
            WHERE contact_erasures.organization_id > known.organization_id \
            ORDER BY contact_erasures.organization_id LIMIT 1) \
        FROM known WHERE known.organization_id IS NOT NULL \
    ), begun AS ( \
        INSERT INTO erasure_walks (organization_id, reached, until, due_at) \
        SELECT organization_id, '00000000-0000-0000-0000-000000000000', uuid_floor(now()), now() \
        FROM known WHERE EXISTS (SELECT FROM contact_erasures erasure \
            WHERE erasure.organization_id = known.organization_id \
                AND requested_at < now() - interval '1 minute' \
                AND NOT file_waits_since_before(erasure.organization_id, requested_at)) \
        ON CONFLICT (organization_id) DO NOTHING RETURNING organization_id \
    ), chosen AS ( \
        UPDATE contact_erasures erasure SET is_walked_for = true FROM begun \
        CROSS JOIN LATERAL (SELECT id FROM contact_erasures waiting \
            WHERE waiting.organization_id = begun.organization_id \
                AND requested_at < now() - interval '1 minute' \
                AND NOT file_waits_since_before(waiting.organization_id, requested_at) \
            ORDER BY id LIMIT 5000) AS first \
        WHERE erasure.organization_id = ANY(ARRAY[begun.organization_id]) \
            AND erasure.id = ANY(ARRAY[first.id]) \
    ) SELECT count(*) FROM begun";

const STEP: &str = "\
    WITH met AS ( \
        SELECT id, recipient, is_over \
        FROM messages_to_erase({organization}, {reached}, {until}, {batch}) \
    ), erasures AS ( \
        SELECT phone, email, fcm_token FROM contact_erasures \
        WHERE organization_id = {organization} AND is_walked_for \
    ), found AS ( \
        SELECT {organization}::uuid AS organization_id, id, is_over FROM met \
        WHERE recipient IN (SELECT phone FROM erasures WHERE phone IS NOT NULL) \
            OR recipient IN (SELECT fcm_token FROM erasures WHERE fcm_token IS NOT NULL) \
            OR lower(recipient COLLATE \"C\") IN (SELECT email FROM erasures WHERE email IS NOT NULL) \
    ), ";

/// The vendor's description of a failure may name the recipient.
const ERASED: &str = "\
    erased AS ( \
        UPDATE delivery_logs log SET recipient = '[erased]', body = '[erased]', \
            subject = CASE WHEN subject IS NOT NULL THEN '[erased]' END, \
            error_message = CASE WHEN error_message IS NOT NULL THEN '[erased]' END, \
            vendor_template = NULL, text_notes = text_notes - 'masked', metadata = NULL, \
            contact_id = NULL \
        FROM found WHERE found.is_over AND found.organization_id = ANY(ARRAY[log.organization_id]) \
            AND log.id = ANY(ARRAY[found.id]) \
    ), ";

/// A batch that is not full is the last one. A scheduled message need not be waited for: it is
/// cancelled.
const STEP_ENDS: &str = "\
    unfinished AS ( \
        INSERT INTO unfinished_erasures (organization_id, message_id, due_at) \
        SELECT organization_id, id, now() + CASE WHEN EXISTS (SELECT FROM scheduled_messages scheduled \
                WHERE scheduled.organization_id = ANY(ARRAY[found.organization_id]) \
                    AND scheduled.id = ANY(ARRAY[found.id])) \
            THEN interval '0' ELSE interval '10 minutes' END \
        FROM found WHERE NOT is_over \
        ON CONFLICT (organization_id, message_id) DO NOTHING \
    ) UPDATE erasure_walks SET due_at = now(), reached = CASE \
        WHEN (SELECT count(*) FROM met) = {batch} THEN (SELECT id FROM met ORDER BY id DESC LIMIT 1) \
        ELSE until END \
    WHERE organization_id = {organization} AND reached = {reached}";

/// Events of messages have the address in `recipient`, opt-outs in `phone` or `email`. Those that were
/// published meanwhile are among them, as of messages that were cancelled.
const STEP_OF_EVENTS: &str = "\
    WITH met AS MATERIALIZED ( \
        SELECT id, data FROM events_to_erase( \
            {organization}, {reached}, \
            greatest({until}, uuid_floor(now() + interval '1 hour')), {batch}) \
    ), erasures AS ( \
        SELECT phone, email, fcm_token FROM contact_erasures \
        WHERE organization_id = {organization} AND is_walked_for \
    ), found AS ( \
        SELECT id, data FROM met \
        CROSS JOIN LATERAL (SELECT coalesce(data ->> 'recipient', data ->> 'phone', data ->> 'email') \
            AS address) AS told \
        WHERE address IN (SELECT phone FROM erasures WHERE phone IS NOT NULL) \
            OR address IN (SELECT fcm_token FROM erasures WHERE fcm_token IS NOT NULL) \
            OR lower(address COLLATE \"C\") IN (SELECT email FROM erasures WHERE email IS NOT NULL) \
    ), erased AS ( \
        UPDATE outbound_events told SET data = erased_event(found.data)::text FROM found \
        WHERE told.organization_id = {organization} AND told.id = ANY(ARRAY[found.id]) \
    ) UPDATE erasure_walks SET due_at = now(), events_reached = CASE \
        WHEN (SELECT count(*) FROM met) = {batch} THEN (SELECT id FROM met ORDER BY id DESC LIMIT 1) \
        ELSE until END \
    WHERE organization_id = {organization} AND events_reached = {reached}";

/// A late instance finds the walk ended, and leaves the contacts of the next walk alone. Triggers
/// that would continue to one of the people end.
const END: &str = "\
    WITH ended AS ( \
        DELETE FROM erasure_walks \
        WHERE organization_id = {organization} AND reached >= until AND events_reached >= until \
        RETURNING organization_id \
    ), erasures AS ( \
        SELECT phone, email, fcm_token FROM contact_erasures \
        WHERE organization_id = {organization} AND is_walked_for \
    ), pending AS ( \
        UPDATE triggers SET due_at = NULL, drafts = '[]', ended_at = now(), \
            expires_at = now() + interval '7 days' \
        WHERE organization_id = {organization} AND ended_at IS NULL AND EXISTS (SELECT FROM ended) \
            AND EXISTS (SELECT FROM jsonb_array_elements(drafts) AS draft \
                WHERE draft ->> 'recipient' IN (SELECT phone FROM erasures WHERE phone IS NOT NULL) \
                    OR draft ->> 'recipient' IN \
                        (SELECT fcm_token FROM erasures WHERE fcm_token IS NOT NULL) \
                    OR lower((draft ->> 'recipient') COLLATE \"C\") IN \
                        (SELECT email FROM erasures WHERE email IS NOT NULL)) \
    ) DELETE FROM contact_erasures erasure USING ended \
    WHERE erasure.organization_id = ANY(ARRAY[ended.organization_id]) AND is_walked_for";

/// A message that no longer exists needs no erasure.
const MEET_AGAIN: &str = "\
    WITH due AS ( \
        SELECT organization_id, message_id FROM unfinished_erasures WHERE due_at <= now() \
        ORDER BY due_at LIMIT {most} FOR UPDATE SKIP LOCKED \
    ), found AS ( \
        SELECT due.organization_id, due.message_id AS id, \
            coalesce(is_over(log.status, log.expires_at, log.created_at), true) AS is_over \
        FROM due LEFT JOIN delivery_logs log \
            ON log.organization_id = ANY(ARRAY[due.organization_id]) \
                AND log.id = ANY(ARRAY[due.message_id]) \
    ), ";
const MET_AGAIN: &str = "\
    over AS ( \
        DELETE FROM unfinished_erasures erasure USING found WHERE found.is_over \
            AND erasure.organization_id = ANY(ARRAY[found.organization_id]) \
            AND erasure.message_id = ANY(ARRAY[found.id]) \
    ), put_off AS ( \
        UPDATE unfinished_erasures erasure SET due_at = now() + interval '10 minutes' FROM found \
        WHERE NOT found.is_over AND erasure.organization_id = ANY(ARRAY[found.organization_id]) \
            AND erasure.message_id = ANY(ARRAY[found.id]) \
    ) SELECT count(*) FROM due";
