//! Templates.
//!
//! ```
//! use domain::{content::template::Template, identity::organization::Organization, shared::id::Id};
//! use ports::{content::templates::TemplateRepository, shared::store::StoreError};
//!
//! async fn text(
//!     templates: &dyn TemplateRepository,
//!     shop: Id<Organization>,
//!     id: Id<Template>,
//! ) -> Result<Option<String>, StoreError> {
//!     let found = templates.find(shop, id).await?;
//!     Ok(found.map(|template| template.content.body))
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    content::{
        approval::Approval,
        template::{Template, TemplateFilter, TemplateText, TemplateUses, TemplateVersion},
    },
    identity::{organization::Organization, user::User},
    platform::audit::AuditEntry,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Stores templates.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TemplateRepository: Send + Sync {
    /// Finds the texts of the templates that exist among `ids`.
    async fn find_all(
        &self,
        organization: Id<Organization>,
        ids: &[Id<Template>],
    ) -> Result<Vec<TemplateText>, StoreError>;

    /// Returns a page of those of the organization's templates that pass `filter`, newest first. Each text
    /// is cut to its first [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters.
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &TemplateFilter,
        page: Page,
    ) -> Result<Paged<Template>, StoreError>;

    /// Finds a template.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Result<Option<Template>, StoreError>;

    /// Returns the stored versions of a template, newest first.
    async fn versions(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Result<Vec<TemplateVersion>, StoreError>;

    /// Adds a template with its first version, and requests the approval that it needs.
    async fn insert(&self, template: &Template, written: &Written) -> Result<(), StoreError>;

    /// Changes a template from `present` to `edited`. Returns false if it has changed otherwise meanwhile.
    /// With a new version (`written`), the pending approval of the old version is withdrawn and the
    /// approval that the new version needs is requested.
    async fn update(
        &self,
        present: &Template,
        edited: &Template,
        written: Option<Written>,
    ) -> Result<bool, StoreError>;

    /// Deletes a template with its versions, unless an event or an unsent campaign needs it. Its pending
    /// approval is withdrawn, and `entry` is added to the audit log, all or nothing. The name is kept for
    /// the messages that were made of it.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
        entry: &AuditEntry,
    ) -> Result<Deleted, StoreError>;
}

/// Result of deleting a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deleted {
    /// Deleted.
    Done,
    /// The template does not exist.
    Missing,
    /// Events or campaigns need it.
    InUse(TemplateUses),
}

/// Metadata of a template version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Author of the version.
    pub by: Id<User>,
    /// Time of writing.
    pub at: DateTime<Utc>,
    /// SHA-256 of the content.
    pub hash: [u8; 32],
    /// Approval that the version needs; `None` if it needs none.
    pub approval: Option<Approval>,
}
