//! Payments of the simulated gateway.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
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
    query::{row::row, run_query::RunQueryDsl, sql::sql},
    schema::payment_tables::simulated_payments,
};

row! {
    #[derive(HasQuery)]
    #[diesel(table_name = simulated_payments)]
    struct PaymentRow {
        reference: String,
        organization_id: Uuid,
        amount_micros: i64,
        method: String,
        status: String,
    }
}

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
        let query =
            PaymentRow::query().filter(simulated_payments::reference.eq(reference.as_str()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(SimulatedPayment::try_from).transpose()
    }

    async fn decide(
        &self,
        reference: &TopUpReference,
        status: PaymentStatus,
        tell_at: DateTime<Utc>,
    ) -> Result<Option<(SimulatedPayment, bool)>, StoreError> {
        // A paid payment stays paid.
        let decide = sql!(
            "UPDATE simulated_payments SET status = {status}, tell_at = {tell_at}, tellings = 0 \
             WHERE reference = {reference} AND status NOT IN ('SUCCEEDED', {status})",
            status = status.as_str(),
            tell_at,
            reference = reference.as_str(),
        );
        let decided = decide.execute(self.session().await?.conn()).await?;
        let found = SimulatedPaymentRepository::find(self, reference).await?;
        Ok(found.map(|payment| (payment, decided > 0)))
    }

    async fn take_pending(
        &self,
        now: DateTime<Utc>,
        timeout: TimeDelta,
        limit: usize,
    ) -> Result<Vec<SimulatedPayment>, StoreError> {
        // After nine attempts, the last one ten minutes after the one before, an event is given up.
        let take = sql!(
            "UPDATE simulated_payments SET tellings = tellings + 1, \
                tell_at = CASE WHEN tellings < 8 \
                    THEN {now}::timestamptz \
                        + make_interval(secs => {timeout}::bigint * 2 ^ tellings) END \
             WHERE reference = ANY(ARRAY(SELECT reference FROM simulated_payments \
                WHERE tell_at <= {now} ORDER BY tell_at LIMIT {limit} FOR UPDATE SKIP LOCKED)) \
             RETURNING reference, organization_id, amount_micros, method, status",
            now,
            timeout = timeout.num_seconds(),
            limit = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        let rows: Vec<PaymentRow> = take.rows(self.session().await?.conn()).await?;
        rows.into_iter().map(SimulatedPayment::try_from).collect()
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

impl TryFrom<PaymentRow> for SimulatedPayment {
    type Error = StoreError;

    fn try_from(row: PaymentRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("simulated_payments", row.organization_id);
        Ok(Self {
            reference: row.reference.parse().map_err(|_| corrupt())?,
            organization: Id::of(row.organization_id),
            amount: Money::from_micros(row.amount_micros),
            method: row.method.parse().map_err(|_| corrupt())?,
            status: row.status.parse().map_err(|_| corrupt())?,
        })
    }
}
