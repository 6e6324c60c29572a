//! What changes in the counts of campaigns.

use std::collections::BTreeMap;

use diesel::sql_types::{Array, BigInt, Text, Uuid as SqlUuid};
use domain::{campaign::Campaign, delivery::Status, id::Id, organization::Organization};

use crate::statement::Statement;

/// Messages of campaigns that came into a state, or left it.
#[derive(Default)]
pub(crate) struct CampaignChanges(BTreeMap<Key, i64>);

type Key = (Id<Organization>, Id<Campaign>, Status);

impl CampaignChanges {
    /// Counts messages that came into a state, or, below zero, left it.
    pub(crate) fn add(
        &mut self,
        organization: Id<Organization>,
        campaign: Id<Campaign>,
        status: Status,
        messages: i64,
    ) {
        *self.0.entry((organization, campaign, status)).or_default() += messages;
    }

    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Binds four columns: whose campaigns, which ones, which status, how many messages.
    pub(crate) fn bind<'v, N, ST>(&self, statement: Statement<'v, N, ST>) -> Statement<'v, N, ST> {
        let keys = || self.0.keys();
        statement
            .bind::<Array<SqlUuid>, _>(keys().map(|key| key.0.uuid()).collect::<Vec<_>>())
            .bind::<Array<SqlUuid>, _>(keys().map(|key| key.1.uuid()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys().map(|key| key.2.as_str()).collect::<Vec<_>>())
            .bind::<Array<BigInt>, _>(self.0.values().copied().collect::<Vec<_>>())
    }
}
