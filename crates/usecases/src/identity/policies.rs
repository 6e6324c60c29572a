//! Cached policies of organizations, the only source of them for requests and workers.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    content::sender_name::SenderRule,
    identity::{organization::Organization, policy::Policy},
    shared::{id::Id, sender::UsableSenders},
};
use ports::{
    content::sender_names::SenderNameRepository,
    identity::organizations::OrganizationRepository,
    platform::traffic::TrafficRulesRepository,
    shared::{
        changes::Changes,
        clock::Clock,
        signals::{Change, ChangeBroadcast},
        store::StoreError,
    },
    webhooks::calls::WebhookSubscriptions,
};

use crate::shared::{
    cache::{ReadCache, ReadStart},
    change_follower::FollowedCache,
    joined_reads::JoinedReads,
};

/// Policies of organizations, read once and cached until they change. Clones share the cache.
#[derive(Clone)]
pub struct Policies {
    sources: PolicySources,
    rule: SenderRule,
    clock: Arc<dyn Clock>,
    known: Arc<PolicyCache>,
    /// Reads under way, since many requests miss at once after an eviction.
    reads: Arc<JoinedReads<Id<Organization>, ReadPolicy>>,
    change_broadcaster: Arc<dyn ChangeBroadcast>,
}

/// Sources of policies.
#[derive(Clone)]
pub struct PolicySources {
    /// Settings of organizations.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Approved sender names of organizations.
    pub sender_names: Arc<dyn SenderNameRepository>,
    /// Subscribed events of organizations.
    pub subscriptions: Arc<dyn WebhookSubscriptions>,
    /// Traffic rules of organizations.
    pub traffic: Arc<dyn TrafficRulesRepository>,
}

impl PolicySources {
    async fn read(
        &self,
        organization: Id<Organization>,
        rule: SenderRule,
    ) -> Result<Option<Arc<Policy>>, StoreError> {
        let Some(settings) = self.organizations.settings(organization).await? else {
            return Ok(None);
        };
        let senders = match rule {
            SenderRule::Open => UsableSenders::Any,
            SenderRule::Approved => {
                UsableSenders::Approved(self.sender_names.approved(organization).await?.into())
            }
        };
        let subscribed_events = self.subscriptions.subscribed_events(organization).await?;
        let traffic = self.traffic.rules(organization).await?;
        Ok(Some(Arc::new(Policy { settings, senders, subscribed_events, traffic })))
    }
}

/// Pause of workers after the store did not answer, in milliseconds.
const PAUSE: i64 = 1_000;

/// Beginning of a read, and its result.
type ReadPolicy = (ReadStart, Option<Arc<Policy>>);

struct PolicyCache {
    policies: ReadCache<Id<Organization>, Arc<Policy>>,
    /// Time of the last failure of the store, in milliseconds.
    failed_at: AtomicI64,
}

impl Policies {
    /// Creates policies from their sources, under an installation's rule for senders. Changes of this
    /// instance are broadcast to others.
    pub fn new(
        sources: PolicySources,
        rule: SenderRule,
        clock: Arc<dyn Clock>,
        change_broadcaster: Arc<dyn ChangeBroadcast>,
    ) -> Self {
        let policies = ReadCache::weighing(|policy: &Arc<Policy>| 1 + policy.senders.count());
        let known = Arc::new(PolicyCache { policies, failed_at: AtomicI64::new(i64::MIN / 2) });
        Self { sources, rule, clock, known, reads: Arc::default(), change_broadcaster }
    }

    /// Returns the policy of an organization, at most a second old; `None` if there is no such
    /// organization.
    pub async fn get(
        &self,
        organization: Id<Organization>,
    ) -> Result<Option<Arc<Policy>>, StoreError> {
        let now = self.clock.now();
        match self.known.policies.get(&organization, now) {
            Some(policy) => Ok(Some(policy)),
            None => self.read(organization, now).await,
        }
    }

    /// Returns an organization itself, which is not cached; `None` if there is no such organization.
    pub(crate) async fn organization(
        &self,
        id: Id<Organization>,
    ) -> Result<Option<Organization>, StoreError> {
        self.sources.organizations.find(id).await
    }

    /// True unless an organization is suspended from sending, or closed.
    pub async fn may_send(&self, organization: Id<Organization>) -> Result<bool, StoreError> {
        let Some(policy) = self.get(organization).await? else { return Ok(true) };
        let settings = &policy.settings;
        Ok(settings.suspension.is_none() && settings.closed_at.is_none())
    }

    /// Returns the same as [`get`](Self::get), or the last known policy while the store does not
    /// answer.
    pub async fn of_or_last_known(
        &self,
        organization: Id<Organization>,
    ) -> Result<Option<Arc<Policy>>, StoreError> {
        let now = self.clock.now();
        if let Some(policy) = self.known.policies.get(&organization, now) {
            return Ok(Some(policy));
        }
        let last_known = self.known.policies.last_known(&organization);
        let failed_at = self.known.failed_at.load(Ordering::Relaxed);
        if (now.timestamp_millis() - failed_at).abs() < PAUSE {
            let unknown = || StoreError::Unavailable("it did not answer a moment ago".into());
            return last_known.map(Some).ok_or_else(unknown);
        }
        match self.read(organization, now).await {
            Err(error) => {
                let failed_at = self.clock.now().timestamp_millis();
                self.known.failed_at.store(failed_at, Ordering::Relaxed);
                last_known.map(Some).ok_or(error)
            }
            read => read,
        }
    }

    async fn read(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Option<Arc<Policy>>, StoreError> {
        let (sources, rule) = (self.sources.clone(), self.rule);
        let start = self.known.policies.begin(now);
        let read = async move { Ok((start, sources.read(organization, rule).await?)) };
        let (start, policy) = self.reads.join(organization, read).await?;
        if let Some(policy) = &policy {
            self.known.policies.learn(&organization, Arc::clone(policy), start);
        }
        Ok(policy)
    }

    /// Evicts an organization that this instance has changed, here and on other instances.
    pub(crate) fn forget(&self, organization: Id<Organization>) {
        self.reads.forget(&organization);
        self.known.policies.forget_one(&organization);
        self.change_broadcaster.broadcast(Change::Organizations);
    }
}

#[async_trait]
impl FollowedCache for Policies {
    fn kind(&self) -> Change {
        Change::Organizations
    }

    async fn apply(&self, changes: &Changes, read_at: DateTime<Utc>) -> Result<(), StoreError> {
        let organizations = changes.keys(|change| change.organization);
        match &organizations {
            None => self.reads.forget_all(),
            Some(changed) => changed.iter().for_each(|id| self.reads.forget(id)),
        }
        self.known.policies.forget(organizations, read_at);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
