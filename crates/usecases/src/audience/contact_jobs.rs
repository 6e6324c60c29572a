//! Jobs that delete or tag many contacts.

mod work;

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    audience::contact_job::{
        ContactJob, ContactJobStatus, ContactSelection, ContactTask, SelectedContacts,
        SelectionRequest, TagChange, TagChangeRequest,
    },
    identity::{
        actor::{Actor, RequestId},
        caller::Caller,
        organization::Holding,
        permission::Permission,
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{fault::Faults, id::Id},
};
use ports::{
    audience::{
        contact_jobs::ContactJobRepository,
        segments::{EvaluationError, SegmentRepository},
    },
    platform::audit_log::AuditLog,
    shared::clock::Clock,
};

pub use self::work::ContactJobWork;
use crate::{Error, Reason, shared::bounds::Bounds};

/// Too many jobs of the organization wait.
pub const TOO_MANY_CONTACT_JOBS: Reason = Reason::new(
    "TOO_MANY_CONTACT_JOBS",
    "ten such requests of the organization are at work already",
);

/// Maximum number of jobs of an organization that wait.
const MAX_WAITING: usize = 10;

/// Operations on jobs that delete or tag many contacts.
#[derive(Clone)]
pub struct ContactJobs {
    repository: Arc<dyn ContactJobRepository>,
    segments: Arc<dyn SegmentRepository>,
    audit_log: Arc<dyn AuditLog>,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
}

/// Command that deletes the selected contacts, or changes their tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactJobRequest {
    /// Selection of the contacts.
    pub selection: SelectionRequest,
    /// Change of their tags; `None` to delete them.
    pub tags: Option<TagChangeRequest>,
    /// Faults found in the request so far.
    pub faults: Faults,
}

/// Part of the jobs of an organization, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactJobPart {
    /// Jobs of the part.
    pub jobs: Vec<ContactJob>,
    /// Last of these jobs, after which the next part begins; `None` at the end.
    pub next: Option<Id<ContactJob>>,
}

/// Checked parts of a [`ContactJobRequest`].
struct Checked {
    selection: ContactSelection,
    task: ContactTask,
}

impl ContactJobs {
    /// Creates the operations over `repository`. `bounds` limits the size of contacts.
    pub fn new(
        repository: Arc<dyn ContactJobRepository>,
        segments: Arc<dyn SegmentRepository>,
        audit_log: Arc<dyn AuditLog>,
        bounds: Bounds,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { repository, segments, audit_log, bounds, clock }
    }

