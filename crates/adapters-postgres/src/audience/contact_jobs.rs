//! Jobs that delete or tag many contacts: the selection, and the jobs as organizations see them.
//!
//! The contacts of a job are selected when it begins, by one statement, and stored in parts. So it
//! reaches no contact that is made later, and its count is that of the request.

mod queue;
mod selection;
mod tagging;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    audience::{
        contact::Contact,
        contact_job::{
            ContactJob, ContactJobKind, ContactSelection, ContactTask, SelectedContacts, TagChange,
        },
    },
    identity::organization::Organization,
    shared::id::Id,
};
use ports::{
    audience::{contact_jobs::ContactJobRepository, segments::EvaluationError},
    shared::store::StoreError,
};
use uuid::Uuid;

use self::selection::{Choice, Sample};
use crate::{
    audience::{
        contacts::{filter::FilteredContacts, row::ContactRow},
        segments::{PgSegments, evaluation_error},
    },
    shared::{
        database::connection::Connection,
        error::{corrupt, store_error},
        query::{run_query::RunQueryDsl, sql::sql},
        schema::contact_jobs,
    },
};

#[derive(HasQuery)]
#[diesel(table_name = contact_jobs)]
struct JobRow {
    id: Uuid,
    organization_id: Uuid,
    kind: String,
    status: String,
    added_tags: Vec<String>,
    removed_tags: Vec<String>,
    contact_count: i64,
    done: i64,
    created_by: Uuid,
    created_at: DateTime<Utc>,
    finished_at: Option<DateTime<Utc>>,
}

#[async_trait]
impl ContactJobRepository for PgSegments {
    async fn preview(
        &self,
        organization: Id<Organization>,
        selection: &ContactSelection,
    ) -> Result<SelectedContacts, EvaluationError> {
        let sample = Sample::new(organization, filtered(organization, selection));
        let (_turn, mut session) = self.begin_evaluation(organization).await?;
        let rows: Vec<(i64, ContactRow)> =
            sample.load(session.conn()).await.map_err(evaluation_error)?;
        let count = rows.as_slice().first().map_or(0, |(count, _)| count.unsigned_abs());
        let sample: Result<_, _> =
            rows.into_iter().map(|(_, row)| Contact::try_from(row)).collect();
        Ok(SelectedContacts { count, sample: sample? })
    }

    async fn begin(
        &self,
        job: &ContactJob,
        selection: &ContactSelection,
        most: usize,
    ) -> Result<Option<u64>, EvaluationError> {
        let choice = Choice::new(job, filtered(job.organization, selection));
        let (_turn, mut transaction) = self.begin_transaction(job.organization).await?;
        if count_waiting(transaction.conn(), job.organization).await? >= most {
            return Ok(None);
        }
        let chosen: i64 = choice.get_result(transaction.conn()).await.map_err(evaluation_error)?;
        // Another request may have begun a job meanwhile. The lock is taken after the selection, which
        // may take seconds, so that nobody waits for that.
        let lock = sql!(
            "SELECT pg_advisory_xact_lock( \
                hashtext('atumpan contact jobs'), hashtext({organization}))",
            organization = job.organization.to_string(),
        );
        lock.execute(transaction.conn()).await?;
        if count_waiting(transaction.conn(), job.organization).await? > most {
            return Ok(None);
        }
        transaction.commit().await?;
        Ok(Some(chosen.unsigned_abs()))
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<ContactJob>,
    ) -> Result<Option<ContactJob>, StoreError> {
        let query = JobRow::query()
            .filter(contact_jobs::organization_id.eq(organization.uuid()))
            .filter(contact_jobs::id.eq(id.uuid()));
        let mut session = self.store().session().await?;
        let row = query.first(session.conn()).await.optional().map_err(store_error)?;
        row.map(ContactJob::try_from).transpose()
    }

    async fn older(
        &self,
        organization: Id<Organization>,
        before: Option<Id<ContactJob>>,
        limit: usize,
    ) -> Result<Vec<ContactJob>, StoreError> {
        let mut query = JobRow::query()
            .filter(contact_jobs::organization_id.eq(organization.uuid()))
            .order(contact_jobs::id.desc())
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .into_boxed();
        if let Some(before) = before {
            query = query.filter(contact_jobs::id.lt(before.uuid()));
        }
        let mut session = self.store().session().await?;
        let rows: Vec<JobRow> = query.load(session.conn()).await.map_err(store_error)?;
        rows.into_iter().map(ContactJob::try_from).collect()
    }
}

/// Returns the number of jobs of an organization that have not ended.
async fn count_waiting(
    conn: &mut Connection,
    organization: Id<Organization>,
) -> Result<usize, StoreError> {
    let count = sql!(
        "SELECT count(*) FROM contact_jobs \
         WHERE organization_id = {organization} AND finished_at IS NULL",
        organization,
    );
    let waiting: i64 = count.only(conn).await?;
    Ok(usize::try_from(waiting).unwrap_or(usize::MAX))
}

/// Returns the condition of a selection.
fn filtered(organization: Id<Organization>, selection: &ContactSelection) -> FilteredContacts {
    let segment = selection.segment.as_ref();
    let filtered = FilteredContacts::new(organization, &selection.filter, segment);
    match &selection.ids {
        Some(ids) => filtered.among(ids),
        None => filtered,
    }
}

impl TryFrom<JobRow> for ContactJob {
    type Error = StoreError;

    fn try_from(row: JobRow) -> Result<Self, StoreError> {
        let id = row.id;
        row.into_job().ok_or_else(|| corrupt("contact_jobs", id))
    }
}

impl JobRow {
    fn into_job(self) -> Option<ContactJob> {
        let tags = TagChange { add: self.added_tags, remove: self.removed_tags };
        Some(ContactJob {
            id: self.id.into(),
            organization: self.organization_id.into(),
            task: task(&self.kind, tags)?,
            status: self.status.parse().ok()?,
            count: self.contact_count.unsigned_abs(),
            done: self.done.unsigned_abs(),
            created_by: self.created_by.into(),
            created_at: self.created_at,
            finished_at: self.finished_at,
        })
    }
}

/// Returns the work of a job; `None` if its kind is not known.
fn task(kind: &str, tags: TagChange) -> Option<ContactTask> {
    match kind.parse().ok()? {
        ContactJobKind::Delete => Some(ContactTask::Delete),
        ContactJobKind::Tag => Some(ContactTask::Tag(tags)),
    }
}
