//! Top-ups.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use domain::{
    identity::organization::Organization,
    money::{
        top_up::{TopUp, TopUpReference, TopUpStatus},
        wallet::{Credit, Credited, LedgerKind},
    },
    shared::{
        id::Id,
        money::Money,
        page::{Page, Paged},
        webhook_event::WebhookEvent,
    },
    webhooks::outbound_event::OutboundEvent,
};
use ports::{money::top_ups::TopUpRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::{
    money::billing::{credit_wallet, credited_as},
    shared::{
        database::session::PgStore,
        error::{corrupt, store_error},
        query::{row::row, run_query::RunQueryDsl, sql::sql},
        schema::payment_tables::top_ups,
    },
    webhooks::outbound_events,
};

row! {
    #[derive(HasQuery)]
    #[diesel(table_name = top_ups)]
    struct TopUpRow {
        id: Uuid,
        organization_id: Uuid,
        reference: String,
        amount_micros: i64,
        method: String,
        status: String,
        requested_by: Uuid,
        created_at: DateTime<Utc>,
        credited_at: Option<DateTime<Utc>>,
    }
}

#[async_trait]
impl TopUpRepository for PgStore {
    async fn insert(
        &self,
        top_up: &TopUp,
        check_at: Option<DateTime<Utc>>,
        most: usize,
    ) -> Result<bool, StoreError> {
        let insert = sql!(
            "INSERT INTO top_ups (organization_id, id, reference, amount_micros, method, status, \
                requested_by, created_at, check_at) \
             SELECT {organization}::uuid, {id}::uuid, {reference}::text, {amount}::bigint, \
                {method}::text, {status}::text, {requested_by}::uuid, {created_at}::timestamptz, \
                {check_at}::timestamptz \
             WHERE (SELECT count(*) FROM (SELECT FROM top_ups \
                WHERE organization_id = {organization} AND status = 'PENDING' \
                LIMIT {most}) AS pending) < {most}",
            organization = top_up.organization,
            id = top_up.id,
            reference = top_up.reference.as_str(),
            amount = top_up.amount,
            method = top_up.method.as_str(),
            status = top_up.status.as_str(),
            requested_by = top_up.requested_by,
            created_at = top_up.created_at,
            check_at,
            most = i64::try_from(most).unwrap_or(i64::MAX),
        );
        Ok(insert.execute(self.session().await?.conn()).await? > 0)
    }

    async fn page(
        &self,
        organization: Id<Organization>,
        status: Option<TopUpStatus>,
        page: Page,
    ) -> Result<Paged<TopUp>, StoreError> {
        let status = status.map(TopUpStatus::as_str);
        let mut session = self.session().await?;
        let count = sql!(
            "SELECT count(*) FROM (SELECT FROM top_ups, \
                (SELECT {status}::text) AS wanted (status) \
                WHERE organization_id = {organization} \
                    AND (wanted.status IS NULL OR top_ups.status = wanted.status) \
                LIMIT {most}) AS found",
            status,
            organization,
            most = MOST_COUNTED.saturating_add(1).cast_signed(),
        );
        let found: i64 = count.only(session.conn()).await?;
        let mut query = TopUpRow::query()
            .filter(top_ups::organization_id.eq(organization.uuid()))
            .order(top_ups::id.desc())
            .offset(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .limit(page.limit().into())
            .into_boxed();
        if let Some(status) = status {
            query = query.filter(top_ups::status.eq(status));
        }
        let rows: Vec<TopUpRow> = query.load(session.conn()).await.map_err(store_error)?;
        let items: Result<_, _> = rows.into_iter().map(TopUp::try_from).collect();
        Ok(Paged::counted_up_to(MOST_COUNTED, items?, page, found.unsigned_abs()))
    }

    async fn find(&self, reference: &TopUpReference) -> Result<Option<TopUp>, StoreError> {
        let query = TopUpRow::query().filter(top_ups::reference.eq(reference.as_str()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(TopUp::try_from).transpose()
    }

    async fn keep_checkout(&self, top_up: &TopUp, url: &str) -> Result<(), StoreError> {
        let keep = sql!(
            "UPDATE top_ups SET checkout_url = {url} \
             WHERE organization_id = {organization} AND id = {id}",
            url,
            organization = top_up.organization,
            id = top_up.id,
        );
        keep.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn checkout(&self, top_up: &TopUp) -> Result<Option<String>, StoreError> {
        let key = (top_up.organization.uuid(), top_up.id.uuid());
        let query = top_ups::table.find(key).select(top_ups::checkout_url);
        let url: Option<Option<String>> =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(url.flatten())
    }

    async fn credit(&self, top_up: &TopUp, credit: &Credit) -> Result<Credited, StoreError> {
        let mut session = self.transaction().await?;
        // A concurrent credit of the same top-up waits here.
        let mark = sql!(
            "UPDATE top_ups SET status = 'CREDITED', credited_at = {at}, check_at = NULL \
             WHERE organization_id = {organization} AND id = {id} AND status <> 'CREDITED'",
            at = credit.at,
            organization = top_up.organization,
            id = top_up.id,
        );
        mark.execute(session.conn()).await?;
        // An administrator may have credited the payment by its reference.
        let by_hand = credited_as(session.conn(), LedgerKind::ManualCredit, credit).await?;
        let kind = if by_hand.is_some() { LedgerKind::ManualCredit } else { credit.kind };
        let once = Credit { kind, ..credit.clone() };
        let credited = credit_wallet(session.conn(), &once).await?;
        if credited.is_new {
            outbound_events::publish(session.conn(), &completion(top_up, credit)).await?;
        }
        session.commit().await?;
        Ok(credited)
    }

    async fn close(&self, top_up: &TopUp, status: TopUpStatus) -> Result<(), StoreError> {
        let close = sql!(
            "UPDATE top_ups SET status = {status}, check_at = NULL \
             WHERE organization_id = {organization} AND id = {id} AND status = 'PENDING'",
            status = status.as_str(),
            organization = top_up.organization,
            id = top_up.id,
        );
        close.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn take_due(
        &self,
        now: DateTime<Utc>,
        lease: TimeDelta,
        limit: usize,
    ) -> Result<Vec<TopUp>, StoreError> {
        let take = sql!(
            "UPDATE top_ups SET check_at = {check_at} \
             WHERE ctid = ANY(ARRAY(SELECT ctid FROM top_ups \
                WHERE status = 'PENDING' AND check_at <= {now} \
                ORDER BY check_at LIMIT {limit} FOR UPDATE SKIP LOCKED)) \
             RETURNING id, organization_id, reference, amount_micros, method, status, \
                requested_by, created_at, credited_at",
            check_at = now + lease,
            now,
            limit = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        let rows: Vec<TopUpRow> = take.rows(self.session().await?.conn()).await?;
        rows.into_iter().map(TopUp::try_from).collect()
    }

    async fn check_again(&self, top_up: &TopUp, at: DateTime<Utc>) -> Result<(), StoreError> {
        let put_off = sql!(
            "UPDATE top_ups SET check_at = {at} \
             WHERE organization_id = {organization} AND id = {id} AND status = 'PENDING'",
            at,
            organization = top_up.organization,
            id = top_up.id,
        );
        put_off.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}

/// Returns the event of a credited top-up.
fn completion(top_up: &TopUp, credit: &Credit) -> OutboundEvent {
    OutboundEvent {
        id: Id::new_in(credit.at, top_up.organization),
        organization: top_up.organization,
        event: WebhookEvent::TopUpCompleted,
        subject: top_up.id.uuid(),
        data: top_up.credited(credit).to_json().to_string(),
        at: credit.at,
    }
}

/// Maximum number of top-ups counted for a list.
const MOST_COUNTED: u64 = 10_000;

impl TryFrom<TopUpRow> for TopUp {
    type Error = StoreError;

    fn try_from(row: TopUpRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("top_ups", row.id);
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            reference: row.reference.parse().map_err(|_| corrupt())?,
            amount: Money::from_micros(row.amount_micros),
            method: row.method.parse().map_err(|_| corrupt())?,
            status: row.status.parse().map_err(|_| corrupt())?,
            requested_by: row.requested_by.into(),
            created_at: row.created_at,
            credited_at: row.credited_at,
        })
    }
}
