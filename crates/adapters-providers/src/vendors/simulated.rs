//! Provider that delivers nothing, for sandboxes, development and load tests.
//!
//! The recipient determines the fate of a message: one that ends in `0000` (in an email address,
//! the part before the `@`) fails, and one that ends in `0001` is never reported on. The declared
//! shares of all others fail or are never reported on, at random by the message's identifier and
//! the seed, and the rest is delivered.

mod failure_rates;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        delivery::{DeliveryEvent, Failure, FailureCode},
        message::{Draft, Message},
        outcome::{FollowUp, LookUp, Outcome},
        report::Report,
    },
    providers::provider::Check,
    shared::{channel::Channel, id::Id},
};
use ports::{
    providers::provider::{MessagingProvider, ReportSink},
    shared::clock::Clock,
};
use tokio::{
    sync::{Semaphore, mpsc},
    time::{Instant, sleep, sleep_until},
};

use crate::{
    declaration::{Declaration, DeclarationError},
    deps::Deps,
    health,
    kind::Vendor,
    registration::Registration,
};
use failure_rates::FailureRates;

/// Option that permits the provider in production.
const PRODUCTION: &str = "production";

const VENDOR: Vendor = Vendor {
    name: "simulated",
    channels: &Channel::ALL,
    options: &["latency_ms", "failure_rate", "silence_rate", "seed", PRODUCTION],
    report_timeout: 5,
    ..Vendor::DEFAULTS
};

pub(super) const REGISTRATION: Registration =
    Registration { vendor: &VENDOR, check, build, usual_concurrency: |_| None };

/// Duration of a call.
const ANSWER_TIME: Duration = Duration::from_millis(5);
const USUAL_LATENCY: Duration = Duration::from_millis(50);
/// Maximum number of reports that are not yet due.
const MAX_WAITING: usize = 1 << 17;
/// Maximum number of reports passed to the sink at once.
const MAX_REPORTING: usize = 4_096;

/// Simulated provider. It may be created outside a runtime.
pub struct Simulated {
    latency: Duration,
    failure_rates: FailureRates,
    clock: Arc<dyn Clock>,
    sink: Arc<dyn ReportSink>,
    shows_secrets: bool,
    /// Queue of the reporting task; `None` until it is started.
    reporting: Mutex<Option<mpsc::Sender<Pending>>>,
}

/// Report that is not yet due.
struct Pending {
    due: Instant,
    message: Id<Message>,
    provider: Option<String>,
    fate: Fate,
}

/// Fate of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Delivered,
    Failed,
    Unreported,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let (latency, failure_rates) = (latency(declaration)?, FailureRates::read(declaration)?);
    let simulated = Simulated::new(Arc::clone(&deps.reports), Arc::clone(&deps.clock), latency);
    Ok(Arc::new(Simulated { failure_rates, ..simulated }))
}

fn check(declaration: &Declaration) -> Result<(), DeclarationError> {
    latency(declaration)?;
    FailureRates::read(declaration)?;
    declaration.option::<bool>(PRODUCTION)?;
    Ok(())
}

fn latency(declaration: &Declaration) -> Result<Duration, DeclarationError> {
    Ok(declaration.option("latency_ms")?.map_or(USUAL_LATENCY, Duration::from_millis))
}

impl Declaration {
    /// Fails for a provider that delivers nothing, unless it says that it may be used in production.
    pub fn check_for_production(&self) -> Result<(), DeclarationError> {
        if self.kind.as_str() != VENDOR.name || self.option(PRODUCTION)? == Some(true) {
            return Ok(());
        }
        let problem = "\"simulated\" delivers nothing, and messages cost money all the same: \
                       production takes it only with options.production = true";
        Err(self.invalid("kind", problem))
    }
}

impl Simulated {
    /// Creates a provider that reports to `sink`, `latency` after it accepted a message.
    pub fn new(sink: Arc<dyn ReportSink>, clock: Arc<dyn Clock>, latency: Duration) -> Self {
        let failure_rates = FailureRates::default();
        let reporting = Mutex::new(None);
        Self { latency, failure_rates, clock, sink, shows_secrets: false, reporting }
    }

