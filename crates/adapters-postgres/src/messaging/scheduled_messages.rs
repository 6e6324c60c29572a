//! Messages that wait for their time, apart from the jobs: a claim reads none of them, however many
//! there are.

mod release;
mod written;

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::Failure,
        job::{Job, Lease},
        message::Message,
        priority::ProviderQueue,
    },
    shared::id::Id,
};
use ports::{messaging::scheduled_messages::ScheduledMessageRepository, shared::store::StoreError};
use uuid::Uuid;

pub(crate) use self::written::{ScheduledWritten, WRITE};
use crate::{
    messaging::{
        delivery_logs,
        jobs::{LEASE_SECONDS, PgJobs},
    },
    shared::{
        database::{instance::PgInstance, session::PgStore},
        query::{row::row, sql::sql},
    },
};

/// Maximum number of messages released together.
const BATCH: i64 = 500;

/// [`ScheduledMessageRepository`] on `PostgreSQL`.
pub struct PgScheduledMessages {
    store: PgStore,
    instance: PgInstance,
}

row! {
    /// Job that was taken, as stored.
    struct TakenJob {
        rounds: i16,
        line: i32,
    }
}

impl PgJobs {
    /// Returns the scheduled messages in `store`, which are taken under leases of the same instance.
    pub fn scheduled_messages(&self, store: PgStore) -> PgScheduledMessages {
        PgScheduledMessages { store, instance: self.instance().clone() }
    }
}

impl PgScheduledMessages {
    /// Leases the job of a message, if nobody has it. Makes the job of a scheduled one, and notes that
    /// it was cancelled.
    async fn lease(
        &self,
        organization: Id<Organization>,
        id: Id<Message>,
        lease: Lease,
    ) -> Result<Option<TakenJob>, StoreError> {
        let withdrawn = Failure::withdrawn();
        let take = sql!(
            TAKE,
            organization,
            id,
            lease = lease.0,
            lease_seconds = LEASE_SECONDS,
            error_code = withdrawn.code.as_str(),
            error_message = withdrawn.message,
        );
        take.row(self.store.session().await?.conn()).await
    }
}

#[async_trait]
impl ScheduledMessageRepository for PgScheduledMessages {
    async fn release_due(&self) -> Result<usize, StoreError> {
        release::release(&self.store, BATCH).await
    }

    async fn take(
        &self,
        organization: Id<Organization>,
        id: Id<Message>,
    ) -> Result<Option<Job>, StoreError> {
        let lease = self.instance.lease();
        let mut taken = self.lease(organization, id, lease).await?;
        if taken.is_none() {
            // It may have been released in between: then the first statement saw neither row.
            taken = self.lease(organization, id, lease).await?;
        }
        let Some(TakenJob { rounds, line }) = taken else { return Ok(None) };
        let mut found = delivery_logs::find_all(&self.store, &[id]).await?;
        Ok(found.remove(&id).map(|message| Job {
            message,
            lease,
            rounds: u8::try_from(rounds).unwrap_or(u8::MAX),
            provider_queue: ProviderQueue(line),
            is_scored: false,
        }))
    }

    async fn reschedule(&self, message: &Message) -> Result<bool, StoreError> {
        let Some(at) = message.scheduled_at else { return Ok(false) };
        let reschedule = sql!(
            RESCHEDULE,
            organization = message.organization,
            id = message.id,
            at,
            expires_at = message.expires_at,
        );
        let moved: Option<Uuid> = reschedule.value(self.store.session().await?.conn()).await?;
        Ok(moved.is_some())
    }

    async fn of_organization(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<Vec<Id<Message>>, StoreError> {
        let find = sql!(
            "SELECT id FROM scheduled_messages WHERE organization_id = {organization} \
             ORDER BY id LIMIT {most}",
            organization,
            most = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        find.values(self.store.session().await?.conn()).await
    }
}

/// Leases a job that no worker has, or that of a scheduled message, which enters the jobs for it. The
/// reason is noted like one that is found at the release: if this process ends, a worker fails the
/// message.
const TAKE: &str = "\
    WITH given AS ( \
        SELECT {organization}::uuid AS organization_id, {id}::uuid AS id, \
            {lease}::uuid AS lease, now() + make_interval(secs => {lease_seconds}::bigint) AS until, \
            {error_code}::text AS error_code, {error_message}::text AS error_message \
    ), gone AS ( \
        DELETE FROM scheduled_messages scheduled USING given \
        WHERE scheduled.organization_id = ANY(ARRAY[given.organization_id]) \
            AND scheduled.id = given.id \
        RETURNING scheduled.priority, scheduled.line \
    ), entered AS ( \
        INSERT INTO delivery_jobs (organization_id, id, priority, lease, line, is_ready, due_at) \
        SELECT given.organization_id, given.id, gone.priority, given.lease, gone.line, false, \
            given.until \
        FROM gone CROSS JOIN given RETURNING rounds, line \
    ), noted AS ( \
        UPDATE delivery_logs log SET error_code = given.error_code, \
            error_message = given.error_message \
        FROM gone CROSS JOIN given \
        WHERE given.organization_id = ANY(ARRAY[log.organization_id]) \
            AND log.id = ANY(ARRAY[given.id]) \
    ), leased AS ( \
        UPDATE delivery_jobs job SET lease = given.lease, is_ready = false, held_by = NULL, \
            due_at = given.until \
        FROM given \
        WHERE job.organization_id = ANY(ARRAY[given.organization_id]) AND job.id = given.id \
            AND job.lease IS NULL AND NOT job.is_follow_up \
        RETURNING job.rounds, job.line \
    ) SELECT rounds, line FROM entered UNION ALL SELECT rounds, line FROM leased";

/// The waits of a trigger whose first message it is move with it.
const RESCHEDULE: &str = "\
    WITH known AS ( \
        SELECT organization_id, id, due_at FROM scheduled_messages \
        WHERE organization_id = {organization} AND id = {id} FOR UPDATE \
    ), moved AS ( \
        UPDATE scheduled_messages scheduled SET due_at = {at}::timestamptz FROM known \
        WHERE scheduled.organization_id = ANY(ARRAY[known.organization_id]) \
            AND scheduled.id = known.id \
        RETURNING scheduled.id \
    ), logged AS ( \
        UPDATE delivery_logs log SET scheduled_at = {at}::timestamptz, \
            expires_at = {expires_at} \
        FROM known \
        WHERE known.organization_id = ANY(ARRAY[log.organization_id]) \
            AND log.id = ANY(ARRAY[known.id]) \
        RETURNING log.organization_id, log.id, log.trigger_id \
    ), waiting AS ( \
        UPDATE triggers SET due_at = triggers.due_at + ({at}::timestamptz - known.due_at), \
            expires_at = triggers.expires_at + ({at}::timestamptz - known.due_at) \
        FROM logged CROSS JOIN known \
        WHERE triggers.organization_id = ANY(ARRAY[logged.organization_id]) \
            AND triggers.id = logged.trigger_id AND triggers.message_id = logged.id \
            AND triggers.ended_at IS NULL \
    ) SELECT id FROM moved";
