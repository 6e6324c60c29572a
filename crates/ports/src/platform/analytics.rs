//! Messages as figures.

use async_trait::async_trait;
use chrono::NaiveDate;
use domain::{
    identity::organization::Organization,
    platform::analytics::{Count, Period},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Tells how many messages there are from what is kept, and counts none.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AnalyticsRepository: Send + Sync {
    /// The live messages that were accepted from that day on, by period, channel and status.
    async fn counts(
        &self,
        organization: Id<Organization>,
        since: NaiveDate,
        period: Period,
    ) -> Result<Vec<Count>, StoreError>;
}
