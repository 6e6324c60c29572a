//! Providers, their states and report counts.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use domain::{
    messaging::{delivery::Status, job::Step},
    providers::{
        breaker::Breaker,
        provider::{Provider, Route},
        provider_state::{Demotion, ProviderState, ReportCounts},
    },
    shared::id::Id,
};
use ports::providers::provider::{
    DeclaredProvider, HealthEvent, HealthEventKind, ProviderRecord, ReportStats,
};

/// Recent period whose messages should have reports by now, as minutes before now.
const RECENT: (TimeDelta, TimeDelta) = (TimeDelta::minutes(7), TimeDelta::minutes(2));
/// Normal period, as its begin and end before now.
const USUAL: (TimeDelta, TimeDelta) = (TimeDelta::hours(24), TimeDelta::minutes(15));

/// Data about providers.
#[derive(Default)]
pub(crate) struct ProviderNotes {
    /// Providers that are or were declared, by name.
    declared: BTreeMap<String, KeptProvider>,
    states: BTreeMap<String, KeptState>,
    /// Numbers of messages accepted and reported on, by provider and minute of acceptance.
    minutes: BTreeMap<(String, DateTime<Utc>), (u64, u64)>,
}

struct KeptProvider {
    id: Id<Provider>,
    provider: DeclaredProvider,
    is_active: bool,
    history: Vec<HealthEvent>,
}

#[derive(Default)]
struct KeptState {
    state: ProviderState,
    demoted_at: Option<DateTime<Utc>>,
}

impl ProviderNotes {
    /// Registers a provider under `id`, unless it has an identifier.
    pub(crate) fn declare(&mut self, provider: &Provider, id: Id<Provider>) {
        let route = |route: &Route| {
            let country = route.country.map_or_else(|| "*".to_owned(), |it| it.to_string());
            (country, route.priority)
        };
        let declared = DeclaredProvider {
            name: provider.name.clone(),
            kind: provider.kind.to_owned(),
            channel: provider.channel.as_str().to_owned(),
            routes: provider.routes.iter().map(route).collect(),
        };
        match self.declared.get_mut(&provider.name) {
            Some(kept) => (kept.provider, kept.is_active) = (declared, true),
            None => {
                let history = Vec::new();
                let kept = KeptProvider { id, provider: declared, is_active: true, history };
                self.declared.insert(provider.name.clone(), kept);
            }
        }
    }

    /// Marks the providers as inactive that are no longer declared.
    pub(crate) fn retire_all_but(&mut self, providers: &[Provider]) {
        for (name, kept) in &mut self.declared {
            if !providers.iter().any(|provider| provider.name == *name) {
                kept.is_active = false;
            }
        }
    }

    pub(crate) fn list(&self) -> Vec<ProviderRecord> {
        let record = |kept: &KeptProvider| {
            let is_check = |event: &&HealthEvent| event.kind == HealthEventKind::Check;
            ProviderRecord {
                id: kept.id,
                provider: kept.provider.clone(),
                is_active: kept.is_active,
                state: self.state(&kept.provider.name),
                last_check: kept.history.iter().rfind(is_check).cloned(),
            }
        };
        self.declared.values().map(record).collect()
    }

    /// Returns the events of a provider, newest first.
    pub(crate) fn history(&self, id: Id<Provider>) -> impl Iterator<Item = &HealthEvent> {
        let of_it = self.declared.values().filter(move |kept| kept.id == id);
        of_it.flat_map(|kept| kept.history.iter().rev())
    }

    pub(crate) fn note_check(&mut self, id: Id<Provider>, event: &HealthEvent) {
        if let Some(kept) = self.declared.values_mut().find(|kept| kept.id == id) {
            kept.history.push(event.clone());
        }
    }

    /// Stores an event of a provider, if that was ever declared.
    fn note(&mut self, name: &str, event: &HealthEvent) {
        if let Some(kept) = self.declared.get_mut(name) {
            kept.history.push(event.clone());
        }
    }

    fn state(&self, name: &str) -> ProviderState {
        self.states.get(name).map(|kept| kept.state).unwrap_or_default()
    }

