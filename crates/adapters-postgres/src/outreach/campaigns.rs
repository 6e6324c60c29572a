//! Campaigns, as organizations see and change them.

mod background;
mod confirmed;
mod drafts;
mod list;
mod preview;
pub(crate) mod row;

use domain::messaging::message::CampaignId;
use std::collections::HashSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    audience::contact::Contact,
    content::approval::{Approval, ApprovalKind, Decision, Verdict},
    identity::organization::Organization,
    outreach::campaign::{
        Campaign, CampaignAction, CampaignProgress, CampaignStatus, Confirmation, MAX_UNFINISHED,
    },
    shared::{
        address::Address,
        category::Category,
        channel::Channel,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    outreach::campaigns::{
        Acted, CampaignRepository, ConfirmedCampaign, Deleted, Inserted, Updated,
    },
    shared::store::StoreError,
};
use uuid::Uuid;

use self::row::{COLUMNS, CampaignRow, ConfirmationRow, EditRow};
use crate::{
    content::{approval_requests, templates},
    messaging::{campaign_counts::counts_of, intake::lookup},
    shared::{
        database::{connection::Connection, session::PgStore},
        error::store_error,
        query::{run_query::RunQueryDsl, sql::sql},
        schema::{campaign_totals, campaigns, segments},
    },
};

