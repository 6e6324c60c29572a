//! How the providers are.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    id::Id,
    provider::{Check, CheckStatus, Provider},
};
use ports::{
    clock::Clock,
    providers::{HealthEvent, HealthEventKind, ProviderRecord, ProviderRegistry},
    store::StoreError,
};

use crate::{Error, providers::Providers};

/// For how long a look at a provider serves all instances.
const CHECK_PAUSE: TimeDelta = TimeDelta::minutes(4);

/// Operations on the health of providers.
#[derive(Clone)]
pub struct ProviderHealth {
    registry: Arc<dyn ProviderRegistry>,
    providers: Arc<Providers>,
    clock: Arc<dyn Clock>,
}

/// A provider with what happened to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderDetail {
    /// The provider.
    pub record: ProviderRecord,
    /// The latest events in its health, newest first.
    pub history: Vec<HealthEvent>,
}

impl ProviderHealth {
    /// The health of `providers`, kept in `registry`.
    pub fn new(
        registry: Arc<dyn ProviderRegistry>,
        providers: Arc<Providers>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { registry, providers, clock }
    }

    /// Makes the declared providers known to all instances.
    pub async fn declare(&self) -> Result<(), StoreError> {
        self.registry.declare(self.providers.declared(), self.clock.now()).await
    }

    /// The providers that are or were declared, by name.
    pub async fn list(&self) -> Result<Vec<ProviderRecord>, Error> {
        Ok(self.registry.list().await?)
    }

    /// A provider with its history.
    pub async fn get(&self, id: Id<Provider>) -> Result<ProviderDetail, Error> {
        let record = self.find(id).await?;
        Ok(ProviderDetail { history: self.registry.history(id).await?, record })
    }

    /// Looks at a provider now, and keeps what that showed.
    pub async fn check(&self, id: Id<Provider>) -> Result<HealthEvent, Error> {
        let record = self.find(id).await?;
        let began = self.clock.now();
        let check = match self.providers.adapter(&record.provider.name) {
            Some(adapter) if record.is_active => adapter.check().await,
            _ => Check {
                status: CheckStatus::Down,
                message: "it is not declared any more".to_owned(),
            },
        };
        let event = self.event(check, self.clock.now() - began);
        self.registry.note_check(id, &event).await?;
        Ok(event)
    }

    /// Looks at all declared providers, one after the other, but not at those at which another
    /// instance has just looked. To be called every five minutes, by every instance.
    pub async fn check_all(&self) -> Result<(), Error> {
        let now = self.clock.now();
        for record in self.registry.list().await? {
            let last = record.last_check.as_ref();
            let is_due = last.is_none_or(|look| now - look.at >= CHECK_PAUSE);
            let is_here = self.providers.adapter(&record.provider.name).is_some();
            if record.is_active && is_here && is_due {
                self.check(record.id).await?;
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
            message: check.message,
            latency: Some(latency),
            at: self.clock.now(),
        }
    }
}

#[cfg(test)]
mod tests;
