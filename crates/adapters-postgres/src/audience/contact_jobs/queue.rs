//! Work on jobs: leases, and the parts one after another.

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    audience::contact_job::{ContactJob, ContactTask, TagChange},
    identity::organization::Organization,
    messaging::job::Lease,
    shared::id::Id,
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
        database::{connection::Connection, session::PgStore},
        error::corrupt,
        query::{row::row, sql::sql},
    },
};

/// Duration of a lease in seconds: longer than a part takes.
const LEASE_SECONDS: i64 = 60;

row! {
    struct ClaimedRow {
        organization_id: Id<Organization>,
        id: Id<ContactJob>,
        lease: Uuid,
        kind: String,
        added_tags: Vec<String>,
        removed_tags: Vec<String>,
    }
}

#[async_trait]
impl ContactJobQueue for PgStore {
    async fn claim(&self) -> Result<Option<LeasedContactJob>, StoreError> {
        // A part that is done moves its job to the end of the queue.
        let claim = sql!(
            "WITH next AS ( \
                SELECT organization_id, id FROM contact_jobs \
                WHERE finished_at IS NULL AND due_at <= now() \
                ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
             ) \
             UPDATE contact_jobs job SET status = 'RUNNING', lease = lease_of({lease_prefix}), \
                due_at = now() + make_interval(secs => {seconds}::bigint) \
             FROM next \
             WHERE job.organization_id = ANY(ARRAY[next.organization_id]) \
                AND job.id = ANY(ARRAY[next.id]) \
             RETURNING job.organization_id, job.id, job.lease, job.kind, job.added_tags, \
                job.removed_tags",
            lease_prefix = self.lease_prefix(),
            seconds = LEASE_SECONDS,
        );
        let claimed: Option<ClaimedRow> = claim.row(self.session().await?.conn()).await?;
        let Some(row) = claimed else { return Ok(None) };
        let tags = TagChange { add: row.added_tags, remove: row.removed_tags };
        Ok(Some(LeasedContactJob {
            organization: row.organization_id,
            id: row.id,
            task: task(&row.kind, tags).ok_or_else(|| corrupt("contact_jobs", row.id))?,
            lease: Lease(row.lease),
        }))
    }

    async fn work_off_part(&self, leased: &LeasedContactJob) -> Result<(), StoreError> {
        let mut transaction = self.transaction().await?;
        let conn = transaction.conn();
        if !is_held(conn, leased).await? {
            return Ok(());
        }
        match take_part(conn, leased).await? {
            Some(ids) => {
                match &leased.task {
                    ContactTask::Delete => {
                        delete_contacts(conn, leased.organization, &ids).await?;
                    }
                    ContactTask::Tag(change) => {
                        tag_contacts(conn, leased.organization, &ids, change).await?;
                    }
                }
                advance(conn, leased, ids.len()).await?;
            }
            None => end(conn, leased).await?,
        }
        transaction.commit().await
    }

    async fn put_off(
        &self,
        leased: &LeasedContactJob,
        delay: TimeDelta,
        most: u32,
    ) -> Result<(), StoreError> {
        let most = i32::try_from(most).unwrap_or(i32::MAX);
        let put_off = sql!(
            "UPDATE contact_jobs SET lease = NULL, attempts = attempts + 1, \
                due_at = now() + make_interval(secs => {delay}::bigint / 1000.0), \
                status = CASE WHEN attempts + 1 < {most} THEN status ELSE 'FAILED' END, \
                finished_at = CASE WHEN attempts + 1 < {most} THEN NULL ELSE now() END \
             WHERE organization_id = {organization} AND id = {job} AND lease = {lease}",
            delay = delay.num_milliseconds(),
            most,
            organization = leased.organization,
            job = leased.id,
            lease = leased.lease.0,
        );
        put_off.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}

/// True if the lease is still held. Then nobody else can take it until the transaction ends.
async fn is_held(conn: &Connection, leased: &LeasedContactJob) -> Result<bool, StoreError> {
    let hold = sql!(
        "SELECT id FROM contact_jobs \
         WHERE organization_id = {organization} AND id = {job} AND lease = {lease} FOR UPDATE",
        organization = leased.organization,
        job = leased.id,
        lease = leased.lease.0,
    );
    Ok(hold.value::<Uuid>(conn).await?.is_some())
}

/// Removes the next part, and returns its contacts. The lock of the job protects its parts.
async fn take_part(
    conn: &Connection,
    leased: &LeasedContactJob,
) -> Result<Option<Vec<Uuid>>, StoreError> {
    let take = sql!(
        "WITH first AS ( \
            SELECT organization_id, job_id, last_contact_id FROM contact_job_parts \
            WHERE organization_id = {organization} AND job_id = {job} \
            ORDER BY last_contact_id LIMIT 1 \
         ) \
         DELETE FROM contact_job_parts part USING first \
         WHERE part.organization_id = ANY(ARRAY[first.organization_id]) \
            AND part.job_id = ANY(ARRAY[first.job_id]) \
            AND part.last_contact_id = ANY(ARRAY[first.last_contact_id]) \
         RETURNING part.contact_ids",
        organization = leased.organization,
        job = leased.id,
    );
    take.value(conn).await
}

/// Records that the work on some contacts is done, and gives the lease back.
async fn advance(
    conn: &Connection,
    leased: &LeasedContactJob,
    contacts: usize,
) -> Result<(), StoreError> {
    let advance = sql!(
        "UPDATE contact_jobs SET done = done + {contacts}, attempts = 0, lease = NULL, \
            due_at = now() \
         WHERE organization_id = {organization} AND id = {job} AND lease = {lease}",
        contacts = i64::try_from(contacts).unwrap_or(i64::MAX),
        organization = leased.organization,
        job = leased.id,
        lease = leased.lease.0,
    );
    advance.execute(conn).await?;
    Ok(())
}

async fn end(conn: &Connection, leased: &LeasedContactJob) -> Result<(), StoreError> {
    let end = sql!(
        "UPDATE contact_jobs SET status = 'COMPLETED', lease = NULL, finished_at = now() \
         WHERE organization_id = {organization} AND id = {job} AND lease = {lease}",
        organization = leased.organization,
        job = leased.id,
        lease = leased.lease.0,
    );
    end.execute(conn).await?;
    Ok(())
}
