//! The audit log.
//!
//! ```
//! use domain::platform::audit::AuditEntry;
//! use ports::{platform::audit_log::AuditLog, shared::store::StoreError};
//!
//! async fn record(log: &dyn AuditLog, entry: &AuditEntry) -> Result<(), StoreError> {
//!     log.record(entry).await
//! }
//! ```

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

/// Stores the audit logs of organizations, each a chain of hashes. An action that must not happen without
/// its entry is written together with the entry, by the port of that action.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Appends an entry to the chain of its organization.
    async fn record(&self, entry: &AuditEntry) -> Result<(), StoreError>;

    /// Returns a page of entries, newest first.
    async fn page(&self, filter: &AuditFilter, page: Page) -> Result<Paged<AuditLine>, StoreError>;

    /// Returns the next organization after `last` that has entries or a chain head, or the first one if
    /// `last` is `None`.
    async fn organization_after(
        &self,
        last: Option<Id<Organization>>,
    ) -> Result<Option<Id<Organization>>, StoreError>;

    /// Returns the head of an organization's chain, with its begin and end.
    async fn head(&self, organization: Id<Organization>) -> Result<Option<AuditHead>, StoreError>;

    /// Returns at most `limit` entries of an organization after the one numbered `sequence`, in their
    /// order.
    async fn lines_after(
        &self,
        organization: Id<Organization>,
        sequence: u64,
        limit: usize,
    ) -> Result<Vec<AuditLine>, StoreError>;
}
