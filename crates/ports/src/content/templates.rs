//! Templates.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    content::{
        approval::Approval,
        template::{Template, TemplateText, TemplateVersion},
    },
    identity::{organization::Organization, user::User},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Keeps templates.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TemplateRepository: Send + Sync {
    /// Finds the texts of those of the templates that exist.
    async fn find_all(
        &self,
        organization: Id<Organization>,
        ids: &[Id<Template>],
    ) -> Result<Vec<TemplateText>, StoreError>;

    /// A page of the organization's templates, newest first. Of each text it has the first
    /// [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters.
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<Template>, StoreError>;

    /// Finds a template.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Result<Option<Template>, StoreError>;

    /// The versions of a template that are kept, newest first.
    async fn versions(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Result<Vec<TemplateVersion>, StoreError>;

    /// Adds a template with its first version, and asks for the approval that it needs.
    async fn insert(&self, template: &Template, written: &Written) -> Result<(), StoreError>;

    /// Changes a template from `present` to `edited`; false if it was changed otherwise meanwhile. With
    /// a new version goes what was written: the approval that the old one waits for is withdrawn, and
    /// the one that the new one needs is asked for.
    async fn update(
        &self,
        present: &Template,
        edited: &Template,
        written: Option<Written>,
    ) -> Result<bool, StoreError>;
}

/// What is kept of the writing of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Who wrote it.
    pub by: Id<User>,
    /// When.
    pub at: DateTime<Utc>,
    /// The SHA-256 of what it says.
    pub hash: [u8; 32],
    /// The approval that it needs.
    pub approval: Option<Approval>,
}
