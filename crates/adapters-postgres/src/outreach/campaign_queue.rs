//! Campaigns that are due: leases and progress.

mod completion;
mod cutoff;
mod start;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::messaging::message::CampaignId;
use domain::{
    audience::contact::Contact,
    messaging::job::Lease,
    outreach::campaign::{CampaignAction, CampaignProgress, CampaignStatus, PausedReason},
    shared::{id::Id, money::Money},
};
use ports::{
    outreach::campaign_queue::{CampaignQueue, CampaignStart, LeasedCampaign},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    query::{
        row::row,
        sql::{Place, Sql, sql},
    },
};

/// Duration of a lease in seconds: longer than a turn takes. The longest is that of a start, in which the
/// first contacts are found and all are counted, each in half a minute at most.
const LEASE_SECONDS: i64 = 90;
/// Number of due campaigns that a claim reads for each one that it leases: some have the same
/// organization, and others are claimed at the same moment.
const READ_FOR_EACH: i64 = 4;

row! {
    struct ClaimedRow {
        organization_id: Uuid,
        id: Uuid,
        lease: Uuid,
        /// First contact that is too late.
        contacts_until: Option<Uuid>,
        /// Last contact that has its message.
        position: Option<Uuid>,
        /// Time at which the last contact was passed.
        expanded_at: Option<DateTime<Utc>>,
        has_segment: bool,
    }
}

impl ClaimedRow {
    fn leased(self) -> LeasedCampaign {
        LeasedCampaign {
            organization: self.organization_id.into(),
            id: self.id.into(),
            lease: Lease(self.lease),
            contacts_until: self.contacts_until.map(Id::of),
            position: self.position.map(Id::of),
            expanded_at: self.expanded_at,
            has_segment: self.has_segment,
        }
    }
}

#[async_trait]
impl CampaignQueue for PgStore {
    async fn claim(&self, most: u32) -> Result<Vec<LeasedCampaign>, StoreError> {
        let claim = sql!(
            CLAIM,
            lease_prefix = self.lease_prefix(),
            seconds = LEASE_SECONDS,
            read = i64::from(most) * READ_FOR_EACH,
            most = i64::from(most),
        );
        let claimed: Vec<ClaimedRow> = claim.rows(self.session().await?.conn()).await?;
        Ok(claimed.into_iter().map(ClaimedRow::leased).collect())
    }

    async fn set_cutoff(
        &self,
        campaign: &LeasedCampaign,
        latest: Id<Contact>,
    ) -> Result<Id<Contact>, StoreError> {
        self.close_contacts(campaign.organization, latest).await
    }

    async fn start(
        &self,
        campaign: &LeasedCampaign,
        start: &CampaignStart,
    ) -> Result<bool, StoreError> {
        self.start_campaign(campaign, start).await
    }

    async fn end_expansion(
        &self,
        campaign: &LeasedCampaign,
        last: Option<Id<Contact>>,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let end = sql!(
            "UPDATE campaigns SET expanded_at = {at}, due_at = now(), lease = NULL \
             WHERE organization_id = {organization} AND id = {id} AND lease = {lease} \
                AND status = 'SENDING' AND position IS NOT DISTINCT FROM {last} \
                AND expanded_at IS NULL",
            at,
            organization = campaign.organization,
            id = campaign.id,
            lease = campaign.lease.0,
            last,
        );
        self.change(end).await
    }

    async fn pause_unpaid(
        &self,
        campaign: &LeasedCampaign,
        reason: PausedReason,
        needed: Money,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let pause = sql!(
            "UPDATE campaigns SET status = 'PAUSED', paused_reason = {reason}, \
                needed_micros = {needed}, updated_at = {at}, due_at = NULL, lease = NULL \
             WHERE organization_id = {organization} AND id = {id} AND lease = {lease} \
                AND status = ANY({sources})",
            reason = reason.as_str(),
            needed,
            at,
            organization = campaign.organization,
            id = campaign.id,
            lease = campaign.lease.0,
            sources = names(&CampaignAction::Pause(reason).sources()),
        );
        self.change(pause).await
    }

    async fn resume_paid(&self, at: DateTime<Utc>) -> Result<Vec<CampaignId>, StoreError> {
        let resume = sql!(RESUME_PAID, today = at.date_naive(), at);
        resume.values(self.session().await?.conn()).await
    }

    async fn complete(
        &self,
        campaign: &LeasedCampaign,
        completed: &CampaignProgress,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        self.complete_campaign(campaign, completed, at).await
    }

    async fn settle(
        &self,
        campaign: &LeasedCampaign,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let settle = sql!(
            [
                "UPDATE campaigns SET settled_at = {at}, due_at = NULL, lease = NULL \
                 WHERE organization_id = {organization} AND id = {id} AND lease = {lease} \
                    AND status IN ('CANCELLED', 'FAILED') AND ",
                NOTHING_WAITS,
            ],
            at,
            organization = campaign.organization,
            id = campaign.id,
            lease = campaign.lease.0,
        );
        self.change(settle).await
    }

