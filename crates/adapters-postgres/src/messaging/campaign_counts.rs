//! Numbers of campaign messages in each state.

use domain::messaging::message::CampaignId;
use std::collections::{BTreeMap, HashMap};

use diesel::{
    prelude::*,
    sql_types::{Array, BigInt, Nullable, Text, Uuid as SqlUuid},
};
use domain::{
    identity::organization::Organization,
    messaging::delivery::Status,
    outreach::campaign::{CampaignCounts, FailureCount},
    shared::{id::Id, money::Money},
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
pub(crate) struct CampaignChanges(BTreeMap<CampaignKey, CampaignChange>);

/// State of messages of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CampaignKey {
    pub(crate) organization: Id<Organization>,
    pub(crate) campaign: CampaignId,
    pub(crate) status: Status,
    /// Reason of a failure; `None` in any other state.
    pub(crate) reason: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, Default)]
struct CampaignChange {
    messages: i64,
    cost: i64,
}

impl CampaignChanges {
    /// Counts messages that entered a state, or, below zero, left it, and their price.
    pub(crate) fn add(&mut self, key: CampaignKey, messages: i64, price: Money) {
        let change = self.0.entry(key).or_default();
        change.messages += messages;
        change.cost += messages * price.micros();
    }

    /// True if nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Binds six columns: organizations, campaigns, statuses, numbers of messages, reasons, prices in
    /// micros.
    pub(crate) fn bind<'v, ST>(&self, statement: Statement<'v, ST>) -> Statement<'v, ST> {
        let (keys, changes) = (|| self.0.keys(), || self.0.values());
        statement
            .bind::<Array<SqlUuid>, _>(
                keys().map(|key| key.organization.uuid()).collect::<Vec<_>>(),
            )
            .bind::<Array<SqlUuid>, _>(keys().map(|key| key.campaign.uuid()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys().map(|key| key.status.as_str()).collect::<Vec<_>>())
            .bind::<Array<BigInt>, _>(changes().map(|change| change.messages).collect::<Vec<_>>())
            .bind::<Array<Nullable<Text>>, _>(keys().map(|key| key.reason).collect::<Vec<_>>())
            .bind::<Array<BigInt>, _>(changes().map(|change| change.cost).collect::<Vec<_>>())
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
    let count = Statement::<FigureTypes>::returning(&[COUNT])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Array<SqlUuid>, _>(campaigns);
    let rows: Vec<FigureRow> = count.load(conn).await.map_err(store_error)?;
    let mut counts = HashMap::<_, CampaignCounts>::new();
    for row in rows {
        let corrupt = || corrupt("campaign_counts", row.campaign);
        let messages = u64::try_from(row.messages).unwrap_or_default();
        let counts = counts.entry(row.campaign).or_default();
        if let Some(reason) = row.reason {
            let code = reason.parse().map_err(|_| corrupt())?;
            counts.failures.push(FailureCount { code, messages });
        } else {
            let status = row.status.parse().map_err(|_| corrupt())?;
            counts.add(status, messages, Money::from_micros(row.cost));
        }
    }
    Ok(counts)
}

/// Campaign, status, reason, messages, and their price in micros.
type FigureTypes = (SqlUuid, Text, Nullable<Text>, BigInt, BigInt);

/// Messages of a campaign in one state, or failed for one reason.
#[derive(Queryable)]
struct FigureRow {
    campaign: Uuid,
    status: String,
    reason: Option<String>,
    messages: i64,
    cost: i64,
}

const COUNT: &str = "\
    SELECT campaign_id, status, reason, messages, cost_micros \
    FROM campaign_figures_of(?::uuid, ?::uuid[])";
