//! Due deliveries to webhook endpoints: leases, calls and results.

mod due;
mod failing;
mod look;
mod record;

use async_trait::async_trait;
use domain::{identity::organization::Organization, messaging::job::Lease, shared::id::Id};
use ports::{
    shared::store::StoreError,
    webhooks::webhook_queue::{
        DeliveryAttempt, DueDeliveries, DueRequest, EndpointChange, EndpointKey, EndpointLook,
        WebhookQueue,
    },
};
use uuid::Uuid;

use crate::shared::{
    database::{instance::PgInstance, session::PgStore},
    query::sql::sql,
};

/// Queue that leases endpoints to one instance, all under one lease.
#[derive(Clone)]
pub struct PgWebhookQueue {
    store: PgStore,
    lease: Lease,
}

impl PgWebhookQueue {
    /// Creates the queue of `instance`. `store` is one for writers.
    pub fn new(store: PgStore, instance: &PgInstance) -> Self {
        Self { store, lease: instance.lease() }
    }
}

#[async_trait]
impl WebhookQueue for PgWebhookQueue {
    async fn look(&self, after: Option<EndpointKey>) -> Result<EndpointLook, StoreError> {
        self.look_after(after).await
    }

    async fn lease_of(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<Vec<EndpointKey>, StoreError> {
        self.lease_due(organizations).await
    }

    async fn due(&self, requests: &[DueRequest]) -> Result<Vec<DueDeliveries>, StoreError> {
        self.read_due(requests).await
    }

    async fn record(
        &self,
        attempts: &[DeliveryAttempt],
        changes: &[EndpointChange],
    ) -> Result<(), StoreError> {
        self.write(attempts, changes).await
    }

    async fn renew(&self) -> Result<(), StoreError> {
        let renew = sql!(
            "UPDATE webhook_endpoints SET leased_until = clock_timestamp() + interval '10 minutes' \
             WHERE lease = {lease}",
            lease = self.lease.0,
        );
        renew.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }

    async fn give_back(&self, endpoints: &[EndpointKey]) -> Result<(), StoreError> {
        let (organizations, endpoints) = columns(endpoints);
        let give = sql!(
            "UPDATE webhook_endpoints endpoint SET lease = NULL, leased_until = NULL \
             FROM UNNEST({organizations}::uuid[], {endpoints}::uuid[]) \
                AS given (organization_id, id) \
             WHERE endpoint.organization_id = ANY(ARRAY[given.organization_id]) \
                AND endpoint.id = ANY(ARRAY[given.id]) AND endpoint.lease = {lease}",
            organizations = organizations,
            endpoints = endpoints,
            lease = self.lease.0,
        );
        give.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }

    async fn give_all_back(&self) -> Result<(), StoreError> {
        let give = sql!(
            "UPDATE webhook_endpoints SET lease = NULL, leased_until = NULL WHERE lease = {lease}",
            lease = self.lease.0,
        );
        give.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }
}

/// Returns the organizations and the identifiers of endpoints as columns.
fn columns(keys: &[EndpointKey]) -> (Vec<Uuid>, Vec<Uuid>) {
    keys.iter().map(|key| (key.organization.uuid(), key.endpoint.uuid())).unzip()
}

fn key(organization: Uuid, endpoint: Uuid) -> EndpointKey {
    EndpointKey { organization: Id::of(organization), endpoint: Id::of(endpoint) }
}
