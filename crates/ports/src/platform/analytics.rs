//! Counts of messages.

use async_trait::async_trait;
use chrono::NaiveDate;
use domain::{
    identity::organization::Organization,
    platform::analytics::{Count, Period},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Reads stored counts of messages, without counting messages itself.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AnalyticsRepository: Send + Sync {
    /// Returns the counts of live messages accepted on or after `since`, by period, channel and status.
    async fn counts(
        &self,
        organization: Id<Organization>,
        since: NaiveDate,
        period: Period,
    ) -> Result<Vec<Count>, StoreError>;
}
