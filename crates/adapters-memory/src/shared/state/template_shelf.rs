//! Stored templates and their versions.

use std::collections::BTreeMap;

use domain::{
    content::template::{MAX_VERSIONS, Template, TemplateStatus, TemplateVersion},
    identity::organization::Organization,
    shared::id::Id,
};
use ports::content::templates::Written;

/// All templates, in the order of their identifiers.
#[derive(Default)]
pub(crate) struct TemplateShelf(BTreeMap<Id<Template>, KeptTemplate>);

struct KeptTemplate {
    template: Template,
    /// Versions, newest last.
    versions: Vec<TemplateVersion>,
}

impl TemplateShelf {
    /// Adds a template with its first version. Returns false if it exists.
    pub(crate) fn insert(&mut self, template: &Template, written: &Written) -> bool {
        if self.0.contains_key(&template.id) {
            return false;
        }
        let versions = vec![version(template, written)];
        self.0.insert(template.id, KeptTemplate { template: template.clone(), versions });
        true
    }

    /// Changes a template. Returns false if it is no longer as in `present`.
    pub(crate) fn update(
        &mut self,
        present: &Template,
        edited: &Template,
        written: Option<&Written>,
    ) -> bool {
        let Some(kept) = self.0.get_mut(&present.id) else { return false };
        let known = &mut kept.template;
        let is_present = known.organization == present.organization
            && known.version == present.version
            && known.name == present.name;
        if !is_present {
            return false;
        }
        let Some(written) = written else {
            known.name.clone_from(&edited.name);
            return true;
        };
        *known = edited.clone();
        if let Some(last) = kept.versions.last_mut()
            && last.status == TemplateStatus::PendingApproval
        {
            last.status = TemplateStatus::Withdrawn;
        }
        kept.versions.push(version(edited, written));
        kept.versions.retain(|it| it.version > edited.version - MAX_VERSIONS);
        true
    }

    /// Deletes a template. Returns false if it does not exist.
    pub(crate) fn delete(&mut self, organization: Id<Organization>, id: Id<Template>) -> bool {
        self.find(organization, id).is_some() && self.0.remove(&id).is_some()
    }

    pub(crate) fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Option<&Template> {
        self.0.get(&id).map(|kept| &kept.template).filter(|it| it.organization == organization)
    }

    /// Returns the templates of an organization, newest first.
    pub(crate) fn of(&self, organization: Id<Organization>) -> impl Iterator<Item = &Template> {
        let newest_first = self.0.values().rev().map(|kept| &kept.template);
        newest_first.filter(move |it| it.organization == organization)
    }

    /// Returns the versions of a template, newest first.
    pub(crate) fn versions(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Vec<TemplateVersion> {
        let kept = self.0.get(&id).filter(|kept| kept.template.organization == organization);
        kept.map(|kept| kept.versions.iter().rev().cloned().collect()).unwrap_or_default()
    }
}

fn version(template: &Template, written: &Written) -> TemplateVersion {
    TemplateVersion {
        version: template.version,
        status: template.status,
        subject: template.content.subject.clone(),
        body: template.content.body.clone(),
        risk_score: template.risk_score,
        created_at: written.at,
        created_by: Some(written.by),
    }
}
