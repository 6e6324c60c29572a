//! Bounds on the amounts that organizations store.

use std::sync::Arc;

use domain::{
    identity::organization::{Holding, HoldingFull, Holdings, Organization},
    shared::id::Id,
};
use ports::platform::organization_limits::UsageRepository;

use crate::{Error, Reason};

/// Holdings that a request for the approval of a text adds to.
pub const OF_APPROVALS: [Holding; 2] = [Holding::PendingApprovals, Holding::DailyApprovals];

/// Bounds on holdings. Concurrent requests can exceed a bound together, by their number.
#[derive(Clone)]
pub struct Bounds(Option<Arc<dyn UsageRepository>>);

impl Bounds {
    /// Creates bounds that nothing reaches.
    pub fn none() -> Self {
        Self(None)
    }

    /// Creates bounds over the counts in `usage`.
    pub fn new(usage: Arc<dyn UsageRepository>) -> Self {
        Self(Some(usage))
    }

    /// Fails if the organization has reached the bound of one of these holdings.
    pub async fn find_room(
        &self,
        organization: Id<Organization>,
        wanted: &[Holding],
    ) -> Result<(), Error> {
        let Some(usage) = self.0.as_ref().filter(|_| !wanted.is_empty()) else { return Ok(()) };
        let holdings = usage.holdings(organization).await?;
        holdings.have_room(wanted).map_err(limit_reached)
    }

    /// Returns the amounts that the organization stores; all zero if they are not counted.
    pub async fn holdings(&self, organization: Id<Organization>) -> Result<Holdings, Error> {
        match &self.0 {
            Some(usage) => Ok(usage.holdings(organization).await?),
            None => Ok(Holdings::default()),
        }
    }
}

/// The organization has reached the bound of a holding.
pub fn limit_reached(full: HoldingFull) -> Error {
    let message = if full.grows {
        format!("{full}; there may be more once it has paid for the first time")
    } else {
        full.to_string()
    };
    let reason = Reason::with_message(full.holding.code(), message);
    Error::Conflict(reason.about("limit", full.limit.to_string()))
}

#[cfg(test)]
mod tests {
    use ports::shared::mock::MockUsageRepository;

    use super::*;
    use crate::shared::fixtures::tenant;

    fn bounds(holdings: Holdings) -> Bounds {
        let mut usage = MockUsageRepository::new();
        usage.expect_holdings().returning(move |_| Ok(holdings));
        Bounds::new(Arc::new(usage))
    }

    #[tokio::test]
    async fn a_reached_bound_is_refused_with_name_and_limit() {
        let full = bounds(Holdings { templates: 200, ..Holdings::default() });

        let refused = full.find_room(tenant(), &[Holding::Templates]).await.unwrap_err();

        assert_eq!(refused.code(), "TEMPLATE_LIMIT_REACHED");
        let reason = refused.reason().unwrap();
        assert_eq!(reason.details, [("limit", "200".to_owned())]);
        assert!(reason.message.ends_with("once it has paid for the first time"), "{reason}");
        full.find_room(tenant(), &[Holding::Contacts]).await.unwrap();
    }

    #[tokio::test]
    async fn an_empty_request_counts_nothing() {
        let uncounted = Bounds::new(Arc::new(MockUsageRepository::new()));
        uncounted.find_room(tenant(), &[]).await.unwrap();
    }
}
