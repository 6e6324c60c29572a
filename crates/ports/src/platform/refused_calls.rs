//! Refused calls.
//!
//! ```
//! use domain::platform::refused_call::RefusedCall;
//! use ports::{platform::refused_calls::RefusedCallRepository, shared::store::StoreError};
//!
//! async fn keep(calls: &dyn RefusedCallRepository, call: RefusedCall) -> Result<(), StoreError> {
//!     calls.add(&[call]).await
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    platform::refused_call::{RefusedCall, RefusedCallFilter},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Stores refused calls. They are purged after [`KEPT`](domain::platform::refused_call::KEPT).
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RefusedCallRepository: Send + Sync {
    /// Adds calls. One that was added before is kept as it is.
    async fn add(&self, calls: &[RefusedCall]) -> Result<(), StoreError>;

    /// Returns up to `limit` calls of an organization since a time, newest first, older than
    /// `before`.
    async fn older(
        &self,
        organization: Id<Organization>,
        filter: &RefusedCallFilter,
        since: DateTime<Utc>,
        before: Option<Id<RefusedCall>>,
        limit: usize,
    ) -> Result<Vec<RefusedCall>, StoreError>;
}
