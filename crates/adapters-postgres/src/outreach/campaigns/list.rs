//! Lists of campaigns.

use diesel::prelude::*;
use domain::{
    identity::organization::Organization,
    outreach::campaign::{CampaignProgress, CampaignStatus},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::shared::store::StoreError;

use super::{
    row::{CampaignRow, listed_columns},
    with_counts,
};
use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{listed::Listed, run_query::RunQueryDsl, sql::sql},
    schema::{campaign_totals, campaigns},
};

/// Maximum number of campaigns in a status that are counted.
const MOST_COUNTED: u64 = 1_000;

/// Returns a page of all campaigns.
pub(super) async fn all(
    conn: &mut Connection,
    organization: Id<Organization>,
    page: Page,
) -> Result<Paged<CampaignProgress>, StoreError> {
    // Stored, not counted.
    let total = campaign_totals::table.find(organization.uuid());
    let total: Option<i64> = total
        .select(campaign_totals::campaigns)
        .first(conn)
        .await
        .optional()
        .map_err(store_error)?;
    let query = CampaignRow::query()
        .filter(campaigns::organization_id.eq(organization.uuid()))
        .order(campaigns::id.desc())
        .offset(i64::try_from(page.offset()).unwrap_or(i64::MAX))
        .limit(page.limit().into());
    let listed = Listed::new(listed_columns(), query);
    let rows: Vec<CampaignRow> = listed.load(conn).await.map_err(store_error)?;
    let items = with_counts(conn, organization, rows).await?;
    Ok(Paged::counted(items, page, total.unwrap_or_default().unsigned_abs()))
}

/// Returns a page of the campaigns in a status.
pub(super) async fn in_status(
    conn: &mut Connection,
    organization: Id<Organization>,
    status: CampaignStatus,
    page: Page,
) -> Result<Paged<CampaignProgress>, StoreError> {
    let count = sql!(
        "SELECT count(*) \
         FROM (SELECT FROM campaigns WHERE organization_id = {organization} AND status = {status} \
            LIMIT {most}) AS found",
        organization,
        status = status.as_str(),
        most = MOST_COUNTED.saturating_add(1).cast_signed(),
    );
    let found: i64 = count.only(conn).await?;
    let query = CampaignRow::query()
        .filter(campaigns::organization_id.eq(organization.uuid()))
        .filter(campaigns::status.eq(status.as_str()))
        .order(campaigns::id.desc())
        .offset(i64::try_from(page.offset()).unwrap_or(i64::MAX))
        .limit(page.limit().into());
    let listed = Listed::new(listed_columns(), query);
    let rows: Vec<CampaignRow> = listed.load(conn).await.map_err(store_error)?;
    let items = with_counts(conn, organization, rows).await?;
    Ok(Paged::counted_up_to(MOST_COUNTED, items, page, found.unsigned_abs()))
}
