//! What this instance thinks of each provider, and what it hears from the others.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    breaker::{Breaker, BreakerSignal},
    provider::Outcome,
    provider_state::{self, ProviderState},
    vendor_text,
};
use ports::{
    providers::{HealthEvent, HealthEventKind, ProviderRegistry},
    store::StoreError,
};

use super::Stop;

/// How long a provider stays where it was moved at least.
const DEMOTION_PAUSE: TimeDelta = TimeDelta::seconds(50);

/// How long what this instance saw of a breaker counts more than what it learns from others, who may
/// not have heard of it yet.
const OWN_EYES: TimeDelta = TimeDelta::seconds(3);

/// What is thought of each provider.
#[derive(Default)]
pub struct ProviderStates {
    known: RwLock<HashMap<String, Opinion>>,
    registry: Option<Arc<dyn ProviderRegistry>>,
}

/// What is thought of a provider.
#[derive(Default)]
struct Opinion {
    state: ProviderState,
    /// When this instance last saw the breaker open, be probed or close.
    seen_at: Option<DateTime<Utc>>,
}

impl ProviderStates {
    pub(super) fn shared_through(registry: Arc<dyn ProviderRegistry>) -> Self {
        Self { known: RwLock::default(), registry: Some(registry) }
    }

    /// What is thought of a provider.
    pub fn of(&self, name: &str) -> ProviderState {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(name).map(|opinion| opinion.state).unwrap_or_default()
    }

    /// Takes in what came of a call to `stop`. When that opens or closes the breaker, all instances
    /// learn it.
    pub(crate) async fn hear(&self, stop: Stop<'_>, outcome: &Outcome, now: DateTime<Utc>) {
        let Stop { name, is_probe } = stop;
        let sign = BreakerSignal::of(outcome);
        if sign == BreakerSignal::Success && self.of(name).breaker == Breaker::CLOSED {
            return;
        }
        let after_call = if is_probe { Breaker::after_probe } else { Breaker::after };
        let (before, after) = self.change(name, now, |state| ProviderState {
            breaker: after_call(state.breaker, sign, now),
            ..state
        });
        let is_count = before.breaker.is_closed() && after.breaker.is_closed();
        if is_count || before.breaker == after.breaker {
            return;
        }
        let event = HealthEvent {
            kind: HealthEventKind::Breaker,
            status: after.breaker.as_str().to_owned(),
            message: vendor_text::clean(reason(outcome)),
            latency: None,
            at: now,
        };
        tracing::warn!(provider = name, status = event.status, reason = event.message, "breaker");
        if let Some(registry) = &self.registry
            && let Err(error) = registry.note_breaker(name, after, &event).await
        {
            tracing::warn!(%error, provider = name, "other instances cannot learn of it");
        }
    }

    /// Takes the probe of a provider whose rest is over. False if another message, here or on
    /// another instance, has it.
    pub(crate) async fn begin_probe(&self, name: &str, now: DateTime<Utc>) -> bool {
        let mut is_ours = false;
        let (_, after) = self.change(name, now, |state| match state.breaker.probe(now) {
            Some(breaker) => {
                is_ours = true;
                ProviderState { breaker, ..state }
            }
            None => state,
        });
        match (&self.registry, is_ours) {
            (Some(registry), true) => match registry.begin_probe(name, after, now).await {
                Ok(is_taken) => {
                    if !is_taken {
                        self.trust_others(name);
                    }
                    is_taken
                }
                Err(error) => {
                    tracing::warn!(%error, provider = name, "a probe is not known to others");
                    true
                }
            },
            _ => is_ours,
        }
    }

    /// Gives a probe back that was taken and not made, so that another message may make it.
    pub(crate) async fn give_probe_back(&self, name: &str, now: DateTime<Utc>) {
        let (before, after) = self.change(name, now, |state| ProviderState {
            breaker: state.breaker.without_probe(now),
            ..state
        });
        let Some(registry) = &self.registry else { return };
        if before.breaker == after.breaker {
            return;
        }
        let event = HealthEvent {
            kind: HealthEventKind::Breaker,
            status: after.breaker.as_str().to_owned(),
            message: "the probe could not be made".to_owned(),
            latency: None,
            at: now,
        };
        if let Err(error) = registry.note_breaker(name, after, &event).await {
            tracing::warn!(%error, provider = name, "failed to give a probe back");
        }
    }

    /// Believes what others think of a provider's breaker as soon as it is known: one of them has
    /// its probe.
    fn trust_others(&self, name: &str) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(opinion) = known.get_mut(name) {
            opinion.seen_at = None;
        }
    }

    /// What was thought of a provider, and what is from now on. Nobody comes between the two.
    fn change(
        &self,
        name: &str,
        now: DateTime<Utc>,
        to: impl FnOnce(ProviderState) -> ProviderState,
    ) -> (ProviderState, ProviderState) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let opinion = known.entry(name.to_owned()).or_default();
        let before = opinion.state;
        let after = to(before);
        opinion.state = after;
        if before.breaker != after.breaker
            && !(before.breaker.is_closed() && after.breaker.is_closed())
        {
            opinion.seen_at = Some(now);
        }
        (before, after)
    }

    /// Learns what other instances think. To be called every second or so.
    pub async fn refresh(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let Some(registry) = &self.registry else { return Ok(()) };
        let shared: HashMap<_, _> = registry.states().await?.into_iter().collect();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for (name, Opinion { state, seen_at }) in known.iter_mut() {
            let shared = shared.get(name).copied().unwrap_or_default();
            state.demotion = shared.demotion;
            let is_fresh = seen_at.is_some_and(|at| now - at < OWN_EYES);
            // A count of failures that did not open the breaker is this instance's own.
            let is_count = state.breaker.is_closed() && shared.breaker.is_closed();
            if !is_fresh && !is_count {
                state.breaker = shared.breaker;
            }
        }
        for (name, state) in shared {
            known.entry(name).or_insert(Opinion { state, seen_at: None });
        }
        Ok(())
    }

    /// Moves providers that have fallen silent behind others, and back. To be called every half
    /// minute or so, by every instance: a provider moves one step a minute all the same.
    pub async fn judge(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let Some(registry) = &self.registry else { return Ok(()) };
        for hearing in registry.report_stats(now).await? {
            let judged = provider_state::judge(hearing.demotion, hearing.recent, hearing.normal);
            let Some(demotion) = judged else { continue };
            let event = HealthEvent {
                kind: HealthEventKind::Demotion,
                status: demotion.to.to_string(),
                message: demotion.reason.clone(),
                latency: None,
                at: now,
            };
            registry.demote(&hearing.name, &demotion, DEMOTION_PAUSE, &event).await?;
        }
        Ok(())
    }
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