    /// Makes the provider write the service's own emails to the log, because the tokens in them are
    /// visible nowhere else. For development only.
    #[must_use]
    pub fn showing_secrets(self) -> Self {
        Self { shows_secrets: true, ..self }
    }

    /// Returns the fate of a message, always the same.
    fn fate(&self, message: &Message) -> Fate {
        Fate::of_recipient(&message.draft).unwrap_or_else(|| self.failure_rates.fate(message.id))
    }

    /// Queues a report until it is due. Above [`MAX_WAITING`] reports are dropped; lookups make up
    /// for them.
    fn report_later(&self, pending: Pending) {
        let mut reporting = self.reporting.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match reporting.take().filter(|sender| !sender.is_closed()) {
            Some(sender) => sender,
            // This is the first message, or the runtime of the task has ended.
            None => self.start_reporting(),
        };
        if sender.try_send(pending).is_err() {
            tracing::debug!("dropped a simulated report");
        }
        *reporting = Some(sender);
    }

    fn start_reporting(&self) -> mpsc::Sender<Pending> {
        let (sender, waiting) = mpsc::channel(MAX_WAITING);
        tokio::spawn(report_all(waiting, Arc::clone(&self.sink), Arc::clone(&self.clock)));
        sender
    }
}

/// Makes reports when they are due. All have the same delay, so they are due in the order of
/// arrival.
async fn report_all(
    mut waiting: mpsc::Receiver<Pending>,
    sink: Arc<dyn ReportSink>,
    clock: Arc<dyn Clock>,
) {
    let places = Arc::new(Semaphore::new(MAX_REPORTING));
    while let Some(Pending { due, message, provider, fate }) = waiting.recv().await {
        sleep_until(due).await;
        let Some(event) = fate.event(clock.now()) else { continue };
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let sink = Arc::clone(&sink);
        // Concurrent, because a sink may batch them.
        tokio::spawn(async move {
            sink.report(Report { message, provider, event }).await;
            drop(place);
        });
    }
}

#[async_trait]
impl MessagingProvider for Simulated {
    async fn send(&self, message: &Message) -> Outcome {
        sleep(ANSWER_TIME).await;
        if self.shows_secrets && message.is_confidential {
            let (to, text) = (message.draft.recipient.as_str(), message.draft.body.as_str());
            tracing::info!(to, text, "a simulated provider accepted a mail of the service");
        }
        let fate = self.fate(message);
        if fate != Fate::Unreported {
            let due = Instant::now() + self.latency;
            // This provider stands in for several; the attempt names the provider.
            let provider = message.attempts.last().map(|attempt| attempt.provider.clone());
            self.report_later(Pending { due, message: message.id, provider, fate });
        }
        Outcome::Accepted {
            // Reports contain the identifier of this service.
            reference: None,
            follow_up: FollowUp::Report,
        }
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        self.fate(message).event(self.clock.now()).map_or(LookUp::Waiting, LookUp::Found)
    }

    async fn check(&self) -> Check {
        health::up("it only pretends")
    }
}

impl Fate {
    /// Returns the fate that the recipient's last digits select.
    fn of_recipient(draft: &Draft) -> Option<Self> {
        let recipient = draft.recipient.as_str();
        let name = match (draft.channel, recipient.rsplit_once('@')) {
            (Channel::Email, Some((local, _))) => local,
            _ => recipient,
        };
        match name {
            _ if name.ends_with("0000") => Some(Self::Failed),
            _ if name.ends_with("0001") => Some(Self::Unreported),
            _ => None,
        }
    }

    fn event(self, at: DateTime<Utc>) -> Option<DeliveryEvent> {
        match self {
            Self::Delivered => Some(DeliveryEvent::Confirmed { at }),
            Self::Failed => {
                let failure = Failure::new(FailureCode::Undelivered, "simulated: not delivered");
                Some(DeliveryEvent::Rejected { at, failure })
            }
            Self::Unreported => None,
        }
    }
}

#[cfg(test)]
mod tests;
