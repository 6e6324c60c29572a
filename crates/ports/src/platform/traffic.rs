//! Traffic of organizations, and alerts about it.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{platform::traffic::TrafficRulesRepository, shared::store::StoreError};
//!
//! async fn is_stopped(
//!     traffic: &dyn TrafficRulesRepository,
//!     shop: Id<Organization>,
//! ) -> Result<bool, StoreError> {
//!     Ok(!traffic.rules(shop).await?.stops.is_empty())
//! }
//! ```

use async_trait::async_trait;
use domain::{
    identity::{
        organization::Organization,
        traffic::{CodeShare, Evidence, OperatorRange, TrafficAlert, TrafficRules, Windows},
    },
    platform::audit::AuditEntry,
    shared::{
        country::Country,
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Rules derived from the traffic of organizations, for the acceptance of messages.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TrafficRulesRepository: Send + Sync {
    /// Returns the traffic rules of an organization.
    async fn rules(&self, organization: Id<Organization>) -> Result<TrafficRules, StoreError>;
}

/// Outcomes of messages since the last write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrafficCounts {
    /// Numbers of codes with a known outcome and of those delivered, by organization and range.
    pub codes: Vec<(Id<Organization>, OperatorRange, CodeShare)>,
    /// Number of messages delivered, by organization and country.
    pub arrivals: Vec<(Id<Organization>, Country, u64)>,
}

impl TrafficCounts {
    /// Returns true if nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty() && self.arrivals.is_empty()
    }
}

/// Stores counts of traffic, and finds suspicious traffic.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TrafficWatchStore: Send + Sync {
    /// Adds to the counts of the current hour and day.
    async fn add(&self, counts: &TrafficCounts) -> Result<(), StoreError>;

    /// Claims the evaluation of the traffic. Returns false if an instance claimed it within the last
    /// minute.
    async fn begin_judging(&self) -> Result<bool, StoreError>;

    /// Returns at most `limit` pairs of organization and range with enough codes sent, and few enough of
    /// them delivered, in the windows to make the evidence worth reading; worst first.
    async fn suspects(
        &self,
        windows: Windows,
        limit: usize,
    ) -> Result<Vec<(Id<Organization>, OperatorRange)>, StoreError>;

    /// Returns the evidence about an organization's codes to a range.
    async fn evidence(
        &self,
        organization: Id<Organization>,
        range: OperatorRange,
        windows: Windows,
    ) -> Result<Evidence, StoreError>;

    /// Returns the newest alert about an organization and a range.
    async fn last_alert(
        &self,
        organization: Id<Organization>,
        range: OperatorRange,
    ) -> Result<Option<TrafficAlert>, StoreError>;

    /// Stores an alert, or updates the figures of the alert of the same day. In the same transaction it
    /// writes the notice of the owners of a new alert, and of one that stops traffic for the first time.
    async fn raise(&self, alert: &TrafficAlert) -> Result<(), StoreError>;
}

/// Reads alerts, as their organizations see them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TrafficAlertRepository: Send + Sync {
    /// Returns a page of the alerts of an organization, newest first.
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<TrafficAlert>, StoreError>;

    /// Finds an alert.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<TrafficAlert>,
    ) -> Result<Option<TrafficAlert>, StoreError>;

    /// Lifts the stop of an alert and writes `entry` to the audit log. Returns false if the stop is not
    /// active any more.
    async fn lift(&self, alert: &TrafficAlert, entry: &AuditEntry) -> Result<bool, StoreError>;
}
