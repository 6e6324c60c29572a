//! What is recorded of deliveries, and how they are repeated.

use super::{WEBHOOK_ENDPOINT_INACTIVE, WebhookEndpoints};
use crate::Error;
use chrono::{DateTime, Utc};
use domain::{
    identity::{caller::Caller, permission::Permission},
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{
            DELIVERIES_KEPT, DeliveryRecord, DeliveryRecordFilter, WebhookEndpoint, recover_since,
        },
    },
};

/// How many deliveries one statement changes, so that none takes long.
const BATCH: usize = 5_000;
/// How many batches one request changes.
const BATCHES: usize = 20;

/// What came of having deliveries tried anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    /// How many are tried anew.
    pub deliveries: usize,
    /// Whether there are more, for another request.
    pub has_more: bool,
}

impl WebhookEndpoints {
    /// A page of the deliveries to an endpoint, newest first.
    pub async fn deliveries(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
        filter: DeliveryRecordFilter,
        page: Page,
    ) -> Result<Paged<DeliveryRecord>, Error> {
        caller.authorize(Permission::ReadIntegrations)?;
        let endpoint = self.find(caller, id).await?;
        let filter = filter.of_kept(self.deps().clock.now());
        Ok(self.deps().deliveries.page(endpoint.organization, endpoint.id, &filter, page).await?)
    }

    /// Has a delivery tried once more, whatever came of it.
    pub async fn retry(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
        delivery: Id<OutboundEvent>,
    ) -> Result<(), Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        self.find_for_repetition(caller, id).await?;
        let organization = caller.organization;
        let kept_since = self.deps().clock.now() - DELIVERIES_KEPT;
        if !self.deps().deliveries.retry(organization, id, delivery, kept_since).await? {
            return Err(Error::NotFound("delivery"));
        }
        self.deps().wakeup.wake(organization);
        Ok(())
    }

    /// Has the deliveries that failed since a time tried anew, the oldest first. `faults` is what is
    /// already known to be wrong.
    pub async fn recover(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
        since: Option<DateTime<Utc>>,
        faults: Faults,
    ) -> Result<Recovered, Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        let (organization, now) = (caller.organization, self.deps().clock.now());
        let since = faults.check(recover_since(since, now))?;
        self.find_for_repetition(caller, id).await?;
        let mut recovered = Recovered { deliveries: 0, has_more: true };
        for _ in 0..BATCHES {
            let deliveries = &self.deps().deliveries;
            let batch = deliveries.recover(organization, id, since, BATCH).await?;
            recovered.deliveries += batch;
            if batch > 0 {
                self.deps().wakeup.wake(organization);
            }
            if batch < BATCH {
                recovered.has_more = false;
                break;
            }
        }
        Ok(recovered)
    }

    /// Ends what is still to be delivered to an endpoint that is not active. Whether that is all.
    pub(super) async fn end_pending(&self, endpoint: &WebhookEndpoint) -> Result<bool, Error> {
        let (organization, id) = (endpoint.organization, endpoint.id);
        for _ in 0..BATCHES {
            if self.deps().deliveries.end_pending(organization, id, BATCH).await? < BATCH {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Nobody calls an endpoint that is not active, so nothing could come of it.
    async fn find_for_repetition(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
    ) -> Result<(), Error> {
        let endpoint = self.find(caller, id).await?;
        if endpoint.is_active { Ok(()) } else { Err(Error::Conflict(WEBHOOK_ENDPOINT_INACTIVE)) }
    }
}
