//! States of the providers, learned from the calls of this instance and shared with the others.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::outcome::Outcome,
    providers::{
        breaker::{Breaker, BreakerSignal},
        provider_state::{self, ProviderState},
    },
    shared::vendor_text,
};
use ports::{
    providers::provider::{HealthEvent, HealthEventKind, ProviderRegistry},
    shared::{
        signals::{Change, ChangeBroadcast},
        store::StoreError,
    },
};

use super::RouteStep;

/// Minimum time between two changes of the demotion of a provider.
const DEMOTION_PAUSE: TimeDelta = TimeDelta::seconds(50);
/// Time for which this instance's own observation of a breaker overrides the shared state, which
/// may not include it yet.
const OWN_OBSERVATION: TimeDelta = TimeDelta::seconds(3);

/// State of each provider.
pub struct ProviderStates {
    known: RwLock<HashMap<String, CachedState>>,
    sharing: Option<SharedStates>,
    /// Shared states, as they were read last.
    shared: Mutex<HashMap<String, ProviderState>>,
}

/// Sharing of the states of providers with other instances.
pub struct SharedStates {
    /// Store of the states.
    pub registry: Arc<dyn ProviderRegistry>,
    /// Broadcast of changes of breakers to the other instances.
    pub change_broadcaster: Arc<dyn ChangeBroadcast>,
}

/// State of a provider as cached by this instance.
#[derive(Default)]
struct CachedState {
    state: ProviderState,
    /// Time when this instance last saw the breaker open, be probed or close.
    observed_at: Option<DateTime<Utc>>,
}

impl ProviderStates {
    pub(super) fn new(sharing: Option<SharedStates>) -> Self {
        Self { known: RwLock::default(), sharing, shared: Mutex::default() }
    }

    /// Returns the state of a provider.
    pub fn of(&self, provider: &str) -> ProviderState {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(provider).map(|known| known.state).unwrap_or_default()
    }

    /// Applies the outcome of a call. If it opens or closes the breaker, all instances learn it.
    pub(crate) async fn on_outcome(
        &self,
        step: RouteStep<'_>,
        outcome: &Outcome,
        now: DateTime<Utc>,
    ) {
        let RouteStep { provider, is_probe } = step;
        let signal = BreakerSignal::of(outcome);
        if signal == BreakerSignal::Success && self.of(provider).breaker == Breaker::CLOSED {
            return;
        }
        let (before, after) = self.update_breaker(provider, now, |breaker| {
            if is_probe { breaker.after_probe(signal, now) } else { breaker.after(signal, now) }
        });
        if !is_change(before, after.breaker) {
            return;
        }
        let reason = vendor_text::clean(reason(outcome));
        tracing::warn!(provider, status = after.breaker.as_str(), reason, "a breaker changed");
        self.share_breaker(provider, after, reason, now).await;
    }

    /// Takes the probe of a provider whose rest is over. Returns false if another message has it,
    /// here or on another instance.
    pub(crate) async fn begin_probe(&self, provider: &str, now: DateTime<Utc>) -> bool {
        let (before, after) =
            self.update_breaker(provider, now, |breaker| breaker.probe(now).unwrap_or(breaker));
        if before == after.breaker {
            return false;
        }
        let Some(sharing) = &self.sharing else { return true };
        match sharing.registry.begin_probe(provider, after, now).await {
            Ok(true) => {
                sharing.change_broadcaster.broadcast(Change::Providers);
                true
            }
            Ok(false) => {
                self.trust_shared_state(provider);
                false
            }
            Err(error) => {
                tracing::warn!(%error, provider, "failed to record a probe for other instances");
                true
            }
        }
    }

    /// Gives back a probe that was taken and not made, so that another message may make it.
    pub(crate) async fn cancel_probe(&self, provider: &str, now: DateTime<Utc>) {
        let (before, after) =
            self.update_breaker(provider, now, |breaker| breaker.without_probe(now));
        if before != after.breaker {
            let reason = "the probe could not be made".to_owned();
            self.share_breaker(provider, after, reason, now).await;
        }
    }

