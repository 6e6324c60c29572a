//! What is to be told to webhook endpoints: who calls them, and what came of it.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    shared::id::Id,
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{
            CallFailure, Deactivation, Failing, PreviousSecret, WebhookEndpoint, WebhookSecret,
        },
    },
};

use crate::shared::store::StoreError;

/// An endpoint, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointKey {
    /// Whose it is.
    pub organization: Id<Organization>,
    /// Which one it is.
    pub endpoint: Id<WebhookEndpoint>,
}

/// What a look at the endpoints found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndpointLook {
    /// Those that have something due and are in our hands from now on.
    pub leased: Vec<EndpointKey>,
    /// After which one the next look begins; none if this one came to the end.
    pub next: Option<EndpointKey>,
}

/// What is asked for of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueRequest {
    /// Of which one.
    pub key: EndpointKey,
    /// How many deliveries at the most.
    pub wanted: usize,
    /// Those that are in our hands already.
    pub in_flight: Vec<Id<OutboundEvent>>,
    /// Since when deliveries may be due; none is any time.
    pub since: Option<DateTime<Utc>>,
}

/// An endpoint in our hands, and what is due to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDeliveries {
    /// Which one it is.
    pub key: EndpointKey,
    /// How it is called. None if it is not in our hands any more, or is told nothing any more.
    pub endpoint: Option<CalledEndpoint>,
    /// What is due, in its order.
    pub due: Vec<DueDelivery>,
    /// Whether there may be more.
    pub has_more: bool,
    /// Before that nothing was due, in our hands or not.
    pub none_before: DateTime<Utc>,
}

/// How an endpoint is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledEndpoint {
    /// Where.
    pub url: String,
    /// What signs.
    pub secret: WebhookSecret,
    /// What signs too, for some time.
    pub previous_secret: Option<PreviousSecret>,
    /// The time in which no call succeeded, if the last one did not.
    pub failing: Option<Failing>,
}

/// Something that is to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// What. It has the identifier of the delivery.
    pub event: Arc<OutboundEvent>,
    /// How often that was tried.
    pub attempts: u16,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// Of which endpoint.
    pub key: EndpointKey,
    /// Of which delivery.
    pub id: Id<OutboundEvent>,
    /// How many attempts came before.
    pub earlier: u16,
    /// When it was made.
    pub at: DateTime<Utc>,
    /// What the receiver answered.
    pub status_code: Option<u16>,
    /// Why it did not answer.
    pub failure: Option<CallFailure>,
    /// How long that took.
    pub took: TimeDelta,
    /// What follows.
    pub next: AfterAttempt,
}

/// What follows an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterAttempt {
    /// Nothing: it is delivered.
    Delivered,
    /// Another one, in so long.
    Retry(TimeDelta),
    /// Nothing: it has failed.
    Failed,
}

/// What attempts say of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointChange {
    /// Which one it is.
    pub key: EndpointKey,
    /// Whether a call succeeded: what came before that, with its notice, is forgotten.
    pub has_succeeded: bool,
    /// Since when every call has failed, if the last one did.
    pub failing_since: Option<DateTime<Utc>>,
    /// Why it is told nothing any more, if so.
    pub deactivation: Option<Deactivation>,
}

/// Hands out endpoints to which something is due, and what that is. An endpoint is in the hands of one
/// instance at a time.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookQueue: Send + Sync {
    /// Walks on from one endpoint to the next, and takes those to which something is due and that are in
    /// nobody's hands. What waits for endpoints that are told nothing any more has failed.
    async fn look(&self, after: Option<EndpointKey>) -> Result<EndpointLook, StoreError>;

    /// The same for the endpoints of organizations.
    async fn lease_of(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<Vec<EndpointKey>, StoreError>;

    /// Reads what is due to endpoints in our hands.
    async fn due(&self, requests: &[DueRequest]) -> Result<Vec<DueDeliveries>, StoreError>;

    /// Writes attempts down. One that was written before, or by somebody else, changes nothing.
    async fn record(
        &self,
        attempts: &[DeliveryAttempt],
        changes: &[EndpointChange],
    ) -> Result<(), StoreError>;

    /// Keeps all endpoints in our hands. To be called every few minutes.
    async fn renew(&self) -> Result<(), StoreError>;

    /// Gives endpoints back.
    async fn give_back(&self, endpoints: &[EndpointKey]) -> Result<(), StoreError>;

    /// Gives all endpoints back.
    async fn give_all_back(&self) -> Result<(), StoreError>;
}

/// An endpoint of which its owners are to be told that it fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingEndpoint {
    /// Which one it is.
    pub key: EndpointKey,
    /// Where it is called.
    pub url: String,
    /// Since when every call has failed.
    pub since: DateTime<Utc>,
}

/// Knows of which endpoints every call fails.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait FailingEndpoints: Send + Sync {
    /// Active endpoints that have failed since `until` at the latest, and whose owners were not told,
    /// the longest ones first.
    async fn pending(
        &self,
        until: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<FailingEndpoint>, StoreError>;

    /// Notes that the owners were told at `at`, if the endpoint fails since the same time as yet.
    async fn mark_notified(
        &self,
        endpoint: &FailingEndpoint,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError>;
}
