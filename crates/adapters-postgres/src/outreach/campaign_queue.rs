//! Campaigns that are due: leases and progress.

mod completion;
mod cutoff;
mod start;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    OptionalExtension,
    sql_types::{Array, BigInt, Bool, Date, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
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
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Duration of a lease in seconds: longer than a turn takes.
const LEASE_SECONDS: i64 = 30;

/// Columns of a claimed campaign: organization, campaign, lease, first contact that is too late,
/// last contact that has its message, time at which the last one was passed, and true if the
/// segment exists.
type ClaimedTypes =
    (SqlUuid, SqlUuid, SqlUuid, Nullable<SqlUuid>, Nullable<SqlUuid>, Nullable<Timestamptz>, Bool);
type Claimed = (Uuid, Uuid, Uuid, Option<Uuid>, Option<Uuid>, Option<DateTime<Utc>>, bool);

#[async_trait]
impl CampaignQueue for PgStore {
    async fn claim(&self) -> Result<Option<LeasedCampaign>, StoreError> {
        let claim = Statement::<ClaimedTypes>::returning(&[CLAIM])
            .bind::<Nullable<Text>, _>(self.lease_prefix())
            .bind::<BigInt, _>(LEASE_SECONDS);
        let mut session = self.session().await?;
        let claimed: Option<Claimed> =
            claim.get_result(session.conn()).await.optional().map_err(store_error)?;
        Ok(claimed.map(|(organization, id, lease, until, position, expanded_at, has_segment)| {
            LeasedCampaign {
                organization: organization.into(),
                id: id.into(),
                lease: Lease(lease),
                contacts_until: until.map(Id::of),
                position: position.map(Id::of),
                expanded_at,
                has_segment,
            }
        }))
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
        let statement = Statement::new(&[END_EXPANSION]).bind::<Timestamptz, _>(at);
        let statement = held(statement, campaign);
        self.change(statement.bind::<Nullable<SqlUuid>, _>(last.map(Id::uuid))).await
    }

    async fn pause_unpaid(
        &self,
        campaign: &LeasedCampaign,
        reason: PausedReason,
        needed: Money,
        at: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let statement = Statement::new(&[PAUSE])
            .bind::<Text, _>(reason.as_str())
            .bind::<BigInt, _>(needed.micros())
            .bind::<Timestamptz, _>(at);
        let sources = names(&CampaignAction::Pause(reason).sources());
        self.change(held(statement, campaign).bind::<Array<Text>, _>(sources)).await
    }

    async fn resume_paid(&self, at: DateTime<Utc>) -> Result<Vec<CampaignId>, StoreError> {
        let statement = Statement::<SqlUuid>::returning(&[RESUME_PAID])
            .bind::<Date, _>(at.date_naive())
            .bind::<Timestamptz, _>(at)
            .bind::<Timestamptz, _>(at);
        let mut session = self.session().await?;
        let resumed: Vec<Uuid> = statement.load(session.conn()).await.map_err(store_error)?;
        Ok(resumed.into_iter().map(Id::of).collect())
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
        let statement = Statement::new(&[SETTLE, NOTHING_WAITS]).bind::<Timestamptz, _>(at);
        self.change(bind_counts(held(statement, campaign), campaign)).await
    }

    async fn fail(&self, campaign: &LeasedCampaign, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let sources = names(&CampaignAction::Fail.sources());
        let statement = Statement::new(&[FAIL]).bind::<Timestamptz, _>(at);
        self.change(held(statement, campaign).bind::<Array<Text>, _>(sources)).await
    }

    async fn give_back(
        &self,
        campaign: &LeasedCampaign,
        delay: Option<TimeDelta>,
    ) -> Result<(), StoreError> {
        let statement = Statement::new(&[GIVE_BACK])
            .bind::<Nullable<BigInt>, _>(delay.map(|delay| delay.num_milliseconds()));
        self.change(held(statement, campaign)).await.map(drop)
    }
}

impl PgStore {
    /// Runs a statement on a campaign; returns false if its state was not the expected one.
    async fn change(&self, statement: Statement<'_>) -> Result<bool, StoreError> {
        let mut session = self.session().await?;
        Ok(statement.execute(session.conn()).await.map_err(store_error)? > 0)
    }
}

fn names(statuses: &[CampaignStatus]) -> Vec<&'static str> {
    statuses.iter().map(|status| status.as_str()).collect()
}

