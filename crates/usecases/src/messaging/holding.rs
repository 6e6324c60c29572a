//! Reasons that hold messages back, cached in memory so that the check of a message reads nothing.

use domain::messaging::message::CampaignId;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

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
        signals::{Change, ChangeBroadcast},
        store::StoreError,
    },
};

use crate::shared::change_broadcaster::ChangeBroadcaster;

/// Cached reasons that hold messages back. Clones share the cache.
#[derive(Clone)]
pub struct Holding {
    windows: Arc<dyn SendingWindowRepository>,
    campaigns: Arc<dyn HeldCampaigns>,
    organizations: Arc<dyn OrganizationRepository>,
    known: Arc<CachedHolds>,
    change_broadcaster: ChangeBroadcaster,
}

#[derive(Default)]
struct CachedHolds {
    quiet_hours: RwLock<Arc<QuietHours>>,
    campaigns: RwLock<Arc<HashMap<CampaignId, CampaignHold>>>,
    suspended: RwLock<Arc<HashSet<Id<Organization>>>>,
    /// True if there are any quiet hours, held campaigns or suspended organizations: as a rule
    /// there are none.
    is_any: AtomicBool,
}

impl Holding {
    /// Creates an empty cache: nothing is held before the first [`refresh`](Self::refresh).
    pub fn new(
        windows: Arc<dyn SendingWindowRepository>,
        campaigns: Arc<dyn HeldCampaigns>,
        organizations: Arc<dyn OrganizationRepository>,
    ) -> Self {
        let (known, change_broadcaster) = Default::default();
        Self { windows, campaigns, organizations, known, change_broadcaster }
    }

    /// Broadcasts changes of this instance to others. Without it, they find changes by polling.
    #[must_use]
    pub fn broadcasting(self, broadcast: Arc<dyn ChangeBroadcast>) -> Self {
        Self { change_broadcaster: ChangeBroadcaster::new(broadcast), ..self }
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
        let campaign = message.source.and_then(Source::campaign);
        let campaign = campaign.and_then(|id| read(&self.known.campaigns).get(&id).copied());
        let is_suspended = read(&self.known.suspended).contains(&message.organization);
        Hold::of(message, (campaign, is_suspended), &read(&self.known.quiet_hours), now)
    }

    /// Reads the current holds. Until the next successful call, the ones read last apply.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let campaigns: HashMap<_, _> = self.campaigns.held().await?.into_iter().collect();
        let quiet_hours = QuietHours::outside(self.windows.active().await?);
        let suspended: HashSet<_> = self.organizations.suspended().await?.into_iter().collect();
        let is_any = !campaigns.is_empty() || !quiet_hours.is_empty() || !suspended.is_empty();
        write(&self.known.campaigns, campaigns);
        write(&self.known.suspended, suspended);
        write(&self.known.quiet_hours, quiet_hours);
        self.known.is_any.store(is_any, Ordering::Relaxed);
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

fn read<T>(known: &RwLock<Arc<T>>) -> Arc<T> {
    Arc::clone(&known.read().unwrap_or_else(PoisonError::into_inner))
}

fn write<T>(known: &RwLock<Arc<T>>, value: T) {
    *known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
}
