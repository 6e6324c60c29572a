//! What organizations could do better.

use std::sync::Arc;

use chrono::{DateTime, Days, TimeDelta, Utc};
use domain::{
    identity::{caller::Caller, organization::Organization, permission::Permission},
    outreach::event::Event,
    platform::{
        analytics::{Period, first_of},
        recommendation::{DAYS_LOOKED_AT, Facts, LAST, MESSAGES_LOOKED_AT, recommend},
    },
    shared::{id::Id, page::Page},
};
use ports::{
    identity::api_keys::ApiKeyRepository,
    money::billing::WalletRepository,
    outreach::events::EventRepository,
    platform::{
        analytics::AnalyticsRepository,
        recommendations::{KeptRecommendations, RecommendationRepository},
    },
    shared::{clock::Clock, store::StoreError},
    webhooks::webhook_endpoints::WebhookEndpointRepository,
};

use crate::Error;

/// How long somebody may take to make recommendations before another one tries.
const LEASE: TimeDelta = TimeDelta::minutes(1);

/// Operations on recommendations.
#[derive(Clone)]
pub struct Recommendations(Arc<RecommendationsDeps>);

/// What recommendations are made of.
pub struct RecommendationsDeps {
    /// Where they are kept.
    pub recommendations: Arc<dyn RecommendationRepository>,
    /// Where figures come from.
    pub analytics: Arc<dyn AnalyticsRepository>,
    /// Where wallets are.
    pub wallets: Arc<dyn WalletRepository>,
    /// Where API keys are.
    pub api_keys: Arc<dyn ApiKeyRepository>,
    /// Where events are.
    pub events: Arc<dyn EventRepository>,
    /// Where webhook endpoints are.
    pub webhook_endpoints: Arc<dyn WebhookEndpointRepository>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

impl Recommendations {
    /// Recommendations of those deps.
    pub fn new(deps: RecommendationsDeps) -> Self {
        Self(Arc::new(deps))
    }

    /// The caller's recommendations. Who asks first in an hour has them made; others see meanwhile what
    /// was made before.
    pub async fn list(&self, caller: &Caller) -> Result<KeptRecommendations, Error> {
        caller.authorize(Permission::Read)?;
        let (deps, organization) = (&self.0, caller.organization);
        let now = deps.clock.now();
        let kept = deps.recommendations.find(organization).await?;
        let is_due = kept.due_at.is_none_or(|due_at| due_at <= now);
        if !is_due || !deps.recommendations.claim(organization, now, now + LEASE).await? {
            return Ok(kept);
        }
        let items = recommend(&deps.facts(organization, now).await?);
        let (evaluated_at, due_at) = (Some(now), Some(now + LAST));
        let made = KeptRecommendations { items, evaluated_at, due_at };
        deps.recommendations.keep(organization, &made).await?;
        Ok(made)
    }
}

impl RecommendationsDeps {
    async fn facts(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Facts, StoreError> {
        let first_day = first_of(now.date_naive(), DAYS_LOOKED_AT);
        let since = now - Days::new(DAYS_LOOKED_AT);
        let wallet = self.wallets.find(organization).await?;
        Ok(Facts {
            now,
            counts: self.analytics.counts(organization, first_day, Period::Day).await?,
            newest: self
                .recommendations
                .newest_messages(organization, since, MESSAGES_LOOKED_AT)
                .await?,
            balance: wallet.map(|wallet| wallet.balance).unwrap_or_default(),
            api_keys: self.api_keys.list(organization).await?,
            events: self.events(organization).await?,
            webhook_endpoints: self.webhook_endpoints.list(organization).await?,
        })
    }

    /// All events of an organization, of which it has a few hundred at the most.
    async fn events(&self, organization: Id<Organization>) -> Result<Vec<Event>, StoreError> {
        let mut events = Vec::new();
        for number in 1.. {
            let Ok(page) = Page::of_short_list(Some(number), None) else { break };
            let part = self.events.page(organization, page).await?;
            events.extend(part.items.into_iter().map(|linked| linked.event));
            if page.offset() + u64::from(page.limit()) >= part.total {
                break;
            }
        }
        Ok(events)
    }
}

#[cfg(test)]
mod tests;
