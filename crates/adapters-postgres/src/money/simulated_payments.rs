//! Payments of the simulated gateway.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    prelude::*,
    sql_types::{BigInt, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    money::{payment::PaymentStatus, top_up::TopUpReference},
    shared::{id::Id, money::Money},
};
use ports::{
    money::payments::{SimulatedPayment, SimulatedPaymentRepository},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
    schema::payment_tables::simulated_payments,
};

/// Columns of a payment: reference, organization, amount, method and status.
type RowTypes = (Text, SqlUuid, BigInt, Text, Text);
type Row = (String, Uuid, i64, String, String);

#[async_trait]
impl SimulatedPaymentRepository for PgStore {
    async fn add(&self, payment: &SimulatedPayment, now: DateTime<Utc>) -> Result<(), StoreError> {
        let row = (
            simulated_payments::reference.eq(payment.reference.as_str()),
            simulated_payments::organization_id.eq(payment.organization.uuid()),
            simulated_payments::amount_micros.eq(payment.amount.micros()),
            simulated_payments::method.eq(payment.method.as_str()),
            simulated_payments::status.eq(payment.status.as_str()),
            simulated_payments::created_at.eq(now),
        );
        let insert =
            diesel::insert_into(simulated_payments::table).values(row).on_conflict_do_nothing();
        insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn find(
        &self,
        reference: &TopUpReference,
    ) -> Result<Option<SimulatedPayment>, StoreError> {
        let query = simulated_payments::table.find(reference.as_str()).select((
            simulated_payments::reference,
            simulated_payments::organization_id,
            simulated_payments::amount_micros,
            simulated_payments::method,
            simulated_payments::status,
        ));
        let row: Option<Row> =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(payment).transpose()
    }

    async fn decide(
        &self,
        reference: &TopUpReference,
        status: PaymentStatus,
        tell_at: DateTime<Utc>,
    ) -> Result<Option<(SimulatedPayment, bool)>, StoreError> {
        let decide = Statement::new(&[DECIDE])
            .bind::<Text, _>(status.as_str())
            .bind::<Timestamptz, _>(tell_at)
            .bind::<Text, _>(reference.as_str())
            .bind::<Text, _>(status.as_str());
        let decided = decide.execute(self.session().await?.conn()).await.map_err(store_error)?;
        let found = SimulatedPaymentRepository::find(self, reference).await?;
        Ok(found.map(|payment| (payment, decided > 0)))
    }

    async fn take_pending(
        &self,
        now: DateTime<Utc>,
        timeout: TimeDelta,
        limit: usize,
    ) -> Result<Vec<SimulatedPayment>, StoreError> {
        let take = Statement::<RowTypes>::returning(&[TAKE_PENDING])
            .bind::<Timestamptz, _>(now)
            .bind::<BigInt, _>(timeout.num_seconds())
            .bind::<Timestamptz, _>(now)
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX));
        let mut session = self.session().await?;
        let rows: Vec<Row> = take.load(session.conn()).await.map_err(store_error)?;
        rows.into_iter().map(payment).collect()
    }

    async fn mark_notified(&self, payment: &SimulatedPayment) -> Result<(), StoreError> {
        // If it has changed meanwhile, the change is still to be published.
        let unchanged = simulated_payments::table
            .find(payment.reference.as_str())
            .filter(simulated_payments::status.eq(payment.status.as_str()));
        let mark =
            diesel::update(unchanged).set(simulated_payments::tell_at.eq(None::<DateTime<Utc>>));
        mark.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }
}

fn payment(row: Row) -> Result<SimulatedPayment, StoreError> {
    let (reference, organization, amount, method, status) = row;
    let corrupt = || corrupt("simulated_payments", organization);
    Ok(SimulatedPayment {
        reference: reference.parse().map_err(|_| corrupt())?,
        organization: Id::of(organization),
        amount: Money::from_micros(amount),
        method: method.parse().map_err(|_| corrupt())?,
        status: status.parse().map_err(|_| corrupt())?,
    })
}

/// A paid payment stays paid.
const DECIDE: &str = "\
    UPDATE simulated_payments SET status = ?, tell_at = ?, tellings = 0 \
    WHERE reference = ? AND status NOT IN ('SUCCEEDED', ?)";

/// After nine attempts, the last one ten minutes after the one before, an event is given up.
const TAKE_PENDING: &str = "\
    UPDATE simulated_payments SET tellings = tellings + 1, \
        tell_at = CASE WHEN tellings < 8 \
            THEN ?::timestamptz + make_interval(secs => ?::bigint * 2 ^ tellings) END \
    WHERE reference = ANY(ARRAY(SELECT reference FROM simulated_payments WHERE tell_at <= ? \
        ORDER BY tell_at LIMIT ? FOR UPDATE SKIP LOCKED)) \
    RETURNING reference, organization_id, amount_micros, method, status";
