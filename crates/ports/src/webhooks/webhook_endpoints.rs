//! Webhook endpoints, as organizations see and change them, and what is recorded of their deliveries.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{
            DeliveryRecord, DeliveryRecordFilter, WebhookEndpoint, WebhookEndpointUpdate,
            WebhookSecret,
        },
    },
};

use crate::shared::store::StoreError;

/// Keeps webhook endpoints.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookEndpointRepository: Send + Sync {
    /// Adds an endpoint, if there is room for it.
    async fn insert(&self, endpoint: &WebhookEndpoint) -> Result<EndpointWritten, StoreError>;

    /// The endpoints of an organization, newest first, with those that are deactivated.
    async fn list(
        &self,
        organization: Id<Organization>,
    ) -> Result<Vec<WebhookEndpoint>, StoreError>;

    /// One endpoint.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
    ) -> Result<Option<WebhookEndpoint>, StoreError>;

    /// Changes an endpoint. One that is activated again is told what happens from some time after
    /// `now`.
    async fn update(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
        update: &WebhookEndpointUpdate,
        now: DateTime<Utc>,
    ) -> Result<EndpointWritten, StoreError>;

    /// Gives an endpoint another secret. The one that it has signs too until then; one before that
    /// signs no more. None if there is no such endpoint.
    async fn rotate_secret(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
        secret: &WebhookSecret,
        until: DateTime<Utc>,
    ) -> Result<Option<WebhookEndpoint>, StoreError>;
}

/// What became of an endpoint that was to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointWritten {
    /// It is this now.
    Done(WebhookEndpoint),
    /// There is no such endpoint.
    NotFound,
    /// The organization has as many active endpoints as it may have.
    TooManyActive,
    /// The organization has as many endpoints as it may have.
    TooMany,
}

/// Knows what is recorded of deliveries, and has them repeated.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeliveryRecordRepository: Send + Sync {
    /// A page of the deliveries to an endpoint, newest first. The `body` in the data of each has the
    /// first [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters.
    async fn page(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        filter: &DeliveryRecordFilter,
        page: Page,
    ) -> Result<Paged<DeliveryRecord>, StoreError>;

    /// Has a delivery tried once more, now. False if there is none of what happened since then.
    async fn retry(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        id: Id<OutboundEvent>,
        since: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Has some of the failed deliveries since a time tried anew, now: the oldest, so many at the most.
    /// How many they are; none if the endpoint is not active.
    async fn recover(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        since: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Ends some of the deliveries to an endpoint that is not active: so many at the most. How many
    /// they are.
    async fn end_pending(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
