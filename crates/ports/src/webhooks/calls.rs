//! Webhooks: subscriptions, event payloads and calls of endpoints.
//!
//! ```
//! use domain::{
//!     identity::organization::Organization,
//!     shared::{id::Id, webhook_event::WebhookEvent},
//! };
//! use ports::{shared::store::StoreError, webhooks::calls::WebhookSubscriptions};
//!
//! async fn wants_it(
//!     subscriptions: &dyn WebhookSubscriptions,
//!     shop: Id<Organization>,
//! ) -> Result<bool, StoreError> {
//!     let events = subscriptions.subscribed_events(shop).await?;
//!     Ok(events.contain(WebhookEvent::WalletLow))
//! }
//! ```

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    messaging::message::Message,
    shared::{id::Id, webhook_event::WebhookEvents},
    webhooks::webhook::{WebhookCall, WebhookCallResult},
};
use thiserror::Error;

use crate::shared::store::StoreError;

/// Reads the events that organizations are subscribed to.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookSubscriptions: Send + Sync {
    /// Returns the events that any active endpoint of an organization is subscribed to.
    async fn subscribed_events(
        &self,
        organization: Id<Organization>,
    ) -> Result<WebhookEvents, StoreError>;
}

/// Renders event data in the format of the API.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait EventViews: Send + Sync {
    /// Returns the delivery log of a message as JSON.
    fn delivery_log(&self, message: Message) -> String;
}

/// Wakes the webhook workers of this instance.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait WebhookWakeup: Send + Sync {
    /// Signals that an organization has pending events.
    fn wake(&self, organization: Id<Organization>);
}

/// Calls webhook endpoints.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookCaller: Send + Sync {
    /// Makes one signed call. Of a response, only the status is kept, and no more is read than needed.
    async fn call(&self, call: &WebhookCall) -> WebhookCallResult;
}

/// Checks the URLs of endpoints.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookUrls: Send + Sync {
    /// Checks a URL that a member of the organization entered, and returns it in the form to be stored. A
    /// name that does not resolve now is accepted, because it is resolved and checked for each connection.
    async fn check(&self, organization: Id<Organization>, url: &str) -> Result<String, UrlRefused>;
}

/// Reason why a URL is refused for an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UrlRefused {
    /// The URL is invalid.
    #[error("is not a URL")]
    Invalid,
    /// The URL is longer than 2,048 characters.
    #[error("may have 2048 characters at the most")]
    TooLong,
    /// The URL has another scheme than `https`, or `http` where that is allowed.
    #[error("must be an https URL")]
    Scheme,
    /// The URL contains a user name or a password.
    #[error("may not hold a user name or password")]
    UserInfo,
    /// The URL names, or resolves to, an address that must not be called.
    #[error("leads to an address that is private, of this machine, or otherwise not public")]
    Address,
    /// Too many URLs of the organization are being checked at the moment.
    #[error("cannot be checked now: too many are being checked")]
    Busy,
}
