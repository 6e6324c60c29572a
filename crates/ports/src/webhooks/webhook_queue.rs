//! Queue of deliveries to webhook endpoints: leases and results.
//!
//! ```
//! use ports::{
//!     shared::store::StoreError,
//!     webhooks::webhook_queue::{EndpointLook, WebhookQueue},
//! };
//!
//! async fn first(queue: &dyn WebhookQueue) -> Result<EndpointLook, StoreError> {
//!     queue.look(None).await
//! }
//! ```

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    shared::{id::Id, trace::TraceContext},
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{
            CallFailure, Deactivation, Failing, PreviousSecret, WebhookEndpoint, WebhookSecret,
        },
    },
};

use crate::shared::store::StoreError;

/// Key of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointKey {
    /// Organization that owns the endpoint.
    pub organization: Id<Organization>,
    /// Identifier of the endpoint.
    pub endpoint: Id<WebhookEndpoint>,
}

/// Result of a scan of the endpoints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndpointLook {
    /// Endpoints with due deliveries, leased from now on.
    pub leased: Vec<EndpointKey>,
    /// Endpoint after which the next scan begins; `None` if this one reached the end.
    pub next: Option<EndpointKey>,
}

/// Request for the due deliveries of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueRequest {
    /// Key of the endpoint.
    pub key: EndpointKey,
    /// Maximum number of deliveries.
    pub wanted: usize,
    /// Deliveries that are in flight already.
    pub in_flight: Vec<Id<OutboundEvent>>,
    /// Time since which deliveries may be due; `None` for any time.
    pub since: Option<DateTime<Utc>>,
}

/// Due deliveries of a leased endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDeliveries {
    /// Key of the endpoint.
    pub key: EndpointKey,
    /// Endpoint to call; `None` if it is no longer leased or no longer receives events.
    pub endpoint: Option<CalledEndpoint>,
    /// Due deliveries, in their order.
    pub due: Vec<DueDelivery>,
    /// True if there may be more.
    pub has_more: bool,
    /// Time before which no delivery was due, in flight or not.
    pub none_before: DateTime<Utc>,
}

/// Call parameters of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledEndpoint {
    /// URL of the endpoint.
    pub url: String,
    /// Current signing secret.
    pub secret: WebhookSecret,
    /// Previous signing secret, while it is still valid.
    pub previous_secret: Option<PreviousSecret>,
    /// Period in which every call failed; `None` if the last one succeeded.
    pub failing: Option<Failing>,
}

/// Due delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// Event to deliver. Its identifier is that of the delivery.
    pub event: Arc<OutboundEvent>,
    /// Number of earlier attempts.
    pub attempts: u16,
    /// Time since which it is due.
    pub due_at: DateTime<Utc>,
    /// Span of the message that the event reports on; `None` if its trace is not exported.
    pub trace: Option<TraceContext>,
}

/// Delivery that was just written with its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshDelivery {
    /// Key of the endpoint.
    pub key: EndpointKey,
    /// The delivery, as a read would return it.
    pub delivery: DueDelivery,
    /// True if no event with the same subject was published before.
    pub is_first: bool,
}

/// Result of a delivery attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// Key of the endpoint.
    pub key: EndpointKey,
    /// Identifier of the delivery.
    pub id: Id<OutboundEvent>,
    /// Number of earlier attempts.
    pub earlier: u16,
    /// Time of the attempt.
    pub at: DateTime<Utc>,
    /// Status code of the response; `None` if there was none.
    pub status_code: Option<u16>,
    /// Reason why there was no response; `None` if there was one.
    pub failure: Option<CallFailure>,
    /// Duration of the call.
    pub took: TimeDelta,
    /// Next step for the delivery.
    pub next: AfterAttempt,
}

/// Next step after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterAttempt {
    /// None: the delivery succeeded.
    Delivered,
    /// Another attempt after this time.
    Retry(TimeDelta),
    /// None: the delivery failed.
    Failed,
}

/// Change of an endpoint's state after attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointChange {
    /// Key of the endpoint.
    pub key: EndpointKey,
    /// True if a call succeeded: earlier failures and their notice are cleared.
    pub has_succeeded: bool,
    /// Time since which every call has failed; `None` if the last one succeeded.
    pub failing_since: Option<DateTime<Utc>>,
    /// Reason for the deactivation of the endpoint; `None` if it stays active.
    pub deactivation: Option<Deactivation>,
}

/// Takes deliveries that this process has just written, so that they are not read back.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait FreshDeliveries: Send + Sync {
    /// Takes deliveries whose transaction is committed. Those of one subject must come in the order
    /// of their events. A delivery that is not sent from memory is read like any other.
    fn hand_over(&self, written: Vec<FreshDelivery>);
}

/// Queue of endpoints with due deliveries. One instance at a time leases an endpoint.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookQueue: Send + Sync {
    /// Scans the endpoints after `after`, and leases those that have due deliveries and no lease. Fails the
    /// deliveries that wait for endpoints that no longer receive events.
    async fn look(&self, after: Option<EndpointKey>) -> Result<EndpointLook, StoreError>;

    /// Does the same for the endpoints of these organizations.
    async fn lease_of(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<Vec<EndpointKey>, StoreError>;

    /// Reads the due deliveries of leased endpoints.
    async fn due(&self, requests: &[DueRequest]) -> Result<Vec<DueDeliveries>, StoreError>;

    /// Records attempts. An attempt that was recorded before, or by another instance, changes nothing.
    async fn record(
        &self,
        attempts: &[DeliveryAttempt],
        changes: &[EndpointChange],
    ) -> Result<(), StoreError>;

    /// Renews the leases of all leased endpoints. To be called every few minutes.
    async fn renew(&self) -> Result<(), StoreError>;

    /// Releases endpoints.
    async fn give_back(&self, endpoints: &[EndpointKey]) -> Result<(), StoreError>;

    /// Releases all leased endpoints.
    async fn give_all_back(&self) -> Result<(), StoreError>;
}
