//! Webhooks: addresses at which organizations are told what happened.

mod address;
mod breaker;
mod call;
mod example;
mod failing;
mod pace;
mod record;
mod request;
mod schedule;
mod secret;

use std::{fmt, str::FromStr};

use chrono::{DateTime, TimeDelta, Utc};

pub use self::{
    address::AddressClass,
    breaker::EndpointBreaker,
    call::{CallFailure, CallOutcome, WebhookCall, WebhookCallResult},
    example::{example_campaign, example_message, example_opt_out},
    failing::{DEACTIVATED_AFTER, Failing, NOTICE_AFTER},
    pace::Pace,
    record::{
        DELIVERIES_KEPT, DeliveryRecord, DeliveryRecordFilter, DeliveryRecordStatus, recover_since,
    },
    request::{MAX_ACTIVE_ENDPOINTS, MAX_ENDPOINTS, WebhookEndpointRequest, WebhookEndpointUpdate},
    schedule::next_attempt,
};
use crate::{
    identity::organization::Organization,
    shared::id::Id,
    webhooks::outbound_event::{WebhookEvent, WebhookEvents},
};

/// An endpoint is told what happens from so long after it was made: by then every instance knows of it.
pub const BEGINS_AFTER: TimeDelta = TimeDelta::seconds(1);
/// For how long the secret before the present one signs too.
pub const ROTATION: TimeDelta = TimeDelta::hours(24);

/// An address at which an organization is told what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookEndpoint {
    /// Which one this is.
    pub id: Id<WebhookEndpoint>,
    /// Whose it is.
    pub organization: Id<Organization>,
    /// Where it is called.
    pub url: String,
    /// What it is told; `None` is everything, also what comes to be told later.
    pub events: Option<Vec<WebhookEvent>>,
    /// Whether it is told anything.
    pub is_active: bool,
    /// Why it is told nothing any more, if it is not because somebody wanted so.
    pub deactivation: Option<Deactivation>,
    /// What signs.
    pub secret: WebhookSecret,
    /// What signs too, for some time.
    pub previous_secret: Option<PreviousSecret>,
    /// Since when every call has failed, if the last one did.
    pub failing_since: Option<DateTime<Utc>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl WebhookEndpoint {
    /// The events that it is told.
    pub fn subscribed_events(&self) -> WebhookEvents {
        match &self.events {
            None => WebhookEvents::ALL,
            Some(events) => events.iter().copied().collect(),
        }
    }

    /// The secrets that sign at `now`, the present one first.
    pub fn secrets(&self, now: DateTime<Utc>) -> Vec<WebhookSecret> {
        let previous = self.previous_secret.as_ref().filter(|previous| now < previous.until);
        let previous = previous.map(|previous| previous.secret.clone());
        [Some(self.secret.clone()), previous].into_iter().flatten().collect()
    }
}

/// What calls are signed with: `whsec_` and the base64 of 24 bytes. It does not show itself.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

impl WebhookSecret {
    /// A secret as it was made.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// The secret itself.
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
    /// Until when it signs.
    pub until: DateTime<Utc>,
}

/// Why the service deactivated an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deactivation {
    /// It answered 410: it is gone for good.
    Gone,
    /// Calls failed for five days.
    Failing,
}

impl Deactivation {
    /// Every reason.
    pub const ALL: [Self; 2] = [Self::Gone, Self::Failing];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "GONE",
            Self::Failing => "FAILING",
        }
    }
}

/// The text is no reason of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a reason for deactivating an endpoint")]
pub struct UnknownDeactivation;

impl FromStr for Deactivation {
    type Err = UnknownDeactivation;

    fn from_str(text: &str) -> Result<Self, UnknownDeactivation> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text).ok_or(UnknownDeactivation)
    }
}