#[async_trait]
impl CampaignRepository for PgStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        status: Option<CampaignStatus>,
        page: Page,
    ) -> Result<Paged<CampaignProgress>, StoreError> {
        let mut session = self.session().await?;
        match status {
            None => list::all(session.conn(), organization, page).await,
            Some(status) => list::in_status(session.conn(), organization, status, page).await,
        }
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
    ) -> Result<Option<CampaignProgress>, StoreError> {
        find_progress(self.session().await?.conn(), organization, id).await
    }

    async fn find_confirmed(
        &self,
        campaigns: &[(Id<Organization>, CampaignId)],
    ) -> Result<Vec<ConfirmedCampaign>, StoreError> {
        confirmed::find(self.session().await?.pipeline(), campaigns).await
    }

    async fn confirmation(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
    ) -> Result<Option<Confirmation>, StoreError> {
        let query = campaigns::table
            .find((organization.uuid(), id.uuid()))
            .select(ConfirmationRow::as_select());
        let row: Option<ConfirmationRow> =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map_or(Ok(None), |row| row.confirmation(id.uuid()))
    }

    async fn insert(&self, campaign: &Campaign) -> Result<Inserted, StoreError> {
        let mut session = self.transaction().await?;
        let conn = session.conn();
        let unfinished: Option<i64> = campaign_totals::table
            .find(campaign.organization.uuid())
            .select(campaign_totals::unfinished)
            .first(conn)
            .await
            .optional()
            .map_err(store_error)?;
        if unfinished.unwrap_or_default().unsigned_abs() >= MAX_UNFINISHED {
            return Ok(Inserted::TooMany);
        }
        if !hold_segment(conn, campaign).await? {
            return Ok(Inserted::SegmentMissing);
        }
        if !hold_template(conn, campaign).await? {
            return Ok(Inserted::TemplateMissing);
        }
        let insert = diesel::insert_into(campaigns::table).values(CampaignRow::from(campaign));
        insert.execute(conn).await.map_err(store_error)?;
        session.commit().await?;
        Ok(Inserted::Done)
    }

    async fn update(&self, edited: &Campaign) -> Result<Updated, StoreError> {
        let mut session = self.transaction().await?;
        let conn = session.conn();
        if !hold_segment(conn, edited).await? {
            return Ok(Updated::SegmentMissing);
        }
        if !hold_template(conn, edited).await? {
            return Ok(Updated::TemplateMissing);
        }
        let draft = campaigns::table
            .find((edited.organization.uuid(), edited.id.uuid()))
            .filter(campaigns::status.eq(CampaignStatus::Draft.as_str()))
            .filter(campaigns::version.eq(edited.version - 1));
        let edit = diesel::update(draft).set((
            EditRow::from(edited),
            campaigns::channel.eq(edited.channel.as_str()),
            campaigns::version.eq(edited.version),
            campaigns::authors.eq(edited.authors.iter().map(|it| it.uuid()).collect::<Vec<_>>()),
            campaigns::updated_at.eq(edited.updated_at),
        ));
        if edit.execute(conn).await.map_err(store_error)? == 0 {
            return Ok(Updated::Overtaken);
        }
        session.commit().await?;
        Ok(Updated::Done)
    }

    async fn confirm(
        &self,
        draft: &Campaign,
        confirmation: &Confirmation,
        (action, approval): (CampaignAction, Option<Approval>),
        now: DateTime<Utc>,
    ) -> Result<Option<Campaign>, StoreError> {
        let same = campaigns::table
            .find((draft.organization.uuid(), draft.id.uuid()))
            .filter(campaigns::status.eq(CampaignStatus::Draft.as_str()))
            .filter(campaigns::version.eq(draft.version));
        let mut session = self.transaction().await?;
        let conn = session.conn();
        let keep = diesel::update(same).set(ConfirmationRow::from(confirmation));
        if keep.execute(conn).await.map_err(store_error)? == 0 {
            return Ok(None);
        }
        let (key, sources) = ((draft.organization, draft.id), [CampaignStatus::Draft]);
        let confirmed = act(conn, key, (action, &sources), now).await?;
        if let Some(approval) = approval {
            approval_requests::insert(conn, &approval).await?;
        }
        session.commit().await?;
        Ok(confirmed)
    }

    async fn act(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
        action: CampaignAction,
        now: DateTime<Utc>,
    ) -> Result<Acted, StoreError> {
        let mut session = self.transaction().await?;
        let conn = session.conn();
        let done = act(conn, (organization, id), (action, &action.sources()), now).await?;
        let Some(campaign) = done else {
            let known = read(conn, organization, id).await?.map(Campaign::try_from).transpose()?;
            return Ok(known.map_or(Acted::Missing, Acted::Refused));
        };
        if action == CampaignAction::Cancel {
            let asked = (ApprovalKind::Campaign, id.uuid());
            approval_requests::withdraw(conn, organization, asked, now).await?;
        }
        session.commit().await?;
        Ok(Acted::Done(campaign))
    }

    async fn sample_points(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<Vec<Id<Contact>>, StoreError> {
        preview::sample_points(self.session().await?.conn(), organization, limit).await
    }

    async fn suppressed(
        &self,
        organization: Id<Organization>,
        concerned: (Channel, Category),
        recipients: &[Address],
    ) -> Result<HashSet<Address>, StoreError> {
        let mut session = self.session().await?;
        lookup::suppressed_among(session.conn(), organization, concerned, recipients).await
    }

    async fn reschedule(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
        starts_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Acted, StoreError> {
        let mut session = self.session().await?;
        drafts::reschedule(session.conn(), organization, id, (starts_at, now)).await
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        id: CampaignId,
    ) -> Result<Deleted, StoreError> {
        drafts::delete(self.session().await?.conn(), organization, id).await
    }
}

/// Finds a campaign with the counts of its messages.
pub(crate) async fn find_progress(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: CampaignId,
) -> Result<Option<CampaignProgress>, StoreError> {
    let row = read(conn, organization, id).await?;
    let found = with_counts(conn, organization, row.into_iter().collect()).await?;
    Ok(found.into_iter().next())
}

async fn read(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: CampaignId,
) -> Result<Option<CampaignRow>, StoreError> {
    let query = CampaignRow::query()
        .filter(campaigns::organization_id.eq(organization.uuid()))
        .filter(campaigns::id.eq(id.uuid()));
    query.first(conn).await.optional().map_err(store_error)
}

/// True if the segment of a campaign exists; then it cannot be deleted before the transaction ends.
async fn hold_segment(conn: &mut Connection, campaign: &Campaign) -> Result<bool, StoreError> {
    let Some(segment) = campaign.segment else { return Ok(true) };
    let held = segments::table
        .find((campaign.organization.uuid(), segment.uuid()))
        .select(segments::id)
        .for_key_share();
    let held: Option<Uuid> = held.first(conn).await.optional().map_err(store_error)?;
    Ok(held.is_some())
}

/// True if the template of a campaign is not deleted; then it cannot be before the transaction ends.
async fn hold_template(conn: &mut Connection, campaign: &Campaign) -> Result<bool, StoreError> {
    templates::hold(conn, campaign.organization, campaign.template.as_slice()).await
}

/// Adds the counts of messages to campaigns.
async fn with_counts(
    conn: &mut Connection,
    organization: Id<Organization>,
    rows: Vec<CampaignRow>,
) -> Result<Vec<CampaignProgress>, StoreError> {
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let mut counts = counts_of(conn, organization, &ids).await?;
    let progress = |row: CampaignRow| {
        let counts = counts.remove(&row.id).unwrap_or_default();
        Ok(CampaignProgress { campaign: Campaign::try_from(row)?, counts })
    };
    rows.into_iter().map(progress).collect()
}

/// Applies an action to a campaign that has one of these statuses; `None` if it has another, or
/// does not exist.
async fn act(
    conn: &mut Connection,
    (organization, id): (Id<Organization>, CampaignId),
    (action, sources): (CampaignAction, &[CampaignStatus]),
    now: DateTime<Utc>,
) -> Result<Option<Campaign>, StoreError> {
    let sources: Vec<_> = sources.iter().map(|status| status.as_str()).collect();
    let paused_reason = match action {
        CampaignAction::Pause(reason) => Some(reason.as_str()),
        _ => None,
    };
    let act = sql!(
        [ACT, COLUMNS],
        target = action.target().as_str(),
        reason = paused_reason,
        at = now,
        organization,
        id,
        sources,
    );
    let row: Option<CampaignRow> = act.row(conn).await?;
    row.map(Campaign::try_from).transpose()
}

/// Starts an approved campaign, or ends a rejected one; returns false if its content has changed
/// since. A campaign that no longer waits for a decision stays as it is.
pub(crate) async fn settle(
    conn: &mut Connection,
    approval: &Approval,
    decision: &Decision,
) -> Result<bool, StoreError> {
    let same = campaigns::table
        .find((approval.organization.uuid(), approval.resource))
        .filter(campaigns::content_hash.eq(approval.hash.as_slice()))
        .select(campaigns::scheduled_at)
        .for_update();
    let scheduled_at: Option<Option<DateTime<Utc>>> =
        same.first(conn).await.optional().map_err(store_error)?;
    let Some(scheduled_at) = scheduled_at else { return Ok(false) };
    let action = match decision.verdict {
        Verdict::Approved => CampaignAction::go(scheduled_at, decision.at),
        Verdict::Rejected => CampaignAction::Reject,
    };
    let sources = [CampaignStatus::PendingApproval];
    let (organization, id) = (approval.organization, Id::of(approval.resource));
    act(conn, (organization, id), (action, &sources), decision.at).await?;
    Ok(true)
}

const ACT: &str = "\
    UPDATE campaigns AS campaign \
    SET status = next.target, paused_reason = next.reason, updated_at = next.at, \
        needed_micros = NULL, lease = NULL, \
        due_at = CASE WHEN next.target = 'SCHEDULED' THEN scheduled_at \
            WHEN next.target = 'SENDING' OR next.target = 'CANCELLED' AND started_at IS NOT NULL \
                THEN next.at END, \
        settled_at = CASE WHEN next.target IN ('REJECTED', 'CANCELLED') AND started_at IS NULL \
            THEN next.at END \
    FROM (SELECT {target}::text AS target, {reason}::text AS reason, {at}::timestamptz AS at) \
        AS next \
    WHERE organization_id = {organization} AND id = {id} AND status = ANY({sources}) \
    RETURNING ";