    async fn fail(&self, campaign: &LeasedCampaign, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let fail = sql!(
            "UPDATE campaigns SET status = 'FAILED', updated_at = {at}, due_at = now(), \
                lease = NULL \
             WHERE organization_id = {organization} AND id = {id} AND lease = {lease} \
                AND status = ANY({sources})",
            at,
            organization = campaign.organization,
            id = campaign.id,
            lease = campaign.lease.0,
            sources = names(&CampaignAction::Fail.sources()),
        );
        self.change(fail).await
    }

    async fn give_back(
        &self,
        campaign: &LeasedCampaign,
        delay: Option<TimeDelta>,
    ) -> Result<(), StoreError> {
        let give_back = sql!(
            "UPDATE campaigns SET lease = NULL, \
                due_at = now() + make_interval(secs => {delay}::bigint / 1000.0) \
             WHERE organization_id = {organization} AND id = {id} AND lease = {lease}",
            delay = delay.map(|delay| delay.num_milliseconds()),
            organization = campaign.organization,
            id = campaign.id,
            lease = campaign.lease.0,
        );
        self.change(give_back).await.map(drop)
    }
}

impl PgStore {
    /// Runs a statement on a campaign; returns false if its state was not the expected one.
    async fn change<P: Place>(&self, statement: Sql<'_, P>) -> Result<bool, StoreError> {
        Ok(statement.execute(self.session().await?.conn()).await? > 0)
    }
}

fn names(statuses: &[CampaignStatus]) -> Vec<&'static str> {
    statuses.iter().map(|status| status.as_str()).collect()
}

/// A campaign that was given back comes last. While one campaign of an organization is leased its
/// others wait, so that many campaigns of one organization leave workers to others. An organization
/// whose campaigns fill the part of the queue that is read takes part with the first of them alone.
/// `IS TRUE` keeps the planner from finding a campaign by its time instead of its key, and `OFFSET 0`
/// from comparing each with all that are leased.
const CLAIM: &str = "\
    WITH waiting AS ( \
        SELECT organization_id, id, due_at, \
            row_number() OVER (PARTITION BY organization_id ORDER BY due_at, id) AS place \
        FROM (SELECT organization_id, id, due_at FROM campaigns AS campaign \
            WHERE due_at <= now() \
                AND NOT EXISTS (SELECT FROM campaigns AS other \
                    WHERE other.organization_id = ANY(ARRAY[campaign.organization_id]) \
                        AND other.lease IS NOT NULL AND other.due_at > now() OFFSET 0) \
            ORDER BY due_at LIMIT {read}) AS first \
    ), next AS ( \
        SELECT campaign.organization_id, campaign.id FROM waiting JOIN campaigns campaign \
            ON campaign.organization_id = ANY(ARRAY[waiting.organization_id]) \
                AND campaign.id = ANY(ARRAY[waiting.id]) \
        WHERE waiting.place = 1 AND (campaign.due_at <= now()) IS TRUE \
        ORDER BY waiting.due_at LIMIT {most} FOR NO KEY UPDATE OF campaign SKIP LOCKED \
    ) \
    UPDATE campaigns campaign SET lease = lease_of({lease_prefix}), \
        due_at = now() + make_interval(secs => {seconds}::bigint) \
    FROM next \
    WHERE campaign.organization_id = ANY(ARRAY[next.organization_id]) \
        AND campaign.id = ANY(ARRAY[next.id]) \
    RETURNING campaign.organization_id, campaign.id, lease, contacts_until, position, expanded_at, \
        segment_id IS NULL OR EXISTS (SELECT FROM segments segment \
            WHERE segment.organization_id = campaign.organization_id \
                AND segment.id = campaign.segment_id) AS has_segment";

/// The balance and the limit of wallets are compared here, and debited when the next batch is
/// accepted. A refund that is still to be moved to its wallet arrives there within a second.
const RESUME_PAID: &str = "\
    WITH paid AS ( \
        SELECT campaign.organization_id, campaign.id FROM campaigns campaign JOIN wallets \
            ON wallets.organization_id = ANY(ARRAY[campaign.organization_id]) \
        WHERE campaign.status = 'PAUSED' AND CASE campaign.paused_reason \
            WHEN 'INSUFFICIENT_BALANCE' THEN wallets.balance_micros >= campaign.needed_micros \
            WHEN 'SPENDING_LIMIT_REACHED' THEN wallets.daily_limit_micros IS NULL \
                OR campaign.needed_micros <= wallets.daily_limit_micros \
                    - CASE WHEN spent_on >= {today}::date THEN spent_micros ELSE 0 END END \
        FOR NO KEY UPDATE OF campaign SKIP LOCKED \
    ) \
    UPDATE campaigns campaign SET status = 'SENDING', paused_reason = NULL, needed_micros = NULL, \
        updated_at = {at}, due_at = {at}, lease = NULL \
    FROM paid \
    WHERE campaign.organization_id = ANY(ARRAY[paid.organization_id]) \
        AND campaign.id = ANY(ARRAY[paid.id]) \
    RETURNING campaign.id";

/// Condition that the campaign has no waiting messages.
const NOTHING_WAITS: &str = "\
    NOT EXISTS (SELECT FROM campaign_counts_of({organization}::uuid, {id}::uuid) AS counts \
        WHERE counts.status IN ('QUEUED', 'PENDING') AND counts.messages > 0)";
