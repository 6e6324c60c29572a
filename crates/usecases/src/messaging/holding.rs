//! What keeps messages from going now, as workers know it: from memory, so that it costs a message
//! nothing to ask.

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
    outreach::campaign::Campaign,
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

/// What keeps messages from going now. Clones know the same.
#[derive(Clone)]
pub struct Holding {
    windows: Arc<dyn SendingWindowRepository>,
    campaigns: Arc<dyn HeldCampaigns>,
    organizations: Arc<dyn OrganizationRepository>,
    known: Arc<Known>,
    change_broadcaster: ChangeBroadcaster,
}

#[derive(Default)]
struct Known {
    quiet_hours: RwLock<Arc<QuietHours>>,
    campaigns: RwLock<Arc<HashMap<Id<Campaign>, CampaignHold>>>,
    suspended: RwLock<Arc<HashSet<Id<Organization>>>>,
    /// Whether there are any quiet hours, campaigns that are held or organizations that are suspended:
    /// as a rule there are none.
    is_any: AtomicBool,
}

impl Holding {
    /// Nothing is held until it was read ([`refresh`](Self::refresh)).
    pub fn new(
        windows: Arc<dyn SendingWindowRepository>,
        campaigns: Arc<dyn HeldCampaigns>,
        organizations: Arc<dyn OrganizationRepository>,
    ) -> Self {
        let (known, change_broadcaster) = Default::default();
        Self { windows, campaigns, organizations, known, change_broadcaster }
    }

    /// Tells other instances at once what this one changes. Without that they find it by themselves.
    #[must_use]
    pub fn broadcasting(self, broadcast: Arc<dyn ChangeBroadcast>) -> Self {
        Self { change_broadcaster: ChangeBroadcaster::new(broadcast), ..self }
    }

    /// The same over other connections.
    #[must_use]
    pub fn through(
        &self,
        windows: Arc<dyn SendingWindowRepository>,
        campaigns: Arc<dyn HeldCampaigns>,
        organizations: Arc<dyn OrganizationRepository>,
    ) -> Self {
        Self { windows, campaigns, organizations, ..self.clone() }
    }

    /// What keeps a message from going at `now`, if anything does.
    pub fn of(&self, message: &Message, now: DateTime<Utc>) -> Option<Hold> {
        if !self.known.is_any.load(Ordering::Relaxed) {
            return None;
        }
        let campaign = message.source.and_then(Source::campaign);
        let campaign = campaign.and_then(|id| read(&self.known.campaigns).get(&id).copied());
        let is_suspended = read(&self.known.suspended).contains(&message.organization);
        Hold::of(message, (campaign, is_suspended), &read(&self.known.quiet_hours), now)
    }

    /// Reads anew what is held. Until this is called again, and while it fails, what was read last
    /// counts.
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

    /// Reads what this instance has changed, and has others read it.
    pub(crate) async fn changed(&self) -> Result<(), StoreError> {
        self.change_broadcaster.broadcast(Change::Holds);
        self.refresh().await
    }

    /// Frees some messages that nothing holds any more, and returns how many.
    pub async fn release(&self) -> Result<usize, StoreError> {
        // Not as it was last known: of whom it is told here, everything is freed.
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
