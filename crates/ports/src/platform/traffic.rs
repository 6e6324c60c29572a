//! Where messages go, and what is found out about that.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    platform::{
        audit::AuditEntry,
        traffic::{CodeShare, Evidence, OperatorRange, TrafficAlert, TrafficRules, Windows},
    },
    shared::{
        country::Country,
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// What was found out about the traffic of organizations, for those who accept messages.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TrafficRulesRepository: Send + Sync {
    /// What holds for an organization.
    async fn rules(&self, organization: Id<Organization>) -> Result<TrafficRules, StoreError>;

    /// The organizations for which something was stopped or lifted in the last minute, by the clock of
    /// the store.
    async fn changed_lately(&self) -> Result<Vec<Id<Organization>>, StoreError>;
}

/// What became of messages since somebody wrote it down last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrafficCounts {
    /// Codes whose end is known, by who sent them where.
    pub codes: Vec<(Id<Organization>, OperatorRange, CodeShare)>,
    /// How many messages arrived in which countries.
    pub arrivals: Vec<(Id<Organization>, Country, u64)>,
}

impl TrafficCounts {
    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty() && self.arrivals.is_empty()
    }
}

/// Keeps counts of traffic, and finds out with what something is wrong.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TrafficWatchStore: Send + Sync {
    /// Adds to the counts of the present hour and day.
    async fn add(&self, counts: &TrafficCounts) -> Result<(), StoreError>;

    /// Takes on to judge, if nobody has within the last minute.
    async fn begin_judging(&self) -> Result<bool, StoreError>;

    /// Who has sent enough codes to which range since a time, and had so few delivered, that the
    /// evidence is worth reading: the worst ones, so many at the most.
    async fn suspects(
        &self,
        windows: Windows,
        limit: usize,
    ) -> Result<Vec<(Id<Organization>, OperatorRange)>, StoreError>;

    /// What is known of the codes of an organization to a range.
    async fn evidence(
        &self,
        organization: Id<Organization>,
        range: OperatorRange,
        windows: Windows,
    ) -> Result<Evidence, StoreError>;

    /// The newest alert about an organization and a range.
    async fn last_alert(
        &self,
        organization: Id<Organization>,
        range: OperatorRange,
    ) -> Result<Option<TrafficAlert>, StoreError>;

    /// Keeps an alert, or the newer figures of the one about the same day. Its owners are to be told of
    /// a new one, and when it stops something for the first time.
    async fn raise(&self, alert: &TrafficAlert) -> Result<(), StoreError>;

    /// Alerts of which the owners are to be told: the oldest ones, so many at the most.
    async fn pending(&self, limit: usize) -> Result<Vec<TrafficAlert>, StoreError>;

    /// Notes that the owners know of an alert as it is.
    async fn mark_notified(&self, alert: &TrafficAlert) -> Result<(), StoreError>;
}

/// Alerts as their organizations see them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TrafficAlertRepository: Send + Sync {
    /// A page of the alerts of an organization, newest first.
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

    /// Lifts the stop of an alert, as the entry of the audit log says, if it is still on.
    async fn lift(&self, alert: &TrafficAlert, entry: &AuditEntry) -> Result<bool, StoreError>;
}
