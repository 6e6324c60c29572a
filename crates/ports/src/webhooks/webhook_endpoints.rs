//! Webhook endpoints, as organizations see and change them, and the records of their deliveries.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{shared::store::StoreError, webhooks::webhook_endpoints::WebhookEndpointRepository};
//!
//! async fn active(
//!     endpoints: &dyn WebhookEndpointRepository,
//!     shop: Id<Organization>,
//! ) -> Result<usize, StoreError> {
//!     let endpoints = endpoints.list(shop).await?;
//!     Ok(endpoints.iter().filter(|endpoint| endpoint.is_active).count())
//! }
//! ```

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

/// Stores webhook endpoints.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookEndpointRepository: Send + Sync {
    /// Adds an endpoint, if the organization's limit on active ones allows it. Deactivated ones beyond
    /// their limit are removed, the oldest first.
    async fn insert(&self, endpoint: &WebhookEndpoint) -> Result<EndpointWritten, StoreError>;

    /// Returns the endpoints of an organization, deactivated ones included, newest first.
    async fn list(
        &self,
        organization: Id<Organization>,
    ) -> Result<Vec<WebhookEndpoint>, StoreError>;

    /// Finds an endpoint.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
    ) -> Result<Option<WebhookEndpoint>, StoreError>;

    /// Updates an endpoint. A reactivated endpoint receives the events that happen from some time after
    /// `now`.
    async fn update(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
        update: &WebhookEndpointUpdate,
        now: DateTime<Utc>,
    ) -> Result<EndpointWritten, StoreError>;

    /// Removes an endpoint. The records of its deliveries stay. Returns false if there is no such endpoint.
    async fn remove(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
    ) -> Result<bool, StoreError>;

    /// Replaces the signing secret of an endpoint. The current one stays valid until `until`, and an older
    /// one becomes invalid. `None` if there is no such endpoint.
    async fn rotate_secret(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
        secret: &WebhookSecret,
        until: DateTime<Utc>,
    ) -> Result<Option<WebhookEndpoint>, StoreError>;
}

/// Result of writing an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointWritten {
    /// Written; the endpoint as it is now.
    Done(WebhookEndpoint),
    /// The endpoint does not exist.
    NotFound,
    /// The organization has the maximum number of active endpoints.
    TooManyActive,
}

/// Reads delivery records, and schedules deliveries again.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeliveryRecordRepository: Send + Sync {
    /// Returns a page of the deliveries to an endpoint, newest first. The `body` in the data of each is cut
    /// to its first [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters.
    async fn page(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        filter: &DeliveryRecordFilter,
        page: Page,
    ) -> Result<Paged<DeliveryRecord>, StoreError>;

    /// Finds a delivery to an endpoint. The `body` in its data is cut as in a page.
    async fn find_record(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        id: Id<OutboundEvent>,
    ) -> Result<Option<DeliveryRecord>, StoreError>;

    /// Schedules a delivery for another attempt now. Returns false if there is no such delivery of an event
    /// since `since`.
    async fn retry(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        id: Id<OutboundEvent>,
        since: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Schedules at most `limit` failed deliveries of events since `since` again, oldest first. Returns
    /// their number; 0 if the endpoint is not active.
    async fn recover(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        since: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Ends at most `limit` pending deliveries to an inactive endpoint. Returns their number.
    async fn end_pending(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
