//! Webhook endpoints: addresses to which events of organizations are published.
//!
//! ```
//! use domain::webhooks::webhook::WebhookSecret;
//!
//! assert!(WebhookSecret::new(&[7; 32]).expose().starts_with("whsec_"));
//! ```

mod address;
mod breaker;
mod call;
mod failing;
mod pace;
mod record;
mod request;
mod schedule;
mod secret;

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};

pub use self::{
    address::AddressClass,
    breaker::EndpointBreaker,
    call::{CallFailure, CallOutcome, WebhookCall, WebhookCallResult},
    failing::{DEACTIVATED_AFTER, Failing, NOTICE_AFTER},
    pace::Pace,
    record::{
        DELIVERIES_KEPT, DeliveryChange, DeliveryRecord, DeliveryRecordFilter,
        DeliveryRecordStatus, recover_since,
    },
    request::{
        MAX_ACTIVE_ENDPOINTS, MAX_INACTIVE_ENDPOINTS, WebhookEndpointRequest, WebhookEndpointUpdate,
    },
    schedule::next_attempt,
};
use crate::{
    identity::organization::Organization,
    shared::{
        id::Id,
        webhook_event::{WebhookEvent, WebhookEvents},
    },
};

/// Time from the creation of an endpoint to its first events: by then every instance has loaded it.
pub const BEGINS_AFTER: TimeDelta = TimeDelta::seconds(1);
/// Time for which the previous secret also signs calls.
pub const ROTATION: TimeDelta = TimeDelta::hours(24);

/// An address to which events of an organization are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookEndpoint {
    /// Identifier of the endpoint.
    pub id: Id<WebhookEndpoint>,
    /// Organization that it belongs to.
    pub organization: Id<Organization>,
    /// URL that is called.
    pub url: String,
    /// Subscribed events; `None` for all, including future kinds.
    pub events: Option<Vec<WebhookEvent>>,
    /// True if events are published to it.
    pub is_active: bool,
    /// Reason for which the service deactivated it; `None` if it is active or was deactivated by a user.
    pub deactivation: Option<Deactivation>,
    /// Secret that signs calls.
    pub secret: WebhookSecret,
    /// Previous secret, which also signs calls for some time.
    pub previous_secret: Option<PreviousSecret>,
    /// Start of the present series of failed calls; `None` if the last call succeeded.
    pub failing_since: Option<DateTime<Utc>>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

impl WebhookEndpoint {
    /// Returns the events that it is subscribed to.
    pub fn subscribed_events(&self) -> WebhookEvents {
        match &self.events {
            None => WebhookEvents::ALL,
            Some(events) => events.iter().copied().collect(),
        }
    }

    /// Returns the secrets that sign calls at `now`, the present one first.
    pub fn secrets(&self, now: DateTime<Utc>) -> Vec<WebhookSecret> {
        let previous = self.previous_secret.as_ref().filter(|previous| now < previous.until);
        let previous = previous.map(|previous| previous.secret.clone());
        [Some(self.secret.clone()), previous].into_iter().flatten().collect()
    }
}

/// A secret that signs calls: `whsec_` and the base64 of 24 bytes. Debug output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

impl WebhookSecret {
    /// Returns the secret with this stored text.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the text of the secret.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

/// The secret before the present one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousSecret {
    /// The secret.
    pub secret: WebhookSecret,
    /// Time until which it signs calls.
    pub until: DateTime<Utc>,
}

crate::closed_list! {
    /// Reason for which the service deactivated an endpoint.
    pub enum Deactivation {
        /// It answered 410 and is gone for good.
        Gone = "GONE",
        /// Calls failed for five days.
        Failing = "FAILING",
    }
    impl FromStr else "is not a reason for deactivating an endpoint";
}
