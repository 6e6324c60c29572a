//! Counts of messages.
//!
//! ```
//! use chrono::NaiveDate;
//! use domain::{
//!     identity::organization::Organization,
//!     platform::analytics::{Figures, Period},
//!     shared::id::Id,
//! };
//! use ports::{platform::analytics::AnalyticsRepository, shared::store::StoreError};
//!
//! async fn sent(
//!     analytics: &dyn AnalyticsRepository,
//!     shop: Id<Organization>,
//!     since: NaiveDate,
//! ) -> Result<u64, StoreError> {
//!     let counts = analytics.counts(shop, since, Period::Day).await?;
//!     Ok(Figures::of(&counts).sent)
//! }
//! ```

use async_trait::async_trait;
use chrono::NaiveDate;
use domain::{
    identity::organization::Organization,
    platform::{
        analytics::{Count, Period},
        message_figures::{FiguresQuery, MessageFigure},
    },
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

    /// Returns the figures of live messages, oldest first, by interval and value, with the names of
    /// campaigns, events and templates that still exist. Values beyond those with the most messages
    /// are one.
    async fn figures(
        &self,
        organization: Id<Organization>,
        query: &FiguresQuery,
    ) -> Result<Vec<MessageFigure>, StoreError>;
}
