//! Templates.

use async_trait::async_trait;
use domain::{
    content::template::{Template, TemplateFilter, TemplateText, TemplateVersion},
    identity::organization::Organization,
    platform::audit::AuditEntry,
    shared::{
        id::Id,
        listed_text,
        page::{MOST_FOUND, Page, Paged},
        text::fold,
    },
};
use ports::{
    content::templates::{Deleted, TemplateRepository, Written},
    shared::store::StoreError,
};

use crate::shared::store::MemoryStore;

/// Stores no approvals: the status of a template alone decides whether it may be sent. Stores no audit
/// log, and no events and campaigns that could need a template.
#[async_trait]
impl TemplateRepository for MemoryStore {
    async fn find_all(
        &self,
        organization: Id<Organization>,
        ids: &[Id<Template>],
    ) -> Result<Vec<TemplateText>, StoreError> {
        let state = self.state();
        let found = state.templates.of(organization).filter(|it| ids.contains(&it.id));
        Ok(found.map(TemplateText::from).collect())
    }

    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &TemplateFilter,
        page: Page,
    ) -> Result<Paged<Template>, StoreError> {
        let state = self.state();
        let mut passing: Vec<&Template> =
            state.templates.of(organization).filter(|it| passes(it, filter)).collect();
        let found = passing.len() as u64;
        if !filter.is_empty() {
            passing.truncate(MOST_FOUND);
        }
        let mut items: Vec<Template> = page.cut(passing).into_iter().cloned().collect();
        for template in &mut items {
            listed_text::cut_as_read(&mut template.content.body);
        }
        Ok(if filter.is_empty() {
            Paged::counted(items, page, found)
        } else {
            Paged::counted_up_to(MOST_FOUND as u64, items, page, found)
        })
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Result<Option<Template>, StoreError> {
        Ok(self.state().templates.find(organization, id).cloned())
    }

    async fn versions(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Result<Vec<TemplateVersion>, StoreError> {
        Ok(self.state().templates.versions(organization, id))
    }

    async fn insert(&self, template: &Template, written: &Written) -> Result<(), StoreError> {
        if self.state().templates.insert(template, written) {
            Ok(())
        } else {
            Err(StoreError::Conflict { constraint: "templates_pkey".to_owned() })
        }
    }

    async fn update(
        &self,
        present: &Template,
        edited: &Template,
        written: Option<Written>,
    ) -> Result<bool, StoreError> {
        Ok(self.state().templates.update(present, edited, written.as_ref()))
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
        _: &AuditEntry,
    ) -> Result<Deleted, StoreError> {
        let is_deleted = self.state().templates.delete(organization, id);
        Ok(if is_deleted { Deleted::Done } else { Deleted::Missing })
    }
}

/// True if a template passes a filter.
fn passes(template: &Template, filter: &TemplateFilter) -> bool {
    let TemplateFilter { search, status, channel, category } = filter;
    search.as_ref().is_none_or(|text| fold(&template.name).contains(&fold(text)))
        && status.is_none_or(|status| status == template.status)
        && channel.is_none_or(|channel| channel == template.content.channel)
        && category.is_none_or(|category| category == template.content.category)
}
