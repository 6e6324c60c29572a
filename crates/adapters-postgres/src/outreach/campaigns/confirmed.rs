//! Campaigns with their confirmations, several at a time.

use std::collections::HashMap;

use domain::{
    identity::organization::Organization,
    messaging::message::CampaignId,
    outreach::campaign::{Campaign, CampaignProgress},
    shared::id::Id,
};
use futures_util::future::try_join3;
use ports::{outreach::campaigns::ConfirmedCampaign, shared::store::StoreError};
use serde_json::Value;
use uuid::Uuid;

use super::row::{COLUMNS, CampaignRow, ConfirmationRow};
use crate::{
    messaging::campaign_counts::counts_of_passed,
    shared::{
        database::connection::Connection,
        query::{row::row, sql::sql},
    },
};

row! {
    struct ConfirmedRow {
        id: Uuid,
        content: Option<Value>,
        content_hash: Option<Vec<u8>>,
        rules: Option<Value>,
    }
}

/// Finds campaigns by three statements that do not wait for each other, however many there are.
pub(super) async fn find(
    conn: &Connection,
    campaigns: &[(Id<Organization>, CampaignId)],
) -> Result<Vec<ConfirmedCampaign>, StoreError> {
    let organizations: Vec<Uuid> = campaigns.iter().map(|(owner, _)| owner.uuid()).collect();
    let ids: Vec<Uuid> = campaigns.iter().map(|(_, id)| id.uuid()).collect();
    let find = sql!(["SELECT ", COLUMNS, WANTED], organizations = &organizations, ids = &ids);
    let find_confirmations = sql!(
        ["SELECT id, content, content_hash, rules", WANTED],
        organizations = &organizations,
        ids = &ids,
    );
    let (rows, confirmations, mut counts) = try_join3(
        find.rows::<CampaignRow>(conn),
        find_confirmations.rows::<ConfirmedRow>(conn),
        counts_of_passed(conn, &organizations, &ids),
    )
    .await?;
    let mut confirmations: HashMap<Uuid, ConfirmationRow> =
        confirmations.into_iter().map(ConfirmedRow::by_campaign).collect();
    let confirmed = |row: CampaignRow| {
        let id = row.id;
        let confirmation = match confirmations.remove(&id) {
            Some(row) => row.confirmation(id)?,
            None => None,
        };
        let counts = counts.remove(&id).unwrap_or_default();
        let progress = CampaignProgress { campaign: Campaign::try_from(row)?, counts };
        Ok(ConfirmedCampaign { progress, confirmation })
    };
    rows.into_iter().map(confirmed).collect()
}

impl ConfirmedRow {
    fn by_campaign(self) -> (Uuid, ConfirmationRow) {
        let Self { id, content, content_hash, rules } = self;
        (id, ConfirmationRow { content, content_hash, rules })
    }
}

/// The names of the columns of `campaigns` stand alone, so the others are not called the same.
const WANTED: &str = " \
    FROM UNNEST({organizations}::uuid[], {ids}::uuid[]) AS wanted (owner, campaign) \
    JOIN campaigns ON campaigns.organization_id = ANY(ARRAY[wanted.owner]) \
        AND campaigns.id = ANY(ARRAY[wanted.campaign])";
