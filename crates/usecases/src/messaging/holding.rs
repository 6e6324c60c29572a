//! Reasons that hold messages back, cached in memory so that the check of a message reads nothing.

use domain::messaging::message::CampaignId;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{
        hold::{CampaignHold, Hold},
        message::{Message, Source},
        sending_window::QuietHours,
    },
    shared::id::Id,
};
use ports::{
    identity::organizations::OrganizationRepository,
    messaging::sending_windows::SendingWindowRepository,
    outreach::held_campaigns::HeldCampaigns,
    shared::{
        changes::Changes,
        signals::{Change, ChangeBroadcast},
        store::StoreError,
    },
};

use crate::shared::change_follower::FollowedCache;

/// Cached reasons that hold messages back. Clones share the cache.
#[derive(Clone)]
pub struct Holding {
    windows: Arc<dyn SendingWindowRepository>,
    campaigns: Arc<dyn HeldCampaigns>,
    organizations: Arc<dyn OrganizationRepository>,
    known: Arc<CachedHolds>,
    change_broadcaster: Arc<dyn ChangeBroadcast>,
}

#[derive(Default)]
struct CachedHolds {
    present: RwLock<Arc<Holds>>,
    /// True if there are any quiet hours, held campaigns or suspended organizations: as a rule
    /// there are none.
    is_any: AtomicBool,
    /// Number of reads that were begun.
    begun: AtomicU64,
}

/// Holds, as one read found them.
#[derive(Default)]
struct Holds {
    quiet_hours: QuietHours,
    campaigns: HashMap<CampaignId, CampaignHold>,
    suspended: HashSet<Id<Organization>>,
    /// Number of the read.
    read: u64,
}

impl Holding {
    /// Creates an empty cache: nothing is held before the first [`refresh`](Self::refresh). Changes of this
    /// instance are broadcast to others.
    pub fn new(
        windows: Arc<dyn SendingWindowRepository>,
        campaigns: Arc<dyn HeldCampaigns>,
        organizations: Arc<dyn OrganizationRepository>,
        change_broadcaster: Arc<dyn ChangeBroadcast>,
    ) -> Self {
        Self { windows, campaigns, organizations, known: Arc::default(), change_broadcaster }
    }

    /// Returns the same cache over other connections.
    #[must_use]
    pub fn through(
        &self,
        windows: Arc<dyn SendingWindowRepository>,
        campaigns: Arc<dyn HeldCampaigns>,
        organizations: Arc<dyn OrganizationRepository>,
    ) -> Self {
        Self { windows, campaigns, organizations, ..self.clone() }
    }

    /// Returns the reason that holds a message back at `now`; `None` if it may be sent.
    pub fn of(&self, message: &Message, now: DateTime<Utc>) -> Option<Hold> {
        if !self.known.is_any.load(Ordering::Relaxed) {
            return None;
        }
        let holds = self.known.present();
        let campaign = message.source.and_then(Source::campaign);
        let campaign = campaign.and_then(|id| holds.campaigns.get(&id).copied());
        let is_suspended = holds.suspended.contains(&message.organization);
        Hold::of(message, (campaign, is_suspended), &holds.quiet_hours, now)
    }

    /// Reads the current holds. Until the next successful call, the ones read last apply.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let read = self.known.begun.fetch_add(1, Ordering::Relaxed) + 1;
        let campaigns = self.campaigns.held().await?.into_iter().collect();
        let quiet_hours = QuietHours::outside(self.windows.active().await?);
        let suspended = self.organizations.suspended().await?.into_iter().collect();
        self.known.learn(Holds { quiet_hours, campaigns, suspended, read });
        Ok(())
    }

    /// Reads a change of this instance, and has other instances read it.
    pub(crate) async fn changed(&self) -> Result<(), StoreError> {
        self.change_broadcaster.broadcast(Change::Holds);
        self.refresh().await
    }

    /// Releases some messages that nothing holds any more. Returns their number.
    pub async fn release(&self) -> Result<usize, StoreError> {
        // Read anew, not from the cache: everything of organizations not listed here is released.
        let suspended = self.organizations.suspended().await?;
        self.campaigns.release(&suspended).await
    }
}

#[async_trait]
impl FollowedCache for Holding {
    fn kind(&self) -> Change {
        Change::Holds
    }

    async fn apply(&self, changes: &Changes, _: DateTime<Utc>) -> Result<(), StoreError> {
        if changes.are_none() {
            return Ok(());
        }
        self.refresh().await
    }
}

impl CachedHolds {
    fn present(&self) -> Arc<Holds> {
        Arc::clone(&self.present.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Caches the holds that a read found, unless one that began later has ended before it.
    fn learn(&self, holds: Holds) {
        let mut present = self.present.write().unwrap_or_else(PoisonError::into_inner);
        if holds.read > present.read {
            self.is_any.store(holds.are_any(), Ordering::Relaxed);
            *present = Arc::new(holds);
        }
    }
}

impl Holds {
    fn are_any(&self) -> bool {
        !self.campaigns.is_empty() || !self.quiet_hours.is_empty() || !self.suspended.is_empty()
    }
}

#[cfg(test)]
mod tests;
