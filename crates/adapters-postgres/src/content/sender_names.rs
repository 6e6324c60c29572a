//! Sender names, and their owners.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{dsl::exists, prelude::*, result::Error as DieselError, select};
use domain::{
    content::{
        approval::{Approval, ApprovalKind, Decision},
        sender_name::{SenderName, SenderNameStatus},
    },
    identity::organization::Organization,
    shared::{
        id::Id,
        sender::{ApprovedSender, Sender},
    },
};
use ports::{
    content::sender_names::{Claim, SenderNameRepository},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::{
    content::approval_requests,
    shared::{
        database::{connection::Connection, session::PgStore},
        error::{corrupt, store_error},
        query::{row::row, run_query::RunQueryDsl, sql::sql},
        schema::{sender_name_claims, sender_names},
    },
};

#[derive(HasQuery)]
#[diesel(table_name = sender_names)]
struct SenderNameRow {
    id: Uuid,
    organization_id: Uuid,
    name: String,
    channel: String,
    country_code: String,
    status: String,
    created_at: DateTime<Utc>,
}

row! {
    #[derive(HasQuery)]
    #[diesel(table_name = sender_name_claims)]
    struct ClaimRow {
        claim: String,
        organization_id: Uuid,
        claimed_at: DateTime<Utc>,
    }
}

#[async_trait]
impl SenderNameRepository for PgStore {
    async fn list(&self, organization: Id<Organization>) -> Result<Vec<SenderName>, StoreError> {
        let query = SenderNameRow::query()
            .filter(sender_names::organization_id.eq(organization.uuid()))
            .order(sender_names::id.desc());
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        rows.into_iter().map(SenderName::try_from).collect()
    }

    async fn approved(
        &self,
        organization: Id<Organization>,
    ) -> Result<Vec<ApprovedSender>, StoreError> {
        let query = SenderNameRow::query()
            .filter(sender_names::organization_id.eq(organization.uuid()))
            .filter(sender_names::status.eq(SenderNameStatus::Approved.as_str()));
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        let names = rows.into_iter().map(SenderName::try_from);
        names.map(|name| name.map(ApprovedSender::from)).collect()
    }

    async fn claim(
        &self,
        organization: Id<Organization>,
        claim: &str,
    ) -> Result<Claim, StoreError> {
        let keep = sql!(
            "INSERT INTO sender_name_claims AS kept (claim, organization_id, claimed_at) \
             VALUES ({claim}, {organization}, now()) \
             ON CONFLICT (claim) DO UPDATE SET claimed_at = \
                CASE WHEN kept.organization_id = EXCLUDED.organization_id THEN now() \
                    ELSE kept.claimed_at END \
             RETURNING claim, organization_id, claimed_at",
            claim,
            organization,
        );
        let row: Option<ClaimRow> = keep.row(self.session().await?.conn()).await?;
        Ok(row.ok_or_else(|| store_error(DieselError::NotFound))?.into())
    }

    async fn take_over(
        &self,
        organization: Id<Organization>,
        seen: &Claim,
    ) -> Result<Option<Claim>, StoreError> {
        let take_over = sql!(
            "UPDATE sender_name_claims SET organization_id = {organization}, claimed_at = now() \
             WHERE claim = {claim} AND organization_id = {holder} AND claimed_at = {seen} \
                AND claimed_at < now() - interval '1 minute' \
             RETURNING claim, organization_id, claimed_at",
            organization,
            claim = seen.claim.as_str(),
            holder = seen.organization,
            seen = seen.at,
        );
        let row: Option<ClaimRow> = take_over.row(self.session().await?.conn()).await?;
        Ok(row.map(Claim::from))
    }

    async fn uses(&self, organization: Id<Organization>, claim: &str) -> Result<bool, StoreError> {
        let used = sender_names::table
            .filter(sender_names::organization_id.eq(organization.uuid()))
            .filter(sender_names::claim.eq(claim))
            .filter(sender_names::status.ne(SenderNameStatus::Rejected.as_str()));
        select(exists(used)).get_result(self.session().await?.conn()).await.map_err(store_error)
    }

    async fn insert(
        &self,
        name: &SenderName,
        approval: &Approval,
        claim: &Claim,
    ) -> Result<bool, StoreError> {
        // A claim that is not renewed within a minute may go to another organization.
        let insert = sql!(
            "INSERT INTO sender_names (organization_id, id, name, channel, country_code, claim, \
                status, created_at) \
             SELECT name.* FROM (VALUES ({organization}::uuid, {id}::uuid, {name}::text, \
                {channel}::text, {country}::text, {claim}::text, {status}::text, \
                {created_at}::timestamptz)) AS name \
             WHERE {claimed_at}::timestamptz > now() - interval '30 seconds' \
             ON CONFLICT DO NOTHING",
            organization = name.organization,
            id = name.id,
            name = name.sender.as_str(),
            channel = name.channel.as_str(),
            country = name.country.as_str(),
            claim = claim.claim.as_str(),
            status = name.status.as_str(),
            created_at = name.created_at,
            claimed_at = claim.at,
        );
        let mut session = self.transaction().await?;
        if insert.execute(session.conn()).await? == 0 {
            return Ok(false);
        }
        approval_requests::insert(session.conn(), approval).await?;
        session.commit().await?;
        Ok(true)
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<SenderName>,
        at: DateTime<Utc>,
    ) -> Result<Option<String>, StoreError> {
        let own = sender_names::table.find((organization.uuid(), id.uuid()));
        let delete = diesel::delete(own).returning(sender_names::claim);
        let mut session = self.transaction().await?;
        let claim: Option<String> =
            delete.get_result(session.conn()).await.optional().map_err(store_error)?;
        if claim.is_some() {
            let asked = (ApprovalKind::SenderName, id.uuid());
            approval_requests::withdraw(session.conn(), organization, asked, at).await?;
            session.commit().await?;
        }
        Ok(claim)
    }

    async fn find_claim(&self, claim: &str) -> Result<Option<Claim>, StoreError> {
        let query = ClaimRow::query().filter(sender_name_claims::claim.eq(claim));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(row.map(Claim::from))
    }

    async fn release(&self, seen: &Claim) -> Result<(), StoreError> {
        let claim = sender_name_claims::table
            .find(&seen.claim)
            .filter(sender_name_claims::organization_id.eq(seen.organization.uuid()))
            .filter(sender_name_claims::claimed_at.eq(seen.at));
        let release = diesel::delete(claim);
        release.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }
}

/// Applies a decision to the status of a name; returns false if it was deleted meanwhile.
pub(crate) async fn settle(
    conn: &mut Connection,
    approval: &Approval,
    decision: &Decision,
) -> Result<bool, StoreError> {
    let name = sender_names::table.find((approval.organization.uuid(), approval.resource));
    let status = SenderNameStatus::from(decision.verdict);
    let settle = diesel::update(name).set(sender_names::status.eq(status.as_str()));
    Ok(settle.execute(conn).await.map_err(store_error)? > 0)
}

impl TryFrom<SenderNameRow> for SenderName {
    type Error = StoreError;

    fn try_from(row: SenderNameRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("sender_names", row.id);
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            sender: Sender::stored(row.name),
            channel: row.channel.parse().map_err(|_| corrupt())?,
            country: row.country_code.parse().map_err(|_| corrupt())?,
            status: row.status.parse().map_err(|_| corrupt())?,
            created_at: row.created_at,
        })
    }
}

impl From<ClaimRow> for Claim {
    fn from(row: ClaimRow) -> Self {
        Self { claim: row.claim, organization: row.organization_id.into(), at: row.claimed_at }
    }
}
