//! Webhooks: who is told of what, and how.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    messaging::message::Message,
    shared::id::Id,
    webhooks::{
        outbound_event::WebhookEvents,
        webhook::{WebhookCall, WebhookCallResult},
    },
};
use thiserror::Error;

use crate::shared::store::StoreError;

/// Knows of what organizations are told.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookSubscriptions: Send + Sync {
    /// What the active endpoints of an organization are told, taken together.
    async fn subscribed_events(
        &self,
        organization: Id<Organization>,
    ) -> Result<WebhookEvents, StoreError>;

    /// The organizations whose endpoints changed in the last minute, by the clock of the store.
    async fn changed_lately(&self) -> Result<Vec<Id<Organization>>, StoreError>;
}

/// Shows what happened as the API shows it.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait EventViews: Send + Sync {
    /// The delivery log of a message, as JSON.
    fn delivery_log(&self, message: &Message) -> String;
}

/// Wakes those of this instance who call endpoints.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait WebhookWakeup: Send + Sync {
    /// Something is to be told to an organization.
    fn wake(&self, organization: Id<Organization>);
}

/// Calls endpoints.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookCaller: Send + Sync {
    /// Makes one call, signed. Nothing that a receiver answers but its status is read further than is
    /// needed, or kept.
    async fn call(&self, call: &WebhookCall) -> WebhookCallResult;
}

/// Knows which URLs may be those of endpoints.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookUrls: Send + Sync {
    /// Checks a URL that somebody of the organization wrote, and returns it as it is kept. A name that
    /// does not resolve now is taken: it is resolved, and looked at, for each connection.
    async fn check(&self, organization: Id<Organization>, url: &str) -> Result<String, UrlRefused>;
}

/// Why a URL may not be that of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UrlRefused {
    /// It cannot be read.
    #[error("is not a URL")]
    Invalid,
    /// It is longer than 2,048 characters.
    #[error("may have 2048 characters at the most")]
    TooLong,
    /// It has another scheme than `https`, or where that is allowed `http`.
    #[error("must be an https URL")]
    Scheme,
    /// It names a user or a password.
    #[error("may not hold a user name or password")]
    UserInfo,
    /// It names, or its name resolves to, an address that must not be called.
    #[error("leads to an address that is private, of this machine, or otherwise not public")]
    Address,
    /// Too many URLs of the organization are being checked to check it now.
    #[error("cannot be checked now: too many are being checked")]
    Busy,
}
