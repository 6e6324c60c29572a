//! Deletion of drafts, and moves of campaigns that are scheduled.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    identity::organization::Organization,
    messaging::message::CampaignId,
    outreach::campaign::{Campaign, CampaignStatus},
    shared::id::Id,
};
use ports::{
    outreach::campaigns::{Acted, Deleted},
    shared::store::StoreError,
};

use super::{
    read,
    row::{COLUMNS, CampaignRow},
};
use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, sql::sql},
    schema::campaigns,
};

/// Moves the start of a campaign that is scheduled. A worker that is about to start it loses its
/// lease.
pub(super) async fn reschedule(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: CampaignId,
    (starts_at, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Acted, StoreError> {
    let reschedule = sql!(
        [
            "UPDATE campaigns SET scheduled_at = {starts_at}, due_at = {starts_at}, \
            updated_at = {now}, lease = NULL \
         WHERE organization_id = {organization} AND id = {id} AND status = 'SCHEDULED' \
         RETURNING ",
            COLUMNS
        ],
        starts_at,
        now,
        organization,
        id,
    );
    let row: Option<CampaignRow> = reschedule.row(conn).await?;
    if let Some(row) = row {
        return Ok(Acted::Done(row.try_into()?));
    }
    let known = read(conn, organization, id).await?.map(Campaign::try_from).transpose()?;
    Ok(known.map_or(Acted::Missing, Acted::Refused))
}

/// Deletes a draft.
pub(super) async fn delete(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: CampaignId,
) -> Result<Deleted, StoreError> {
    let draft = campaigns::table
        .find((organization.uuid(), id.uuid()))
        .filter(campaigns::status.eq(CampaignStatus::Draft.as_str()));
    if diesel::delete(draft).execute(conn).await.map_err(store_error)? > 0 {
        return Ok(Deleted::Done);
    }
    let known = read(conn, organization, id).await?.map(Campaign::try_from).transpose()?;
    Ok(known.map_or(Deleted::Missing, |campaign| Deleted::Refused(campaign.status)))
}
