//! Sender names, and their owners.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{exists, now},
    prelude::*,
    select,
    sql_types::{Text, Timestamptz, Uuid as SqlUuid},
};
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
        query::{run_query::RunQueryDsl, statement::Statement},
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

#[derive(HasQuery)]
#[diesel(table_name = sender_name_claims)]
struct ClaimRow {
    claim: String,
    organization_id: Uuid,
    claimed_at: DateTime<Utc>,
}

type ClaimColumns = (Text, SqlUuid, Timestamptz);

#[async_trait]
impl SenderNameRepository for PgStore {
    async fn list(&self, organization: Id<Organization>) -> Result<Vec<SenderName>, StoreError> {
        let query = SenderNameRow::query()
            .filter(sender_names::organization_id.eq(organization.uuid()))
            .filter(sender_names::deleted_at.is_null())
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
            .filter(sender_names::deleted_at.is_null())
            .filter(sender_names::status.eq(SenderNameStatus::Approved.as_str()));
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        let names = rows.into_iter().map(SenderName::try_from);
        names.map(|name| name.map(ApprovedSender::from)).collect()
    }

    async fn changed_lately(&self) -> Result<Vec<Id<Organization>>, StoreError> {
        let mut session = self.session().await?;
        let query = Statement::<SqlUuid>::returning(&[CHANGED_LATELY]);
        let ids: Vec<Uuid> = query.load(session.conn()).await.map_err(store_error)?;
        Ok(ids.into_iter().map(Id::of).collect())
    }

    async fn claim(
        &self,
        organization: Id<Organization>,
        claim: &str,
    ) -> Result<Claim, StoreError> {
        let statement = Statement::<ClaimColumns>::returning(&[CLAIM])
            .bind::<Text, _>(claim)
            .bind::<SqlUuid, _>(organization.uuid());
        let row: ClaimRow =
            statement.get_result(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(row.into())
    }

    async fn take_over(
        &self,
        organization: Id<Organization>,
        seen: &Claim,
    ) -> Result<Option<Claim>, StoreError> {
        let statement = Statement::<ClaimColumns>::returning(&[TAKE_OVER])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Text, _>(seen.claim.as_str())
            .bind::<SqlUuid, _>(seen.organization.uuid())
            .bind::<Timestamptz, _>(seen.at);
        let mut session = self.session().await?;
        let row: Option<ClaimRow> =
            statement.get_result(session.conn()).await.optional().map_err(store_error)?;
        Ok(row.map(Claim::from))
    }

    async fn uses(&self, organization: Id<Organization>, claim: &str) -> Result<bool, StoreError> {
        let used = sender_names::table
            .filter(sender_names::organization_id.eq(organization.uuid()))
            .filter(sender_names::claim.eq(claim))
            .filter(sender_names::deleted_at.is_null())
            .filter(sender_names::status.ne(SenderNameStatus::Rejected.as_str()));
        select(exists(used)).get_result(self.session().await?.conn()).await.map_err(store_error)
    }

    async fn insert(
        &self,
        name: &SenderName,
        approval: &Approval,
        claim: &Claim,
    ) -> Result<bool, StoreError> {
        let insert = Statement::new(&[INSERT])
            .bind::<SqlUuid, _>(name.organization.uuid())
            .bind::<SqlUuid, _>(name.id.uuid())
            .bind::<Text, _>(name.sender.as_str())
            .bind::<Text, _>(name.channel.as_str())
            .bind::<Text, _>(name.country.as_str())
            .bind::<Text, _>(claim.claim.as_str())
            .bind::<Text, _>(name.status.as_str())
            .bind::<Timestamptz, _>(name.created_at)
            .bind::<Timestamptz, _>(claim.at);
        let mut session = self.transaction().await?;
        if insert.execute(session.conn()).await.map_err(store_error)? == 0 {
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
        let own = sender_names::table
            .find((organization.uuid(), id.uuid()))
            .filter(sender_names::deleted_at.is_null());
        let delete = diesel::update(own)
            .set((sender_names::deleted_at.eq(now), sender_names::changed_at.eq(now)))
            .returning(sender_names::claim);
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
    let name = sender_names::table
        .find((approval.organization.uuid(), approval.resource))
        .filter(sender_names::deleted_at.is_null());
    let status = SenderNameStatus::from(decision.verdict);
    let settle = diesel::update(name)
        .set((sender_names::status.eq(status.as_str()), sender_names::changed_at.eq(now)));
    Ok(settle.execute(conn).await.map_err(store_error)? > 0)
}

const CHANGED_LATELY: &str = "\
    SELECT DISTINCT organization_id FROM sender_names \
    WHERE changed_at > now() - interval '1 minute'";

const CLAIM: &str = "\
    INSERT INTO sender_name_claims AS kept (claim, organization_id, claimed_at) \
    VALUES (?, ?, now()) \
    ON CONFLICT (claim) DO UPDATE SET claimed_at = \
        CASE WHEN kept.organization_id = EXCLUDED.organization_id THEN now() ELSE kept.claimed_at END \
    RETURNING claim, organization_id, claimed_at";

const TAKE_OVER: &str = "\
    UPDATE sender_name_claims SET organization_id = ?, claimed_at = now() \
    WHERE claim = ? AND organization_id = ? AND claimed_at = ? \
        AND claimed_at < now() - interval '1 minute' \
    RETURNING claim, organization_id, claimed_at";

/// A claim that is not renewed within a minute may go to another organization.
const INSERT: &str = "\
    INSERT INTO sender_names (organization_id, id, name, channel, country_code, claim, status, \
        created_at) \
    SELECT name.* FROM (VALUES (?, ?, ?, ?, ?, ?, ?, ?)) AS name \
    WHERE ?::timestamptz > now() - interval '30 seconds' \
    ON CONFLICT DO NOTHING";

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
