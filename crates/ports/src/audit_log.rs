//! The audit log.

use async_trait::async_trait;
use domain::audit::AuditEntry;

use crate::store::StoreError;

/// Keeps the audit logs of organizations. What must not happen without its line is written together
/// with it, by the port of that.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Adds a line.
    async fn record(&self, entry: &AuditEntry) -> Result<(), StoreError>;
}