    /// Returns the states of the providers, except those in the default state.
    pub(crate) fn states(&self) -> Vec<(String, ProviderState)> {
        let states = self.states.iter().map(|(name, kept)| (name.clone(), kept.state));
        states.filter(|(_, state)| *state != ProviderState::default()).collect()
    }

    /// Stores that a breaker opened or closed.
    pub(crate) fn note_breaker(&mut self, name: &str, breaker: Breaker, event: &HealthEvent) {
        let kept = self.states.entry(name.to_owned()).or_default();
        // The latest calls of a closed breaker belong to the instance that made them.
        kept.state.breaker = if breaker.is_closed() { Breaker::CLOSED } else { breaker };
        self.note(name, event);
    }

    /// Claims the probe of a provider whose breaker is due for one. Returns false if another instance was
    /// first.
    pub(crate) fn begin_probe(&mut self, name: &str, probe: Breaker, now: DateTime<Utc>) -> bool {
        let Some(kept) = self.states.get_mut(name) else { return false };
        let (Some(until), Breaker::Open { times, .. } | Breaker::Probing { times, .. }) =
            (until(probe), kept.state.breaker)
        else {
            return false;
        };
        let is_due = kept.state.breaker.is_probe_due(now);
        if is_due {
            kept.state.breaker = Breaker::Probing { until, times };
        }
        is_due
    }

    /// Changes the demotion of a provider by one step, unless that was done within the last `pause`.
    pub(crate) fn demote(
        &mut self,
        name: &str,
        demotion: &Demotion,
        pause: TimeDelta,
        event: &HealthEvent,
    ) {
        let kept = self.states.entry(name.to_owned()).or_default();
        if kept.demoted_at.is_none_or(|at| at < event.at - pause) {
            kept.state.demotion = demotion.to;
            kept.demoted_at = Some(event.at);
            self.note(name, event);
        }
    }

    /// Counts a step of a provider's message. A message counts as accepted when a report on it is still to
    /// come, and as reported, in the minute of its acceptance, when one came. Answers to queries do not
    /// count as reports.
    pub(crate) fn count(&mut self, step: &Step) {
        let message = step.message();
        let (Some(provider), Some(sent_at)) = (&message.provider, message.delivery.sent_at())
        else {
            return;
        };
        let minute = sent_at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(sent_at);
        let count = self.minutes.entry((provider.clone(), minute)).or_default();
        match (step, step.previous_status(), message.delivery.status()) {
            (_, Status::Queued | Status::Pending, Status::Sent) if step.due_in().is_some() => {
                count.0 += 1;
            }
            (Step::ReportApplied(_), Status::Sent, Status::Delivered | Status::Failed) => {
                count.1 += 1;
            }
            _ => {}
        }
    }

    /// Returns for how many messages each declared provider makes reports.
    pub(crate) fn report_stats(&self, now: DateTime<Utc>) -> Vec<ReportStats> {
        let active = self.declared.values().filter(|kept| kept.is_active);
        let stats = active.map(|kept| {
            let name = kept.provider.name.clone();
            ReportStats {
                demotion: self.state(&name).demotion,
                recent: self.counts(&name, now, RECENT),
                normal: self.counts(&name, now, USUAL),
                name,
            }
        });
        stats.collect()
    }

    fn counts(
        &self,
        name: &str,
        now: DateTime<Utc>,
        (from, to): (TimeDelta, TimeDelta),
    ) -> ReportCounts {
        let span = (name.to_owned(), now - from)..(name.to_owned(), now - to);
        let mut counts = ReportCounts::default();
        for (taken, reported) in self.minutes.range(span).map(|(_, count)| count) {
            counts.taken += taken;
            counts.unreported += taken.saturating_sub(*reported);
        }
        counts
    }
}

/// Returns the time at which a breaker changes by itself.
const fn until(breaker: Breaker) -> Option<DateTime<Utc>> {
    match breaker {
        Breaker::Closed { .. } => None,
        Breaker::Open { until, .. } | Breaker::Probing { until, .. } => Some(until),
    }
}
