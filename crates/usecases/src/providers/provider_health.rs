//! Health of the providers.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chrono::TimeDelta;
use domain::{
    providers::provider::{Check, CheckStatus, Provider},
    shared::{id::Id, vendor_text},
};
use futures_util::lock::Mutex as AsyncMutex;
use ports::{
    providers::provider::{HealthEvent, HealthEventKind, ProviderRecord, ProviderRegistry},
    shared::{clock::Clock, store::StoreError},
};

use crate::{Error, providers::provider_registry::Providers};

/// Time for which a periodic check of a provider counts for all instances.
const CHECK_PAUSE: TimeDelta = TimeDelta::minutes(4);
/// Time for which a check of a provider answers all requests for one.
const LOOK_LASTS: TimeDelta = TimeDelta::seconds(10);

/// Time for which changes of a provider's health are shown.
const CHANGES_SHOWN: TimeDelta = TimeDelta::days(7);

/// Operations on the health of providers.
#[derive(Clone)]
pub struct ProviderHealth {
    registry: Arc<dyn ProviderRegistry>,
    providers: Arc<Providers>,
    clock: Arc<dyn Clock>,
    looks: Arc<Mutex<HashMap<Id<Provider>, Look>>>,
}

/// Latest check of a provider that was requested of this instance. Requests during a check wait for
/// it.
type Look = Arc<AsyncMutex<Option<HealthEvent>>>;

/// A provider with its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderDetail {
    /// The provider.
    pub record: ProviderRecord,
    /// The latest events in its health, newest first.
    pub history: Vec<HealthEvent>,
}

/// Returns an event in the form for tenants. The message of a check may reveal the state of the
/// operator's account with the vendor, which is for platform administrators.
pub fn for_tenants(event: HealthEvent) -> HealthEvent {
    if event.kind != HealthEventKind::Check {
        return event;
    }
    let message = match event.status.as_str() {
        "UP" => "the provider can be used",
        "DEGRADED" => "the provider can be used, but something is not as it should be",
        _ => "the provider cannot be used",
    };
    HealthEvent { message: message.to_owned(), ..event }
}

impl ProviderHealth {
    /// Keeps the health of `providers` in `registry`.
    pub fn new(
        registry: Arc<dyn ProviderRegistry>,
        providers: Arc<Providers>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { registry, providers, clock, looks: Arc::default() }
    }

    /// Registers the declared providers, for all instances.
    pub async fn declare(&self) -> Result<(), StoreError> {
        self.registry.declare(self.providers.declared(), self.clock.now()).await
    }

    /// Returns the providers that are or were declared, by name.
    pub async fn list(&self) -> Result<Vec<ProviderRecord>, Error> {
        Ok(self.registry.list().await?)
    }

    /// Returns a provider with its history.
    pub async fn get(&self, id: Id<Provider>) -> Result<ProviderDetail, Error> {
        let record = self.find(id).await?;
        Ok(ProviderDetail { history: self.registry.history(id).await?, record })
    }

    /// Returns a provider with the events of the last seven days that changed its health.
    pub async fn changes(&self, id: Id<Provider>) -> Result<ProviderDetail, Error> {
        let record = self.find(id).await?;
        let since = self.clock.now() - CHANGES_SHOWN;
        Ok(ProviderDetail { history: self.registry.changes(id, since).await?, record })
    }

    /// Checks a provider now, and records the result. Each provider is checked once at a time, and
    /// a check that was just made answers all requests.
    pub async fn check(&self, id: Id<Provider>) -> Result<HealthEvent, Error> {
        let record = self.find(id).await?;
        let look = {
            let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(looks.entry(id).or_default())
        };
        let mut latest = look.lock().await;
        let now = self.clock.now();
        let known = [latest.clone(), record.last_check.clone()].into_iter().flatten();
        let recent = known.max_by_key(|event| event.at);
        if let Some(event) = recent.filter(|event| now - event.at < LOOK_LASTS) {
            return Ok(event);
        }
        let event = self.look(&record).await?;
        *latest = Some(event.clone());
        Ok(event)
    }

    async fn look(&self, record: &ProviderRecord) -> Result<HealthEvent, Error> {
        let began = self.clock.now();
        let check = match self.providers.adapter(&record.provider.name) {
            Some(adapter) if record.is_active => adapter.check().await,
            _ => Check {
                status: CheckStatus::Down,
                message: "it is not declared any more".to_owned(),
            },
        };
        let event = self.event(check, self.clock.now() - began);
        self.registry.note_check(record.id, &event).await?;
        Ok(event)
    }

    /// Checks all declared providers, one after the other, except those that another instance has
    /// just checked. To be called every five minutes, by every instance.
    pub async fn check_all(&self) -> Result<(), Error> {
        let now = self.clock.now();
        for record in self.registry.list().await? {
            let last = record.last_check.as_ref();
            let is_due = last.is_none_or(|look| now - look.at >= CHECK_PAUSE);
            let is_here = self.providers.adapter(&record.provider.name).is_some();
            if record.is_active && is_here && is_due {
                self.look(&record).await?;
            }
        }
        Ok(())
    }

    async fn find(&self, id: Id<Provider>) -> Result<ProviderRecord, Error> {
        let records = self.registry.list().await?;
        records.into_iter().find(|record| record.id == id).ok_or(Error::NotFound("provider"))
    }

    fn event(&self, check: Check, latency: TimeDelta) -> HealthEvent {
        HealthEvent {
            kind: HealthEventKind::Check,
            status: check.status.as_str().to_owned(),
            message: vendor_text::clean(check.message),
            latency: Some(latency),
            at: self.clock.now(),
        }
    }
}

#[cfg(test)]
mod tests;