/// Binds the campaign and its lease.
fn held<'v, ST>(statement: Statement<'v, ST>, campaign: &LeasedCampaign) -> Statement<'v, ST> {
    statement
        .bind::<SqlUuid, _>(campaign.organization.uuid())
        .bind::<SqlUuid, _>(campaign.id.uuid())
        .bind::<SqlUuid, _>(campaign.lease.0)
}

/// Binds the values of [`NOTHING_WAITS`].
fn bind_counts<'v, ST>(
    statement: Statement<'v, ST>,
    campaign: &LeasedCampaign,
) -> Statement<'v, ST> {
    statement
        .bind::<SqlUuid, _>(campaign.organization.uuid())
        .bind::<SqlUuid, _>(campaign.id.uuid())
}

/// A campaign that was given back comes last. While one campaign of an organization is leased its
/// others wait, so that many campaigns of one organization leave workers to others. A worker that
/// loses the race for the first one takes none: it looks again in a moment.
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM campaigns AS campaign WHERE due_at <= now() \
            AND NOT EXISTS (SELECT FROM campaigns AS other \
                WHERE other.organization_id = ANY(ARRAY[campaign.organization_id]) \
                    AND other.lease IS NOT NULL AND other.due_at > now()) \
        ORDER BY due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED \
    ) \
    UPDATE campaigns campaign SET lease = lease_of(?), \
        due_at = now() + make_interval(secs => ?::bigint) \
    FROM next \
    WHERE campaign.organization_id = ANY(ARRAY[next.organization_id]) \
        AND campaign.id = ANY(ARRAY[next.id]) \
    RETURNING campaign.organization_id, campaign.id, lease, contacts_until, position, expanded_at, \
        segment_id IS NULL OR EXISTS (SELECT FROM segments segment \
            WHERE segment.organization_id = campaign.organization_id \
                AND segment.id = campaign.segment_id)";

const END_EXPANSION: &str = "\
    UPDATE campaigns SET expanded_at = ?, due_at = now(), lease = NULL \
    WHERE organization_id = ? AND id = ? AND lease = ? AND status = 'SENDING' \
        AND position IS NOT DISTINCT FROM ? AND expanded_at IS NULL";

const PAUSE: &str = "\
    UPDATE campaigns SET status = 'PAUSED', paused_reason = ?, needed_micros = ?, updated_at = ?, \
        due_at = NULL, lease = NULL \
    WHERE organization_id = ? AND id = ? AND lease = ? AND status = ANY(?)";

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
                    - CASE WHEN spent_on >= ?::date THEN spent_micros ELSE 0 END END \
        FOR NO KEY UPDATE OF campaign SKIP LOCKED \
    ) \
    UPDATE campaigns campaign SET status = 'SENDING', paused_reason = NULL, needed_micros = NULL, \
        updated_at = ?, due_at = ?, lease = NULL \
    FROM paid \
    WHERE campaign.organization_id = ANY(ARRAY[paid.organization_id]) \
        AND campaign.id = ANY(ARRAY[paid.id]) \
    RETURNING campaign.id";

const SETTLE: &str = "\
    UPDATE campaigns SET settled_at = ?, due_at = NULL, lease = NULL \
    WHERE organization_id = ? AND id = ? AND lease = ? AND status IN ('CANCELLED', 'FAILED') AND ";

/// Binds the organization and the campaign.
const NOTHING_WAITS: &str = "\
    NOT EXISTS (SELECT FROM campaign_counts_of(?::uuid, ?::uuid) AS counts \
        WHERE counts.status IN ('QUEUED', 'PENDING') AND counts.messages > 0)";

const FAIL: &str = "\
    UPDATE campaigns SET status = 'FAILED', updated_at = ?, due_at = now(), lease = NULL \
    WHERE organization_id = ? AND id = ? AND lease = ? AND status = ANY(?)";

const GIVE_BACK: &str = "\
    UPDATE campaigns SET lease = NULL, due_at = now() + make_interval(secs => ?::bigint / 1000.0) \
    WHERE organization_id = ? AND id = ? AND lease = ?";
