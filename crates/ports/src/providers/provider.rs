//! Messaging providers.
//!
//! ```
//! use async_trait::async_trait;
//! use domain::{
//!     messaging::{
//!         message::Message,
//!         outcome::{FollowUp, LookUp, Outcome},
//!     },
//!     providers::provider::{Check, CheckStatus},
//! };
//! use ports::providers::provider::MessagingProvider;
//!
//! /// Provider that prints its messages.
//! struct Console;
//!
//! #[async_trait]
//! impl MessagingProvider for Console {
//!     async fn send(&self, message: &Message) -> Outcome {
//!         println!("To {}: {}", message.draft.recipient, message.draft.body);
//!         Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing }
//!     }
//!
//!     async fn look_up(&self, _message: &Message) -> LookUp {
//!         LookUp::Unavailable
//!     }
//!
//!     async fn check(&self) -> Check {
//!         Check { status: CheckStatus::Up, message: "it prints".to_owned() }
//!     }
//! }
//! ```

use std::{any::Any, fmt, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, Received},
        message::Message,
        outcome::{LookUp, Outcome},
        report::Report,
    },
    providers::{
        provider::{Check, Provider},
        provider_state::{Demotion, ProviderState, ReportCounts},
    },
    shared::id::{Id, Unowned},
};

use crate::shared::store::StoreError;

/// Permit for one call to a provider, held until it is dropped.
#[derive(Default)]
pub struct CallPermit(Option<Box<dyn Any + Send + Sync>>);

impl CallPermit {
    /// Creates a permit that drops `held` when it is dropped.
    pub fn holding(held: impl Any + Send + Sync) -> Self {
        Self(Some(Box::new(held)))
    }
}

impl fmt::Debug for CallPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CallPermit").field(&self.0.is_some()).finish()
    }
}

/// Decision of our own limits on a call to a provider.
#[derive(Debug)]
pub enum Admission {
    /// The call may be made while the permit is held.
    Granted(CallPermit),
    /// The call may not be made now.
    Later,
}

/// Size and urgency of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// Number of messages.
    pub messages: usize,
    /// True if one of them loses its value when it is late.
    pub is_urgent: bool,
}

/// Rate at which our own limits let messages go to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    /// Time until the next message may go.
    pub wait: Duration,
    /// Average time between two messages.
    pub between: Duration,
}

/// Carries messages of one channel.
#[async_trait]
pub trait MessagingProvider: Send + Sync {
    /// Requests a permit to hand messages over in one call. Waits for it briefly.
    async fn admit(&self, demand: Demand) -> Admission {
        self.try_admit(demand)
    }

    /// Requests a permit to hand messages over in one call, without waiting.
    fn try_admit(&self, demand: Demand) -> Admission {
        let _ = demand;
        Admission::Granted(CallPermit::default())
    }

    /// Returns the rate at which messages may be handed over at the moment.
    fn pace(&self) -> Pace {
        Pace::default()
    }

    /// Hands a message over. Every possible result is an [`Outcome`], and the call ends within the
    /// provider's timeout. The caller holds a permit of [`admit`](Self::admit).
    async fn send(&self, message: &Message) -> Outcome;

    /// Returns the maximum number of messages with the same text and sender per call.
    fn group_limit(&self) -> usize {
        1
    }

    /// Hands messages with the same text and sender to different recipients over: an outcome for each, in
    /// their order. Takes at most [`group_limit`](Self::group_limit) messages, and so makes one call,
    /// within the provider's timeout. If the call is refused as a whole, each message is refused; the
    /// caller then tries them one by one.
    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let mut outcomes = Vec::with_capacity(messages.len());
        for message in messages {
            outcomes.push(self.send(message).await);
        }
        outcomes
    }

    /// Queries the state of a message that was handed over.
    async fn look_up(&self, message: &Message) -> LookUp;

    /// Checks whether the provider is usable without sending anything: by its account or balance if it has
    /// no call for that.
    async fn check(&self) -> Check;

    /// Returns true if recipients can answer through it and its vendor forwards their texts.
    fn can_be_answered(&self) -> bool {
        false
    }

    /// Returns the length of the messaging window: the time after a recipient's last text in which the
    /// vendor accepts free texts to them. `None` if it always does. Messages with a vendor template are
    /// accepted at any time.
    fn session_window(&self) -> Option<TimeDelta> {
        None
    }

    /// Receives a callback of the vendor: verifies it before trusting any of it, and reads it.
    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let _ = callback;
        Err(CallbackRefused::Unsupported)
    }

    /// Returns the answer that makes the vendor read `text` out, for a vendor that [asks
    /// for](Received::asks_for) texts.
    fn read_out(&self, text: &str) -> CallbackAnswer {
        let _ = text;
        CallbackAnswer::Acknowledged
    }
}

