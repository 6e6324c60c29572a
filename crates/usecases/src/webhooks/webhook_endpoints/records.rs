//! Records of deliveries, and their repetition.

use super::{NOT_FOUND, WEBHOOK_ENDPOINT_INACTIVE, WebhookEndpoints};
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

/// Number of deliveries changed by one statement, so that none takes long.
const BATCH: usize = 5_000;
/// Maximum number of batches changed by one request.
const BATCHES: usize = 20;

/// Result of a recovery of deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    /// Number of deliveries that are tried again.
    pub deliveries: usize,
    /// True if more are left for another request.
    pub has_more: bool,
}

impl WebhookEndpoints {
    /// Returns a page of the deliveries to an endpoint, newest first.
    pub async fn deliveries(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
        filter: DeliveryRecordFilter,
        page: Page,
    ) -> Result<Paged<DeliveryRecord>, Error> {
        caller.authorize(Permission::ReadIntegrations)?;
        let (organization, now) = (caller.organization, self.deps().clock.now());
        let deliveries = &self.deps().deliveries;
        let kept = DeliveryRecordFilter::default().of_kept(now);
        // The deliveries to an endpoint stay when it is removed.
        if self.deps().endpoints.find(organization, id).await?.is_none()
            && deliveries.page(organization, id, &kept, Page::of_one()).await?.total == 0
        {
            return Err(NOT_FOUND);
        }
        Ok(deliveries.page(organization, id, &filter.of_kept(now), page).await?)
    }

    /// Returns a delivery to an endpoint. Fails if it is older than those that are shown.
    pub async fn delivery(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
        delivery: Id<OutboundEvent>,
    ) -> Result<DeliveryRecord, Error> {
        caller.authorize(Permission::ReadIntegrations)?;
        let found = self.deps().deliveries.find_record(caller.organization, id, delivery).await?;
        let kept_since = self.deps().clock.now() - DELIVERIES_KEPT;
        let kept = found.filter(|record| record.event.at >= kept_since);
        kept.ok_or(Error::NotFound("delivery"))
    }

    /// Schedules a delivery once more, whatever its outcome.
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

    /// Schedules the deliveries that failed since a time again, oldest first. `faults` holds the
    /// faults found so far.
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

    /// Ends the pending deliveries of an inactive endpoint. Returns true if none is left.
    pub(super) async fn end_pending(&self, endpoint: &WebhookEndpoint) -> Result<bool, Error> {
        let (organization, id) = (endpoint.organization, endpoint.id);
        for _ in 0..BATCHES {
            if self.deps().deliveries.end_pending(organization, id, BATCH).await? < BATCH {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Fails if the endpoint is not active: it is not called, so a repetition would have no effect.
    async fn find_for_repetition(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
    ) -> Result<(), Error> {
        let endpoint = self.find(caller, id).await?;
        if endpoint.is_active { Ok(()) } else { Err(Error::Conflict(WEBHOOK_ENDPOINT_INACTIVE)) }
    }
}
