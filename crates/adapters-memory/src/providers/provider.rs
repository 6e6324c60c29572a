//! Providers and their states.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    providers::{
        provider::Provider,
        provider_state::{Demotion, ProviderState},
    },
    shared::id::Id,
};
use ports::{
    providers::provider::{
        HealthEvent, HealthEventKind, ProviderRecord, ProviderRegistry, ReportStats,
    },
    shared::store::StoreError,
};

use crate::shared::store::MemoryStore;

/// Maximum number of health events that are returned per provider.
const HISTORY: usize = 100;

#[async_trait]
impl ProviderRegistry for MemoryStore {
    async fn declare(&self, providers: &[Provider], now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut state = self.state();
        state.providers.retire_all_but(providers);
        for provider in providers {
            let id = state.identifier(now, None);
            state.providers.declare(provider, id);
        }
        Ok(())
    }

    async fn list(&self) -> Result<Vec<ProviderRecord>, StoreError> {
        Ok(self.state().providers.list())
    }

    async fn history(&self, id: Id<Provider>) -> Result<Vec<HealthEvent>, StoreError> {
        Ok(self.state().providers.history(id).take(HISTORY).cloned().collect())
    }

    async fn changes(
        &self,
        id: Id<Provider>,
        since: DateTime<Utc>,
    ) -> Result<Vec<HealthEvent>, StoreError> {
        let state = self.state();
        let mut newest_first: Vec<&HealthEvent> =
            state.providers.history(id).filter(|event| event.at >= since).collect();
        newest_first.reverse();
        let mut last_check = None;
        newest_first.retain(|event| {
            let is_check = event.kind == HealthEventKind::Check;
            let before = if is_check { last_check.replace(&event.status) } else { None };
            !is_check || before != Some(&event.status)
        });
        Ok(newest_first.into_iter().rev().take(HISTORY).cloned().collect())
    }

    async fn note_check(&self, id: Id<Provider>, event: &HealthEvent) -> Result<(), StoreError> {
        self.state().providers.note_check(id, event);
        Ok(())
    }

    async fn states(&self) -> Result<Vec<(String, ProviderState)>, StoreError> {
        Ok(self.state().providers.states())
    }

    async fn note_breaker(
        &self,
        name: &str,
        state: ProviderState,
        event: &HealthEvent,
    ) -> Result<(), StoreError> {
        self.state().providers.note_breaker(name, state.breaker, event);
        Ok(())
    }

    async fn begin_probe(
        &self,
        name: &str,
        state: ProviderState,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        Ok(self.state().providers.begin_probe(name, state.breaker, now))
    }

    async fn report_stats(&self, now: DateTime<Utc>) -> Result<Vec<ReportStats>, StoreError> {
        Ok(self.state().providers.report_stats(now))
    }

    async fn demote(
        &self,
        name: &str,
        demotion: &Demotion,
        pause: TimeDelta,
        event: &HealthEvent,
    ) -> Result<(), StoreError> {
        self.state().providers.demote(name, demotion, pause, event);
        Ok(())
    }
}