/// Takes the reports that providers send by callback.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ReportSink: Send + Sync {
    /// Takes a report. [`MessagingProvider::look_up`] makes up for a lost one.
    async fn report(&self, report: Report);
}

/// Stores the providers and their states for all instances.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ProviderRegistry: Send + Sync {
    /// Registers the declared providers as active, and marks all others as inactive.
    async fn declare(&self, providers: &[Provider], now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Returns the providers that are or were declared, by name.
    async fn list(&self) -> Result<Vec<ProviderRecord>, StoreError>;

    /// Returns the latest health events of a provider, newest first.
    async fn history(&self, id: Id<Provider>) -> Result<Vec<HealthEvent>, StoreError>;

    /// Returns the health events of a provider since a time that changed something, newest first: health
    /// checks only if their status differs from that of the check before them.
    async fn changes(
        &self,
        id: Id<Provider>,
        since: DateTime<Utc>,
    ) -> Result<Vec<HealthEvent>, StoreError>;

    /// Stores the result of a health check.
    async fn note_check(&self, id: Id<Provider>, event: &HealthEvent) -> Result<(), StoreError>;

    /// Returns the states of the providers, except those in the default state.
    async fn states(&self) -> Result<Vec<(String, ProviderState)>, StoreError>;

    /// Stores that a provider's breaker opened or closed.
    async fn note_breaker(
        &self,
        name: &str,
        state: ProviderState,
        event: &HealthEvent,
    ) -> Result<(), StoreError>;

    /// Claims the probe of a provider whose breaker is due for one. Returns false if another instance was
    /// first.
    async fn begin_probe(
        &self,
        name: &str,
        state: ProviderState,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Returns for how many messages each provider reports, recently and normally, and its demotion.
    async fn report_stats(&self, now: DateTime<Utc>) -> Result<Vec<ReportStats>, StoreError>;

    /// Changes the demotion of a provider by one step, unless another instance did within the last `pause`.
    async fn demote(
        &self,
        name: &str,
        demotion: &Demotion,
        pause: TimeDelta,
        event: &HealthEvent,
    ) -> Result<(), StoreError>;
}

/// Provider as registered for all instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRecord {
    /// Identifier of the provider.
    pub id: Id<Provider>,
    /// Latest declaration.
    pub provider: DeclaredProvider,
    /// True if it is declared now.
    pub is_active: bool,
    /// State of the provider.
    pub state: ProviderState,
    /// Latest health check; `None` if there was none.
    pub last_check: Option<HealthEvent>,
}

/// Declaration of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredProvider {
    /// Name that the operator gave it.
    pub name: String,
    /// Name of the vendor.
    pub kind: String,
    /// Channel, as on the wire.
    pub channel: String,
    /// Routes: the country, `*` for any, and the priority.
    pub routes: Vec<(String, u16)>,
}

/// Event in a provider's health.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthEvent {
    /// Kind of the event.
    pub kind: HealthEventKind,
    /// Resulting status: `UP`, `DEGRADED` or `DOWN`; `OPEN` or `CLOSED`; or the demotion.
    pub status: String,
    /// Reason for people.
    pub message: String,
    /// Duration of a health check; `None` for other events.
    pub latency: Option<TimeDelta>,
    /// Time of the event.
    pub at: DateTime<Utc>,
}

impl Unowned for HealthEvent {}

domain::closed_list! {
    /// Kind of an event in a provider's health.
    pub enum HealthEventKind {
        /// Health check.
        Check = "CHECK",
        /// Opening or closing of its breaker.
        Breaker = "BREAKER",
        /// Change of its demotion.
        Demotion = "DEMOTION",
    }
    impl FromStr;
}

/// Numbers of messages on which a provider reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportStats {
    /// Name of the provider.
    pub name: String,
    /// Number of steps by which it is demoted.
    pub demotion: u16,
    /// Counts of the last minutes.
    pub recent: ReportCounts,
    /// Counts of a longer earlier period, for comparison.
    pub normal: ReportCounts,
}
