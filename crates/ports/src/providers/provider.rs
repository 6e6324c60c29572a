//! Messaging providers.

use std::{any::Any, fmt, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, Received},
        message::Message,
    },
    providers::{
        provider::{Check, LookUp, Outcome, Provider, Report},
        provider_state::{Demotion, ProviderState, ReportCounts},
    },
    shared::id::{Id, Unowned},
};

use crate::shared::store::StoreError;

/// The right to make one call to a provider, until it is dropped.
#[derive(Default)]
pub struct CallPermit(Option<Box<dyn Any + Send + Sync>>);

impl CallPermit {
    /// A place that gives back what it holds when it is dropped.
    pub fn holding(held: impl Any + Send + Sync) -> Self {
        Self(Some(Box::new(held)))
    }
}

impl fmt::Debug for CallPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CallPermit").field(&self.0.is_some()).finish()
    }
}

/// Whether a provider can be called now, as far as our own limits go.
#[derive(Debug)]
pub enum Admission {
    /// It can, while the place is kept.
    Granted(CallPermit),
    /// It cannot.
    Later,
}

/// What is to be handed over in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// How many messages.
    pub messages: usize,
    /// Whether one of them is worth little when it is late.
    pub is_urgent: bool,
}

/// How fast our own limits let messages go to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    /// How long until the next one may go.
    pub wait: Duration,
    /// The time between two of them in the long run.
    pub between: Duration,
}

/// Carries messages of one channel.
#[async_trait]
pub trait MessagingProvider: Send + Sync {
    /// Asks for the right to hand messages over in one call. Waits for it a moment.
    async fn admit(&self, demand: Demand) -> Admission {
        self.try_admit(demand)
    }

    /// Asks for the right to hand messages over in one call at once.
    fn try_admit(&self, demand: Demand) -> Admission {
        let _ = demand;
        Admission::Granted(CallPermit::default())
    }

    /// How fast messages may be handed over at the moment.
    fn pace(&self) -> Pace {
        Pace::default()
    }

    /// Hands a message over. Every way in which that can end is an [`Outcome`], and it ends within
    /// the provider's time-out. Whoever calls this has a place ([`admit`](Self::admit)).
    async fn send(&self, message: &Message) -> Outcome;

    /// How many messages of the same text and sender can be handed over in one call.
    fn group_limit(&self) -> usize {
        1
    }

    /// Hands messages of the same text and sender to different recipients over: an outcome for each,
    /// in their order. At most [`group_limit`](Self::group_limit) messages, and so in one call,
    /// within the provider's time-out. If that is refused as a whole, each message is; whoever
    /// handed them over tries them one by one.
    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let mut outcomes = Vec::with_capacity(messages.len());
        for message in messages {
            outcomes.push(self.send(message).await);
        }
        outcomes
    }

    /// Asks what became of a message that was handed over.
    async fn look_up(&self, message: &Message) -> LookUp;

    /// Looks whether the provider can be used, without sending anything: by its account or balance
    /// where it has no call for that.
    async fn check(&self) -> Check;

    /// Whether recipients can answer over it, and its vendor passes their texts on.
    fn can_be_answered(&self) -> bool {
        false
    }

    /// How long after a recipient's last text the vendor takes free texts to them. `None` is any
    /// time. Messages that the vendor has a template for are taken at any time.
    fn session_window(&self) -> Option<TimeDelta> {
        None
    }

    /// Takes a call of the vendor in: verifies it before anything in it is believed, and reads it.
    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        let _ = callback;
        Err(CallbackRefused::Unsupported)
    }

    /// The answer that has the vendor read `text` out, for a vendor that
    /// [asks for](Received::asks_for) texts.
    fn read_out(&self, text: &str) -> CallbackAnswer {
        let _ = text;
        CallbackAnswer::Acknowledged
    }
}

/// Takes the reports that providers make on their own.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ReportSink: Send + Sync {
    /// Takes a report. One that is lost is made up for by [`MessagingProvider::look_up`].
    async fn report(&self, report: Report);
}

/// Keeps what all instances know of providers, and their states.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ProviderRegistry: Send + Sync {
    /// Makes the declared providers known, and all others inactive.
    async fn declare(&self, providers: &[Provider], now: DateTime<Utc>) -> Result<(), StoreError>;

    /// The providers that are or were declared, by name.
    async fn list(&self) -> Result<Vec<ProviderRecord>, StoreError>;

    /// The latest events in a provider's health, newest first.
    async fn history(&self, id: Id<Provider>) -> Result<Vec<HealthEvent>, StoreError>;

    /// Keeps the result of a look at a provider.
    async fn note_check(&self, id: Id<Provider>, event: &HealthEvent) -> Result<(), StoreError>;

    /// The states of the providers, but for those that are in order.
    async fn states(&self) -> Result<Vec<(String, ProviderState)>, StoreError>;

    /// Keeps that a provider's breaker opened or closed.
    async fn note_breaker(
        &self,
        name: &str,
        state: ProviderState,
        event: &HealthEvent,
    ) -> Result<(), StoreError>;

    /// Takes the probe of a provider whose rest is over. False if another instance was first.
    async fn begin_probe(
        &self,
        name: &str,
        state: ProviderState,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// For how many messages each provider makes reports, of late and usually, and how far it is
    /// demoted.
    async fn report_stats(&self, now: DateTime<Utc>) -> Result<Vec<ReportStats>, StoreError>;

    /// Moves a provider one step, unless another instance did within the last `pause`.
    async fn demote(
        &self,
        name: &str,
        demotion: &Demotion,
        pause: TimeDelta,
        event: &HealthEvent,
    ) -> Result<(), StoreError>;
}

/// A provider as it is known to all instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRecord {
    /// Which provider this is.
    pub id: Id<Provider>,
    /// What was last declared of it.
    pub provider: DeclaredProvider,
    /// Whether it is declared now.
    pub is_active: bool,
    /// Its state.
    pub state: ProviderState,
    /// What the latest look at it showed.
    pub last_check: Option<HealthEvent>,
}

/// What was declared of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredProvider {
    /// The operator's name for it.
    pub name: String,
    /// The vendor.
    pub kind: String,
    /// The channel it carries, as on the wire.
    pub channel: String,
    /// Where it may be used: the country, `*` for any, and the priority.
    pub routes: Vec<(String, u16)>,
}

/// Something in a provider's health.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthEvent {
    /// What kind of event it is.
    pub kind: HealthEventKind,
    /// What it came to: `UP`, `DEGRADED` or `DOWN`; `OPEN` or `CLOSED`; or the demotion.
    pub status: String,
    /// Why, for people.
    pub message: String,
    /// How long a look took.
    pub latency: Option<TimeDelta>,
    /// When.
    pub at: DateTime<Utc>,
}

impl Unowned for HealthEvent {}

/// The kinds of events in a provider's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthEventKind {
    /// Somebody looked.
    Check,
    /// Its breaker opened or closed.
    Breaker,
    /// It was moved behind or before others.
    Demotion,
}

impl HealthEventKind {
    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Check => "CHECK",
            Self::Breaker => "BREAKER",
            Self::Demotion => "DEMOTION",
        }
    }
}

/// For how many messages a provider makes reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportStats {
    /// Its name.
    pub name: String,
    /// How far it is demoted.
    pub demotion: u16,
    /// Of late.
    pub recent: ReportCounts,
    /// Usually.
    pub normal: ReportCounts,
}
