//! Templates.

use async_trait::async_trait;
use domain::{id::Id, organization::Organization, template::Template};

use crate::store::StoreError;

/// Keeps templates.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TemplateRepository: Send + Sync {
    /// Finds those of the templates that exist.
    async fn find_all(
        &self,
        organization: Id<Organization>,
        ids: &[Id<Template>],
    ) -> Result<Vec<Template>, StoreError>;
}
