//! The audit log.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    platform::audit::{AuditEntry, AuditFilter, AuditHead, AuditLine},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Keeps the audit logs of organizations, each a chain of hashes. What must not happen without its
/// line is written together with it, by the port of that.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Adds a line at the end of the chain of its organization.
    async fn record(&self, entry: &AuditEntry) -> Result<(), StoreError>;

    /// A page of lines, newest first.
    async fn page(&self, filter: &AuditFilter, page: Page) -> Result<Paged<AuditLine>, StoreError>;

    /// The organization with lines, or with a head, that comes after another one; the first one, if
    /// that is none.
    async fn organization_after(
        &self,
        last: Option<Id<Organization>>,
    ) -> Result<Option<Id<Organization>>, StoreError>;

    /// Where the chain of an organization begins and ends.
    async fn head(&self, organization: Id<Organization>) -> Result<Option<AuditHead>, StoreError>;

    /// The lines of an organization after the one of that number, in their order, so many at the
    /// most.
    async fn lines_after(
        &self,
        organization: Id<Organization>,
        sequence: u64,
        limit: usize,
    ) -> Result<Vec<AuditLine>, StoreError>;
}
