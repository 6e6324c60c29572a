//! Numbers of campaign messages in each state.

use domain::messaging::message::CampaignId;
use std::collections::{BTreeMap, HashMap};

use diesel::sql_types::{Array, BigInt, Text, Uuid as SqlUuid};
use domain::{
    identity::organization::Organization, messaging::delivery::Status,
    outreach::campaign::CampaignCounts, shared::id::Id,
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Messages of campaigns that entered a state or left it.
#[derive(Default)]
pub(crate) struct CampaignChanges(BTreeMap<Key, i64>);

type Key = (Id<Organization>, CampaignId, Status);

impl CampaignChanges {
    /// Counts messages that entered a state, or, below zero, left it.
    pub(crate) fn add(
        &mut self,
        organization: Id<Organization>,
        campaign: CampaignId,
        status: Status,
        messages: i64,
    ) {
        *self.0.entry((organization, campaign, status)).or_default() += messages;
    }

    /// True if nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Binds four columns: organizations, campaigns, statuses, numbers of messages.
    pub(crate) fn bind<'v, ST>(&self, statement: Statement<'v, ST>) -> Statement<'v, ST> {
        let keys = || self.0.keys();
        statement
            .bind::<Array<SqlUuid>, _>(keys().map(|key| key.0.uuid()).collect::<Vec<_>>())
            .bind::<Array<SqlUuid>, _>(keys().map(|key| key.1.uuid()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys().map(|key| key.2.as_str()).collect::<Vec<_>>())
            .bind::<Array<BigInt>, _>(self.0.values().copied().collect::<Vec<_>>())
    }
}

/// Returns the current counts of campaigns of an organization. Campaigns without messages are left
/// out.
pub(crate) async fn counts_of(
    conn: &mut Connection,
    organization: Id<Organization>,
    campaigns: &[Uuid],
) -> Result<HashMap<Uuid, CampaignCounts>, StoreError> {
    if campaigns.is_empty() {
        return Ok(HashMap::new());
    }
    let count = Statement::<(SqlUuid, Text, BigInt)>::returning(&[COUNT])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Array<SqlUuid>, _>(campaigns);
    let rows: Vec<(Uuid, String, i64)> = count.load(conn).await.map_err(store_error)?;
    let mut counts = HashMap::<_, CampaignCounts>::new();
    for (campaign, status, messages) in rows {
        let status: Status = status.parse().map_err(|_| corrupt("campaign_counts", campaign))?;
        let messages = u64::try_from(messages).unwrap_or_default();
        counts.entry(campaign).or_default().add(status, messages);
    }
    Ok(counts)
}

const COUNT: &str =
    "SELECT campaign_id, status, messages FROM campaign_counts_of(?::uuid, ?::uuid[])";