    /// Counts the contacts that a job would work on, and shows the newest of them.
    pub async fn preview(
        &self,
        caller: &Caller,
        request: ContactJobRequest,
    ) -> Result<SelectedContacts, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let Checked { selection, .. } = self.check(caller, request).await?;
        self.repository.preview(caller.organization, &selection).await.map_err(refused)
    }

    /// Begins a job for the contacts that are selected now.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn begin(
        &self,
        caller: &Caller,
        request: ContactJobRequest,
        made_by: RequestId,
    ) -> Result<ContactJob, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let user = caller.user()?;
        let is_for_all = request.selection.all;
        let Checked { selection, task } = self.check(caller, request).await?;
        if matches!(&task, ContactTask::Tag(change) if !change.add.is_empty()) {
            self.bounds.find_room(caller.organization, &[Holding::ContactBytes]).await?;
        }
        let now = self.clock.now();
        let mut job = ContactJob {
            id: Id::new_in(now, caller.organization),
            organization: caller.organization,
            task,
            status: ContactJobStatus::Queued,
            count: 0,
            done: 0,
            created_by: user,
            created_at: now,
            finished_at: None,
        };
        let is_impersonating = caller.impersonator().is_some();
        let entry = AuditEntry {
            id: Id::new_in(now, caller.organization),
            organization: caller.organization,
            at: now,
            actor: Actor { user, request: made_by, is_impersonating },
            action: match &job.task {
                ContactTask::Delete => AuditAction::ContactsDeleted,
                ContactTask::Tag(_) => AuditAction::ContactsTagged,
            },
            resource_type: "CONTACT_JOB",
            resource: job.id.uuid(),
            details: details(&selection, is_for_all, &job.task),
        };
        // Before the change: the log may hold one that failed, but never lacks one that was made.
        self.audit_log.record(&entry).await?;
        let begun = self.repository.begin(&job, &selection, MAX_WAITING).await.map_err(refused)?;
        job.count = begun.ok_or(Error::Conflict(TOO_MANY_CONTACT_JOBS))?;
        Ok(job)
    }

    /// Returns a job.
    pub async fn get(&self, caller: &Caller, id: Id<ContactJob>) -> Result<ContactJob, Error> {
        caller.authorize(Permission::Read)?;
        let job = self.repository.find(caller.organization, id).await?;
        job.ok_or(Error::NotFound("contact job"))
    }

    /// Returns up to `limit` jobs, newest first, after the job `after`.
    pub async fn list(
        &self,
        caller: &Caller,
        after: Option<Id<ContactJob>>,
        limit: u32,
    ) -> Result<ContactJobPart, Error> {
        caller.authorize(Permission::Read)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let found = self.repository.older(caller.organization, after, limit.saturating_add(1));
        let mut jobs = found.await?;
        let has_more = jobs.len() > limit;
        jobs.truncate(limit);
        let next = jobs.last().filter(|_| has_more).map(|job| job.id);
        Ok(ContactJobPart { jobs, next })
    }

    /// Checks a request, and looks its segment up.
    async fn check(&self, caller: &Caller, request: ContactJobRequest) -> Result<Checked, Error> {
        let ContactJobRequest { selection, tags, mut faults } = request;
        let task = match tags {
            None => Some(ContactTask::Delete),
            Some(tags) => match tags.change() {
                Ok(change) => Some(ContactTask::Tag(change)),
                Err(found) => {
                    faults.merge_new("", found);
                    None
                }
            },
        };
        let segment = match selection.filter.segment {
            Some(id) => self.segments.look_up(caller.organization, id).await?,
            None => None,
        };
        if selection.filter.segment.is_some() && segment.is_none() {
            faults.add("filter.segmentId", "is not a segment of the organization");
        }
        let selection = faults.check(selection.selection())?;
        let task = Faults::default().require(task)?;
        Ok(Checked { selection: ContactSelection { segment, ..selection }, task })
    }
}

/// Returns the details of the audit entry: the filter, and the tags.
fn details(
    selection: &ContactSelection,
    is_for_all: bool,
    task: &ContactTask,
) -> BTreeMap<&'static str, String> {
    let filter = &selection.filter;
    let mut details = BTreeMap::new();
    if let Some(text) = &filter.search {
        let kept = match task {
            // It may name a person, whose erasure the entry outlives.
            ContactTask::Delete => "[erased]",
            ContactTask::Tag(_) => text.as_str(),
        };
        details.insert("search", kept.to_owned());
    }
    details.extend(filter.tag.clone().map(|tag| ("tag", tag)));
    details.extend(filter.segment.map(|id| ("segmentId", id.to_string())));
    details.extend(filter.suppressed.map(|flag| ("suppressed", flag.to_string())));
    details.extend(selection.ids.as_ref().map(|ids| ("ids", ids.len().to_string())));
    details.extend(is_for_all.then(|| ("all", is_for_all.to_string())));
    if let ContactTask::Tag(TagChange { add, remove }) = task {
        details.insert("add", add.join(", "));
        details.insert("remove", remove.join(", "));
    }
    details
}

fn refused(error: EvaluationError) -> Error {
    match error {
        EvaluationError::TooSlow => {
            let fault =
                "takes too long to evaluate for so many contacts: ask for less, or for a tag";
            Faults::field("filter", fault).into()
        }
        EvaluationError::Store(error) => error.into(),
    }
}

#[cfg(test)]
mod tests;
