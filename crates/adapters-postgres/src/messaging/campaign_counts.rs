//! Numbers of campaign messages in each state.

use domain::messaging::message::CampaignId;
use std::collections::{BTreeMap, HashMap};

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
    error::corrupt,
    query::{row::row, sql::sql},
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

/// [`CampaignChanges`], column by column.
pub(crate) struct CampaignColumns {
    pub(crate) organizations: Vec<Uuid>,
    pub(crate) campaigns: Vec<Uuid>,
    pub(crate) statuses: Vec<&'static str>,
    pub(crate) messages: Vec<i64>,
    pub(crate) reasons: Vec<Option<&'static str>>,
    /// Prices in micros.
    pub(crate) costs: Vec<i64>,
}

row! {
    /// Messages of a campaign in one state, or failed for one reason.
    struct FigureRow {
        campaign_id: Uuid,
        status: String,
        reason: Option<String>,
        messages: i64,
        cost_micros: Money,
    }
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

    /// Returns the changes column by column.
    pub(crate) fn columns(&self) -> CampaignColumns {
        let (keys, changes) = (|| self.0.keys(), || self.0.values());
        CampaignColumns {
            organizations: keys().map(|key| key.organization.uuid()).collect(),
            campaigns: keys().map(|key| key.campaign.uuid()).collect(),
            statuses: keys().map(|key| key.status.as_str()).collect(),
            messages: changes().map(|change| change.messages).collect(),
            reasons: keys().map(|key| key.reason).collect(),
            costs: changes().map(|change| change.cost).collect(),
        }
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
    let count = sql!(
        "SELECT campaign_id, status, reason, messages, cost_micros \
         FROM campaign_figures_of({organization}::uuid, {campaigns}::uuid[])",
        organization,
        campaigns,
    );
    by_campaign(count.rows(conn).await?)
}

/// Returns the current counts of campaigns that have passed their last contact, or were cancelled or
/// failed. Other campaigns, and those without messages, are left out.
pub(crate) async fn counts_of_passed(
    conn: &Connection,
    organizations: &[Uuid],
    campaigns: &[Uuid],
) -> Result<HashMap<Uuid, CampaignCounts>, StoreError> {
    let count = sql!(
        "SELECT figure.campaign_id, figure.status, figure.reason, figure.messages, \
            figure.cost_micros \
         FROM UNNEST({organizations}::uuid[], {campaigns}::uuid[]) \
            AS wanted (organization_id, id) JOIN campaigns campaign \
            ON campaign.organization_id = ANY(ARRAY[wanted.organization_id]) \
                AND campaign.id = ANY(ARRAY[wanted.id]) \
            CROSS JOIN LATERAL campaign_figures_of(campaign.organization_id, ARRAY[campaign.id]) \
                AS figure \
         WHERE campaign.expanded_at IS NOT NULL OR campaign.status IN ('CANCELLED', 'FAILED')",
        organizations,
        campaigns,
    );
    by_campaign(count.rows(conn).await?)
}

fn by_campaign(rows: Vec<FigureRow>) -> Result<HashMap<Uuid, CampaignCounts>, StoreError> {
    let mut counts = HashMap::<_, CampaignCounts>::new();
    for row in rows {
        let corrupt = || corrupt("campaign_counts", row.campaign_id);
        let messages = u64::try_from(row.messages).unwrap_or_default();
        let counts = counts.entry(row.campaign_id).or_default();
        if let Some(reason) = row.reason {
            let code = reason.parse().map_err(|_| corrupt())?;
            counts.failures.push(FailureCount { code, messages });
        } else {
            let status = row.status.parse().map_err(|_| corrupt())?;
            counts.add(status, messages, row.cost_micros);
        }
    }
    Ok(counts)
}
