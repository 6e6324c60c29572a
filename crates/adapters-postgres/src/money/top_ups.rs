//! Top-ups.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    dsl::{AsSelect, SqlTypeOf},
    pg::Pg,
    prelude::*,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
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
        query::{run_query::RunQueryDsl, statement::Statement},
        schema::payment_tables::top_ups,
    },
    webhooks::outbound_events,
};

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

#[async_trait]
impl TopUpRepository for PgStore {
    async fn insert(
        &self,
        top_up: &TopUp,
        check_at: Option<DateTime<Utc>>,
        most: usize,
    ) -> Result<bool, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let insert = Statement::new(&[INSERT])
            .bind::<SqlUuid, _>(top_up.organization.uuid())
            .bind::<SqlUuid, _>(top_up.id.uuid())
            .bind::<Text, _>(top_up.reference.as_str())
            .bind::<BigInt, _>(top_up.amount.micros())
            .bind::<Text, _>(top_up.method.as_str())
            .bind::<Text, _>(top_up.status.as_str())
            .bind::<SqlUuid, _>(top_up.requested_by.uuid())
            .bind::<Timestamptz, _>(top_up.created_at)
            .bind::<Nullable<Timestamptz>, _>(check_at)
            .bind::<SqlUuid, _>(top_up.organization.uuid())
            .bind::<BigInt, _>(most)
            .bind::<BigInt, _>(most);
        let inserted = insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(inserted > 0)
    }

    async fn page(
        &self,
        organization: Id<Organization>,
        status: Option<TopUpStatus>,
        page: Page,
    ) -> Result<Paged<TopUp>, StoreError> {
        let status = status.map(TopUpStatus::as_str);
        let mut session = self.session().await?;
        let count = Statement::<BigInt>::returning(&[COUNT])
            .bind::<Nullable<Text>, _>(status)
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<BigInt, _>(MOST_COUNTED.saturating_add(1).cast_signed());
        let found: i64 = count.get_result(session.conn()).await.map_err(store_error)?;
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
        let keep = Statement::new(&[KEEP_CHECKOUT])
            .bind::<Text, _>(url)
            .bind::<SqlUuid, _>(top_up.organization.uuid())
            .bind::<SqlUuid, _>(top_up.id.uuid());
        keep.execute(self.session().await?.conn()).await.map_err(store_error)?;
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
        let mark = Statement::new(&[MARK])
            .bind::<Timestamptz, _>(credit.at)
            .bind::<SqlUuid, _>(top_up.organization.uuid())
            .bind::<SqlUuid, _>(top_up.id.uuid());
        mark.execute(session.conn()).await.map_err(store_error)?;
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
        let close = Statement::new(&[CLOSE])
            .bind::<Text, _>(status.as_str())
            .bind::<SqlUuid, _>(top_up.organization.uuid())
            .bind::<SqlUuid, _>(top_up.id.uuid());
        close.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn take_due(
        &self,
        now: DateTime<Utc>,
        lease: TimeDelta,
        limit: usize,
    ) -> Result<Vec<TopUp>, StoreError> {
        let take = Statement::<SqlTypeOf<AsSelect<TopUpRow, Pg>>>::returning(&[TAKE_DUE])
            .bind::<Timestamptz, _>(now + lease)
            .bind::<Timestamptz, _>(now)
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX));
        let mut session = self.session().await?;
        let rows: Vec<TopUpRow> = take.load(session.conn()).await.map_err(store_error)?;
        rows.into_iter().map(TopUp::try_from).collect()
    }

    async fn check_again(&self, top_up: &TopUp, at: DateTime<Utc>) -> Result<(), StoreError> {
        let put_off = Statement::new(&[CHECK_AGAIN])
            .bind::<Timestamptz, _>(at)
            .bind::<SqlUuid, _>(top_up.organization.uuid())
            .bind::<SqlUuid, _>(top_up.id.uuid());
        put_off.execute(self.session().await?.conn()).await.map_err(store_error)?;
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

const COUNT: &str = "\
    SELECT count(*) FROM (SELECT FROM top_ups, (SELECT ?::text) AS wanted (status) \
        WHERE organization_id = ? AND (wanted.status IS NULL OR top_ups.status = wanted.status) \
        LIMIT ?) AS found";

const INSERT: &str = "\
    INSERT INTO top_ups (organization_id, id, reference, amount_micros, method, status, requested_by, \
        created_at, check_at) \
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? \
    WHERE (SELECT count(*) FROM (SELECT FROM top_ups \
        WHERE organization_id = ? AND status = 'PENDING' LIMIT ?) AS pending) < ?";

const KEEP_CHECKOUT: &str = "\
    UPDATE top_ups SET checkout_url = ? WHERE organization_id = ? AND id = ?";

const MARK: &str = "\
    UPDATE top_ups SET status = 'CREDITED', credited_at = ?, check_at = NULL \
    WHERE organization_id = ? AND id = ? AND status <> 'CREDITED'";

const CLOSE: &str = "\
    UPDATE top_ups SET status = ?, check_at = NULL \
    WHERE organization_id = ? AND id = ? AND status = 'PENDING'";

const TAKE_DUE: &str = "\
    UPDATE top_ups SET check_at = ? \
    WHERE ctid = ANY(ARRAY(SELECT ctid FROM top_ups WHERE status = 'PENDING' AND check_at <= ? \
        ORDER BY check_at LIMIT ? FOR UPDATE SKIP LOCKED)) \
    RETURNING id, organization_id, reference, amount_micros, method, status, requested_by, created_at, \
        credited_at";

const CHECK_AGAIN: &str = "\
    UPDATE top_ups SET check_at = ? WHERE organization_id = ? AND id = ? AND status = 'PENDING'";

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
