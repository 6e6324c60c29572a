//! Events of payment gateways.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    money::payment::{PaymentException, Resolution},
    shared::{
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};
use ports::{
    money::payments::{EventOutcome, KeptEvent, PaymentRepository},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, sql::sql},
    schema::payment_tables::{gateway_events, payment_exceptions},
};

#[derive(HasQuery)]
#[diesel(table_name = payment_exceptions)]
struct ExceptionRow {
    id: Uuid,
    reference: String,
    reason: String,
    amount_micros: Option<i64>,
    currency: Option<String>,
    expected_micros: Option<i64>,
    organization_id: Option<Uuid>,
    noticed_at: DateTime<Utc>,
    resolved_at: Option<DateTime<Utc>>,
    resolved_by: Option<Uuid>,
    comment: Option<String>,
}

#[async_trait]
impl PaymentRepository for PgStore {
    async fn keep_event(&self, event: &KeptEvent) -> Result<(), StoreError> {
        let row = (
            gateway_events::hash.eq(event.hash.as_slice()),
            gateway_events::kind.eq(event.kind.as_deref()),
            gateway_events::reference.eq(event.reference.as_deref()),
            gateway_events::body.eq(&event.body),
            gateway_events::body_bytes.eq(i32::try_from(event.size).unwrap_or(i32::MAX)),
            gateway_events::received_at.eq(event.received_at),
        );
        let insert =
            diesel::insert_into(gateway_events::table).values(row).on_conflict_do_nothing();
        insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn note_outcome(&self, hash: [u8; 32], outcome: EventOutcome) -> Result<(), StoreError> {
        let open =
            gateway_events::table.find(hash.as_slice()).filter(gateway_events::outcome.is_null());
        let note = diesel::update(open).set(gateway_events::outcome.eq(outcome.as_str()));
        note.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn keep_exception(&self, exception: &PaymentException) -> Result<bool, StoreError> {
        let row = (
            payment_exceptions::id.eq(exception.id.uuid()),
            payment_exceptions::reference.eq(&exception.reference),
            payment_exceptions::reason.eq(exception.reason.as_str()),
            payment_exceptions::amount_micros.eq(exception.amount.map(Money::micros)),
            payment_exceptions::currency.eq(exception.currency.as_deref()),
            payment_exceptions::expected_micros.eq(exception.expected.map(Money::micros)),
            payment_exceptions::organization_id.eq(exception.organization.map(Id::uuid)),
            payment_exceptions::noticed_at.eq(exception.noticed_at),
        );
        let insert =
            diesel::insert_into(payment_exceptions::table).values(row).on_conflict_do_nothing();
        let kept = insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(kept > 0)
    }

    async fn exceptions(
        &self,
        resolved: Option<bool>,
        page: Page,
    ) -> Result<Paged<PaymentException>, StoreError> {
        let mut session = self.session().await?;
        let count = sql!(
            "SELECT count(*) FROM (SELECT FROM payment_exceptions, \
                (SELECT {resolved}::boolean) AS asked (resolved) \
                WHERE resolved IS NULL OR resolved = (resolved_at IS NOT NULL) \
                LIMIT {most}) AS found",
            resolved,
            most = MOST_COUNTED.saturating_add(1).cast_signed(),
        );
        let found: i64 = count.only(session.conn()).await?;
        let mut query = ExceptionRow::query()
            .order(payment_exceptions::id.desc())
            .offset(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .limit(page.limit().into())
            .into_boxed();
        query = match resolved {
            Some(true) => query.filter(payment_exceptions::resolved_at.is_not_null()),
            Some(false) => query.filter(payment_exceptions::resolved_at.is_null()),
            None => query,
        };
        let rows: Vec<ExceptionRow> = query.load(session.conn()).await.map_err(store_error)?;
        let items: Result<_, _> = rows.into_iter().map(PaymentException::try_from).collect();
        Ok(Paged::counted_up_to(MOST_COUNTED, items?, page, found.unsigned_abs()))
    }

    async fn find_exception(
        &self,
        id: Id<PaymentException>,
    ) -> Result<Option<PaymentException>, StoreError> {
        let query = ExceptionRow::query().filter(payment_exceptions::id.eq(id.uuid()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(PaymentException::try_from).transpose()
    }

    async fn resolve_exception(
        &self,
        id: Id<PaymentException>,
        resolution: &Resolution,
    ) -> Result<bool, StoreError> {
        let resolve = sql!(
            "UPDATE payment_exceptions \
             SET resolved_at = {at}, resolved_by = {by}, comment = {comment} \
             WHERE id = {id} AND resolved_at IS NULL",
            at = resolution.at,
            by = resolution.by,
            comment = resolution.comment.as_str(),
            id,
        );
        Ok(resolve.execute(self.session().await?.conn()).await? > 0)
    }
}

/// Maximum number of exceptions counted for a list.
const MOST_COUNTED: u64 = 10_000;

impl TryFrom<ExceptionRow> for PaymentException {
    type Error = StoreError;

    fn try_from(row: ExceptionRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("payment_exceptions", row.id);
        let resolution = match (row.resolved_at, row.resolved_by, row.comment) {
            (Some(at), Some(by), Some(comment)) => Some(Resolution { at, by: by.into(), comment }),
            (None, None, None) => None,
            _ => return Err(corrupt()),
        };
        Ok(Self {
            id: row.id.into(),
            reason: row.reason.parse().map_err(|_| corrupt())?,
            reference: row.reference,
            amount: row.amount_micros.map(Money::from_micros),
            currency: row.currency,
            expected: row.expected_micros.map(Money::from_micros),
            organization: row.organization_id.map(Id::of),
            noticed_at: row.noticed_at,
            resolution,
        })
    }
}
