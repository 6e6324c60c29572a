//! Changes to the counters of the delivery log.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use domain::messaging::{
    delivery::Status,
    message::{Message, Source},
};
use uuid::Uuid;

use crate::messaging::{
    campaign_counts::{CampaignChanges, CampaignKey},
    dimensions,
};

/// Resolution of the counts.
pub(crate) const SLOT: TimeDelta = TimeDelta::minutes(1);

/// Changes to the counters, by the minute in which messages were accepted.
#[derive(Default)]
pub(crate) struct CounterChanges {
    totals: BTreeMap<Key, Change>,
    campaigns: CampaignChanges,
}

/// [`CounterChanges`], column by column.
pub(crate) struct CounterColumns {
    pub(crate) organizations: Vec<Uuid>,
    pub(crate) slots: Vec<DateTime<Utc>>,
    pub(crate) channels: Vec<&'static str>,
    pub(crate) statuses: Vec<&'static str>,
    pub(crate) are_sandbox: Vec<bool>,
    pub(crate) messages: Vec<i64>,
    pub(crate) segments: Vec<i64>,
    /// Prices in micros.
    pub(crate) costs: Vec<i64>,
    pub(crate) dimensions: Vec<Option<String>>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    organization: Uuid,
    slot: DateTime<Utc>,
    channel: &'static str,
    status: &'static str,
    is_sandbox: bool,
    dimensions: Option<String>,
}

#[derive(Default)]
struct Change {
    messages: i64,
    segments: i64,
    cost: i64,
}

impl Change {
    fn is_nothing(&self) -> bool {
        self.messages == 0 && self.segments == 0 && self.cost == 0
    }
}

impl CounterChanges {
    /// Counts a message that entered a state.
    pub(crate) fn enter(&mut self, message: &Message, status: Status) {
        self.add(message, status, 1);
    }

    /// Counts a message that left a state.
    pub(crate) fn leave(&mut self, message: &Message, status: Status) {
        self.add(message, status, -1);
    }

    fn add(&mut self, message: &Message, status: Status, sign: i64) {
        let created_at = message.created_at;
        let key = Key {
            organization: message.organization.uuid(),
            slot: created_at.duration_trunc(SLOT).unwrap_or(created_at),
            channel: message.draft.channel.as_str(),
            status: status.as_str(),
            is_sandbox: message.is_sandbox,
            dimensions: dimensions::packed(message, status),
        };
        let change = self.totals.entry(key).or_default();
        change.messages += sign;
        change.segments += sign * i64::from(message.draft.segments);
        change.cost += sign * message.cost.micros();
        if let Some(Source::Campaign(campaign)) = message.source {
            let failure = message.delivery.failure().filter(|_| status == Status::Failed);
            let key = CampaignKey {
                organization: message.organization,
                campaign,
                status,
                reason: failure.map(|failure| failure.code.as_str()),
            };
            self.campaigns.add(key, sign, message.cost);
        }
    }

    /// True if nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }

    /// Takes out the changes that campaigns count, which few batches have.
    pub(crate) fn take_campaigns(&mut self) -> CampaignChanges {
        std::mem::take(&mut self.campaigns)
    }

    /// Returns the changes column by column, without those that cancelled out: messages that were
    /// handed over and others that were reported in one batch.
    pub(crate) fn columns(self) -> CounterColumns {
        let changed = self.totals.into_iter().filter(|(_, change)| !change.is_nothing());
        let (keys, changes): (Vec<_>, Vec<_>) = changed.unzip();
        let column = |of: fn(&Change) -> i64| changes.iter().map(of).collect::<Vec<_>>();
        CounterColumns {
            organizations: keys.iter().map(|key| key.organization).collect(),
            slots: keys.iter().map(|key| key.slot).collect(),
            channels: keys.iter().map(|key| key.channel).collect(),
            statuses: keys.iter().map(|key| key.status).collect(),
            are_sandbox: keys.iter().map(|key| key.is_sandbox).collect(),
            messages: column(|change| change.messages),
            segments: column(|change| change.segments),
            costs: column(|change| change.cost),
            dimensions: keys.into_iter().map(|key| key.dimensions).collect(),
        }
    }
}
