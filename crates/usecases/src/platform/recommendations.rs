//! Recommendations to organizations.

use std::sync::Arc;

use chrono::{DateTime, Days, TimeDelta, Utc};
use domain::{
    identity::{caller::Caller, organization::Organization, permission::Permission},
    outreach::event::{Event, EventFilter},
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

/// Lease of an evaluation, before another request may begin one.
const LEASE: TimeDelta = TimeDelta::minutes(1);

/// Operations on recommendations.
#[derive(Clone)]
pub struct Recommendations(Arc<RecommendationsDeps>);

/// Dependencies of [`Recommendations`].
pub struct RecommendationsDeps {
    /// Store of recommendations.
    pub recommendations: Arc<dyn RecommendationRepository>,
    /// Source of figures.
    pub analytics: Arc<dyn AnalyticsRepository>,
    /// Source of wallets.
    pub wallets: Arc<dyn WalletRepository>,
    /// Source of API keys.
    pub api_keys: Arc<dyn ApiKeyRepository>,
    /// Source of events.
    pub events: Arc<dyn EventRepository>,
    /// Source of webhook endpoints.
    pub webhook_endpoints: Arc<dyn WebhookEndpointRepository>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

impl Recommendations {
    /// Creates the operations from their dependencies.
    pub fn new(deps: RecommendationsDeps) -> Self {
        Self(Arc::new(deps))
    }

    /// Returns the caller's recommendations. The first request in an hour evaluates them; concurrent
    /// requests return the previous ones.
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

    /// Returns all events of an organization, at most a few hundred.
    async fn events(&self, organization: Id<Organization>) -> Result<Vec<Event>, StoreError> {
        let mut events = Vec::new();
        for number in 1.. {
            let Ok(page) = Page::of_short_list(Some(number), None) else { break };
            let part = self.events.page(organization, &EventFilter::default(), page).await?;
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
