//! Work on jobs: leases, and the parts one after another.

use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::{
    prelude::*,
    sql_types::{Array, BigInt, Integer, Nullable, Text, Uuid as SqlUuid},
};
use domain::{
    audience::contact_job::{ContactTask, TagChange},
    messaging::job::Lease,
};
use ports::{
    audience::contact_jobs::{ContactJobQueue, LeasedContactJob},
    shared::store::StoreError,
};
use uuid::Uuid;

use super::{tagging::tag_contacts, task};
use crate::{
    audience::contacts::deletion::delete_contacts,
    shared::{
        database::session::PgStore,
        error::{corrupt, store_error},
        query::{run_query::RunQueryDsl, statement::Statement},
    },
};

/// Duration of a lease in seconds: longer than a part takes.
const LEASE_SECONDS: i64 = 60;

/// Organization, job, lease, kind, added and removed tags.
type ClaimTypes = (SqlUuid, SqlUuid, SqlUuid, Text, Array<Text>, Array<Text>);

#[derive(Queryable)]
struct ClaimRow {
    organization: Uuid,
    id: Uuid,
    lease: Uuid,
    kind: String,
    added: Vec<String>,
    removed: Vec<String>,
}

#[async_trait]
impl ContactJobQueue for PgStore {
    async fn claim(&self) -> Result<Option<LeasedContactJob>, StoreError> {
        let claim = Statement::<ClaimTypes>::returning(&[CLAIM])
            .bind::<Nullable<Text>, _>(self.lease_prefix())
            .bind::<BigInt, _>(LEASE_SECONDS);
        let mut session = self.session().await?;
        let claimed: Option<ClaimRow> =
            claim.get_result(session.conn()).await.optional().map_err(store_error)?;
        let Some(row) = claimed else { return Ok(None) };
        let tags = TagChange { add: row.added, remove: row.removed };
        Ok(Some(LeasedContactJob {
            organization: row.organization.into(),
            id: row.id.into(),
            task: task(&row.kind, tags).ok_or_else(|| corrupt("contact_jobs", row.id))?,
            lease: Lease(row.lease),
        }))
    }

    async fn work_off_part(&self, leased: &LeasedContactJob) -> Result<(), StoreError> {
        let organization = leased.organization;
        let mut transaction = self.transaction().await?;
        let lock = leased_job(Statement::<SqlUuid>::returning(&[LOCK]), leased);
        let locked: Option<Uuid> =
            lock.get_result(transaction.conn()).await.optional().map_err(store_error)?;
        if locked.is_none() {
            return Ok(());
        }
        let take = Statement::<Array<SqlUuid>>::returning(&[TAKE_PART])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(leased.id.uuid());
        let part: Option<Vec<Uuid>> =
            take.get_result(transaction.conn()).await.optional().map_err(store_error)?;
        let written = match part {
            Some(ids) => {
                match &leased.task {
                    ContactTask::Delete => {
                        delete_contacts(transaction.conn(), organization, &ids).await?;
                    }
                    ContactTask::Tag(change) => {
                        tag_contacts(transaction.conn(), organization, &ids, change).await?;
                    }
                }
                let done = i64::try_from(ids.len()).unwrap_or(i64::MAX);
                Statement::new(&[ADVANCE]).bind::<BigInt, _>(done)
            }
            None => Statement::new(&[END]),
        };
        let written = leased_job(written, leased);
        written.execute(transaction.conn()).await.map_err(store_error)?;
        transaction.commit().await
    }

    async fn put_off(
        &self,
        leased: &LeasedContactJob,
        delay: TimeDelta,
        most: u32,
    ) -> Result<(), StoreError> {
        let most = i32::try_from(most).unwrap_or(i32::MAX);
        let put_off = Statement::new(&[PUT_OFF])
            .bind::<BigInt, _>(delay.num_milliseconds())
            .bind::<Integer, _>(most)
            .bind::<Integer, _>(most);
        let put_off = leased_job(put_off, leased);
        put_off.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }
}

/// Binds the key and the lease of a job.
fn leased_job<'v, ST>(
    statement: Statement<'v, ST>,
    leased: &LeasedContactJob,
) -> Statement<'v, ST> {
    statement
        .bind::<SqlUuid, _>(leased.organization.uuid())
        .bind::<SqlUuid, _>(leased.id.uuid())
        .bind::<SqlUuid, _>(leased.lease.0)
}

/// A part that is done moves its job to the end of the queue.
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM contact_jobs \
        WHERE finished_at IS NULL AND due_at <= now() \
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE contact_jobs job SET status = 'RUNNING', lease = lease_of(?), \
        due_at = now() + make_interval(secs => ?::bigint) \
    FROM next \
    WHERE job.organization_id = ANY(ARRAY[next.organization_id]) AND job.id = ANY(ARRAY[next.id]) \
    RETURNING job.organization_id, job.id, job.lease, job.kind, job.added_tags, job.removed_tags";

const LOCK: &str = "\
    SELECT id FROM contact_jobs WHERE organization_id = ? AND id = ? AND lease = ? FOR UPDATE";

/// The lock of the job protects its parts.
const TAKE_PART: &str = "\
    WITH first AS ( \
        SELECT organization_id, job_id, last_contact_id FROM contact_job_parts \
        WHERE organization_id = ? AND job_id = ? ORDER BY last_contact_id LIMIT 1 \
    ) \
    DELETE FROM contact_job_parts part USING first \
    WHERE part.organization_id = ANY(ARRAY[first.organization_id]) \
        AND part.job_id = ANY(ARRAY[first.job_id]) \
        AND part.last_contact_id = ANY(ARRAY[first.last_contact_id]) \
    RETURNING part.contact_ids";

const ADVANCE: &str = "\
    UPDATE contact_jobs SET done = done + ?, attempts = 0, lease = NULL, due_at = now() \
    WHERE organization_id = ? AND id = ? AND lease = ?";

const END: &str = "\
    UPDATE contact_jobs SET status = 'COMPLETED', lease = NULL, finished_at = now() \
    WHERE organization_id = ? AND id = ? AND lease = ?";

const PUT_OFF: &str = "\
    UPDATE contact_jobs SET lease = NULL, attempts = attempts + 1, \
        due_at = now() + make_interval(secs => ?::bigint / 1000.0), \
        status = CASE WHEN attempts + 1 < ? THEN status ELSE 'FAILED' END, \
        finished_at = CASE WHEN attempts + 1 < ? THEN NULL ELSE now() END \
    WHERE organization_id = ? AND id = ? AND lease = ?";
