//! Templates and their approvals.

mod deletion;

use std::sync::Arc;

pub use self::deletion::template_in_use;
use crate::{
    Error, Reason,
    shared::{
        bounds::{Bounds, OF_APPROVALS},
        digest::Fingerprint,
    },
};
use domain::{
    content::template::{
        Template, TemplateFilter, TemplateRequest, TemplateStatus, TemplateUpdate, TemplateVersion,
    },
    identity::{
        caller::{Administrator, Caller},
        organization::{Holding, Organization},
        permission::Permission,
        user::User,
    },
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    content::templates::{TemplateRepository, Written},
    shared::{clock::Clock, nobody::Nobody},
};

/// The content was changed concurrently, or after approval was requested.
pub const CONTENT_CHANGED: Reason =
    Reason::new("CONTENT_CHANGED", "the content was changed meanwhile");

/// Attempts at an edit that conflicts with concurrent edits.
const ATTEMPTS: usize = 3;

/// Follower of edits, for caches that hold texts of templates.
pub trait TemplateEdits: Send + Sync {
    /// Notes that a template of the organization was edited.
    fn note_edit(&self, organization: Id<Organization>);
}

/// Follows no edits, where no cache holds texts.
impl TemplateEdits for Nobody {
    fn note_edit(&self, _: Id<Organization>) {}
}

/// Operations on templates.
#[derive(Clone)]
pub struct Templates {
    repository: Arc<dyn TemplateRepository>,
    edits: Arc<dyn TemplateEdits>,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
}

impl Templates {
    /// Creates the operations over `repository`, which report edits to `edits`. `bounds` limits the
    /// number of templates.
    pub fn new(
        repository: Arc<dyn TemplateRepository>,
        edits: Arc<dyn TemplateEdits>,
        bounds: Bounds,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { repository, edits, bounds, clock }
    }

    /// Returns a page of those of the organization's templates that pass `filter`, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        filter: TemplateFilter,
        page: Page,
    ) -> Result<Paged<Template>, Error> {
        caller.authorize(Permission::Read)?;
        let filter = filter.checked()?;
        Ok(self.repository.page(caller.organization, &filter, page).await?)
    }

    /// Returns a template with its versions, newest first.
    pub async fn get(
        &self,
        caller: &Caller,
        id: Id<Template>,
    ) -> Result<(Template, Vec<TemplateVersion>), Error> {
        caller.authorize(Permission::Read)?;
        let template = self.find(caller, id).await?;
        let versions = self.repository.versions(caller.organization, id).await?;
        Ok((template, versions))
    }

    /// Returns the newest approved version of a template, with which a reviewer compares the pending one;
    /// `None` if no version was approved or the template is gone.
    pub async fn approved_version(
        &self,
        _: &Administrator,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Result<Option<TemplateVersion>, Error> {
        let versions = self.repository.versions(organization, id).await?;
        Ok(versions.into_iter().find(|version| version.status == TemplateStatus::Approved))
    }

    /// Returns the template that [`create`](Self::create) would make, with its status and issues. It is
    /// not stored. `faults` holds the faults found so far.
    pub fn drafted(
        &self,
        caller: &Caller,
        request: TemplateRequest,
        faults: Faults,
    ) -> Result<Template, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let made = request.template(caller.organization, caller.user()?, self.clock.now());
        Ok(faults.check(made)?.with_ways_out(&caller.policy.settings.ways_out))
    }

    /// Creates a template, which can be sent at once or waits for approval. `faults` holds the faults
    /// found so far.
    pub async fn create(
        &self,
        caller: &Caller,
        request: TemplateRequest,
        faults: Faults,
    ) -> Result<Template, Error> {
        let template = self.drafted(caller, request, faults)?;
        let author = caller.user()?;
        let written = self.written(&template, author);
        let mut wanted = vec![Holding::Templates, Holding::TemplateBytes];
        wanted.extend(written.approval.iter().flat_map(|_| OF_APPROVALS));
        self.bounds.find_room(template.organization, &wanted).await?;
        self.repository.insert(&template, &written).await?;
        Ok(template)
    }

    /// Returns the template that [`update`](Self::update) would make, with its status and issues. It is
    /// not stored. `faults` holds the faults found so far.
    pub async fn redrafted(
        &self,
        caller: &Caller,
        id: Id<Template>,
        update: TemplateUpdate,
        faults: Faults,
    ) -> Result<Template, Error> {
        caller.authorize(Permission::WriteAudience)?;
        edited(caller, &self.find(caller, id).await?, update, faults)
    }

    /// Changes a template. Changed content is a new version, which may need approval; the approval of
    /// the old version does not apply to it. `faults` holds the faults found so far.
    pub async fn update(
        &self,
        caller: &Caller,
        id: Id<Template>,
        update: TemplateUpdate,
        faults: Faults,
    ) -> Result<Template, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let editor = caller.user()?;
        for _ in 0..ATTEMPTS {
            let present = self.find(caller, id).await?;
            let edited = edited(caller, &present, update.clone(), faults.clone())?;
            if edited == present {
                return Ok(present);
            }
            let is_new_version = edited.version != present.version;
            let written = is_new_version.then(|| self.written(&edited, editor));
            let wanted = wanted(&present, written.as_ref());
            self.bounds.find_room(present.organization, &wanted).await?;
            if self.repository.update(&present, &edited, written).await? {
                self.edits.note_edit(caller.organization);
                return Ok(edited);
            }
        }
        Err(Error::Conflict(CONTENT_CHANGED))
    }

    async fn find(&self, caller: &Caller, id: Id<Template>) -> Result<Template, Error> {
        let template = self.repository.find(caller.organization, id).await?;
        template.ok_or(Error::NotFound("template"))
    }

    fn written(&self, template: &Template, by: Id<User>) -> Written {
        let hash = Fingerprint::of("template").template(&template.content).finish();
        let at = self.clock.now();
        Written { by, at, hash, approval: template.needed_approval(hash, by, at) }
    }
}

/// Returns a template after an update.
fn edited(
    caller: &Caller,
    present: &Template,
    update: TemplateUpdate,
    faults: Faults,
) -> Result<Template, Error> {
    let edited = faults.check(update.apply(present))?;
    if edited.version == present.version {
        return Ok(edited);
    }
    Ok(edited.with_ways_out(&caller.policy.settings.ways_out))
}

/// Returns the holdings that a new version adds to. The pending approval of the old version is
/// withdrawn.
fn wanted(present: &Template, written: Option<&Written>) -> Vec<Holding> {
    let Some(written) = written else { return Vec::new() };
    let mut wanted = vec![Holding::TemplateBytes];
    if written.approval.is_some() {
        wanted.push(Holding::DailyApprovals);
        if present.status != TemplateStatus::PendingApproval {
            wanted.push(Holding::PendingApprovals);
        }
    }
    wanted
}

#[cfg(test)]
mod tests;