    /// Shares the state of a breaker, and the reason, with the other instances.
    async fn share_breaker(
        &self,
        provider: &str,
        state: ProviderState,
        reason: String,
        now: DateTime<Utc>,
    ) {
        let Some(sharing) = &self.sharing else { return };
        let event = HealthEvent {
            kind: HealthEventKind::Breaker,
            status: state.breaker.as_str().to_owned(),
            message: reason,
            latency: None,
            at: now,
        };
        match sharing.registry.note_breaker(provider, state, &event).await {
            Ok(()) => sharing.change_broadcaster.broadcast(Change::Providers),
            Err(error) => {
                tracing::warn!(%error, provider, "failed to record a breaker for other instances");
            }
        }
    }

    /// Lets the next shared state of a provider's breaker replace the own one: another instance has
    /// its probe.
    fn trust_shared_state(&self, provider: &str) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get_mut(provider) {
            known.observed_at = None;
        }
    }

    /// Changes a provider's breaker. Returns the breaker before, and the provider's state
    /// afterwards; no other change comes between the two.
    fn update_breaker(
        &self,
        provider: &str,
        now: DateTime<Utc>,
        update: impl FnOnce(Breaker) -> Breaker,
    ) -> (Breaker, ProviderState) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let known = known.entry(provider.to_owned()).or_default();
        let before = known.state.breaker;
        known.state.breaker = update(before);
        if is_change(before, known.state.breaker) {
            known.observed_at = Some(now);
        }
        (before, known.state)
    }

    /// Reads and adopts the states that other instances share.
    pub async fn refresh(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        match &self.sharing {
            Some(sharing) => self.refresh_through(&*sharing.registry, now).await,
            None => Ok(()),
        }
    }

    /// Does the same through another registry.
    pub(super) async fn refresh_through(
        &self,
        registry: &dyn ProviderRegistry,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let shared = registry.states().await?.into_iter().collect();
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = shared;
        self.adopt(now);
        Ok(())
    }

    /// Adopts the shared states that were read last, which must be the present ones. To be called every
    /// second or so, because they replace an observation of this instance only after some seconds.
    pub(super) fn adopt(&self, now: DateTime<Utc>) {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for (provider, CachedState { state, observed_at }) in known.iter_mut() {
            let shared = shared.get(provider).copied().unwrap_or_default();
            state.demotion = shared.demotion;
            let is_recent = observed_at.is_some_and(|at| now - at < OWN_OBSERVATION);
            // A count of failures that did not open the breaker is this instance's own.
            let is_count = state.breaker.is_closed() && shared.breaker.is_closed();
            if !is_recent && !is_count {
                state.breaker = shared.breaker;
            }
        }
        for (provider, state) in shared.iter() {
            let new = CachedState { state: *state, observed_at: None };
            known.entry(provider.clone()).or_insert(new);
        }
    }

    /// Demotes providers whose reports stay out, and restores those that report again. To be called
    /// every half minute or so, by every instance: a provider still moves only one step a minute.
    pub async fn judge(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let Some(SharedStates { registry, .. }) = &self.sharing else { return Ok(()) };
        for stats in registry.report_stats(now).await? {
            let judged = provider_state::judge(stats.demotion, stats.recent, stats.normal);
            let Some(demotion) = judged else { continue };
            let event = HealthEvent {
                kind: HealthEventKind::Demotion,
                status: demotion.to.to_string(),
                message: demotion.reason.clone(),
                latency: None,
                at: now,
            };
            registry.demote(&stats.name, &demotion, DEMOTION_PAUSE, &event).await?;
        }
        Ok(())
    }
}

/// True if a breaker opened, is probed or closed. A failure that does not open it is only counted.
fn is_change(before: Breaker, after: Breaker) -> bool {
    before != after && !(before.is_closed() && after.is_closed())
}

fn reason(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Accepted { .. } => "it takes messages".to_owned(),
        Outcome::Rejected(_) => "it answers".to_owned(),
        Outcome::NotAccepted { failure, .. } | Outcome::Unknown(failure) => {
            format!("{}: {}", failure.code.as_str(), failure.message)
        }
    }
}
