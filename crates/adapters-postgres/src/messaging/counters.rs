//! Changes to the counters of the delivery log.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::messaging::{
    delivery::Status,
    message::{Message, Source},
};
use uuid::Uuid;

use crate::{
    messaging::{
        campaign_counts::{CampaignChanges, CampaignKey},
        dimensions,
    },
    shared::query::statement::Statement,
};

/// Resolution of the counts.
pub(crate) const SLOT: TimeDelta = TimeDelta::minutes(1);

/// Changes to the counters, by the minute in which messages were accepted.
#[derive(Default)]
pub(crate) struct CounterChanges {
    totals: BTreeMap<Key, Change>,
    campaigns: CampaignChanges,
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

    /// Binds nine columns: organization, slot, channel, status, sandbox, messages, segments, cost
    /// in micros, dimensions.
    pub(crate) fn bind<ST>(self, statement: Statement<'_, ST>) -> Statement<'_, ST> {
        let (keys, changes): (Vec<_>, Vec<_>) = self.totals.into_iter().unzip();
        let column = |of: fn(&Change) -> i64| changes.iter().map(of).collect::<Vec<_>>();
        statement
            .bind::<Array<SqlUuid>, _>(keys.iter().map(|key| key.organization).collect::<Vec<_>>())
            .bind::<Array<Timestamptz>, _>(keys.iter().map(|key| key.slot).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys.iter().map(|key| key.channel).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys.iter().map(|key| key.status).collect::<Vec<_>>())
            .bind::<Array<Bool>, _>(keys.iter().map(|key| key.is_sandbox).collect::<Vec<_>>())
            .bind::<Array<BigInt>, _>(column(|change| change.messages))
            .bind::<Array<BigInt>, _>(column(|change| change.segments))
            .bind::<Array<BigInt>, _>(column(|change| change.cost))
            .bind::<Array<Nullable<Text>>, _>(
                keys.into_iter().map(|key| key.dimensions).collect::<Vec<_>>(),
            )
    }
}
