//! Comparison of stored counters with fresh counts of everything, for operators and tests.
//!
//! All of it reads one snapshot (`REPEATABLE READ`), so nothing has to stop meanwhile. The log is
//! counted day by day, in tables that end with the transaction: only differences are returned.

mod figures;
mod report;
mod statements;

use chrono::{DateTime, Utc};
use diesel::sql_types::{BigInt, Bool, Date, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::SimpleAsyncConnection;
use ports::shared::store::StoreError;
use uuid::Uuid;

pub use self::report::{CounterDifference, CounterTotals, CountersChecked};
use self::{
    figures::COMPARE_FIGURES,
    statements::{COMPARE_CAMPAIGNS, COMPARE_DAY, COMPARE_TOTALS, FILL_DAY, NEXT_DAY, PREPARE},
};
use crate::shared::{
    database::session::{PgSession, PgStore},
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Kind of the counter, organization, start of its interval, channel, status, true if of the
/// sandbox; rows, segments and cost as counted and as stored; number of rows like this.
type Row = (
    (String, Option<Uuid>, Option<DateTime<Utc>>, Option<String>, Option<String>, bool),
    (i64, i64, i64),
    (i64, i64, i64),
    i64,
);
type Columns = (
    (Text, Nullable<SqlUuid>, Nullable<Timestamptz>, Nullable<Text>, Nullable<Text>, Bool),
    (BigInt, BigInt, BigInt),
    (BigInt, BigInt, BigInt),
    BigInt,
);

impl PgStore {
    /// Counts everything that has counters, and compares. Changes nothing. For a store of
    /// [`connect_maintenance`](Self::connect_maintenance), since counting takes long.
    pub async fn check_counters(&self) -> Result<CountersChecked, StoreError> {
        let mut session = self.snapshot().await?;
        session.conn().batch_execute(PREPARE).await.map_err(store_error)?;
        let mut checked = CountersChecked::default();
        let mut after = None;
        while let Some(day) = session.next_day(after).await? {
            session.check_day(day, &mut checked).await?;
            after = Some(day);
        }
        let campaigns = Statement::<Columns>::returning(&[COMPARE_CAMPAIGNS]);
        session.compare(campaigns, &mut checked).await?;
        let totals = Statement::<Columns>::returning(&[COMPARE_TOTALS]);
        session.compare(totals, &mut checked).await?;
        session.commit().await?;
        Ok(checked)
    }
}

impl PgSession {
    /// Returns the first day after the given one that has messages or counters.
    async fn next_day(
        &mut self,
        after: Option<DateTime<Utc>>,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        let next = Statement::<Nullable<Timestamptz>>::returning(&[NEXT_DAY])
            .bind::<Nullable<Timestamptz>, _>(after);
        next.get_result(self.conn()).await.map_err(store_error)
    }

    async fn check_day(
        &mut self,
        day: DateTime<Utc>,
        checked: &mut CountersChecked,
    ) -> Result<(), StoreError> {
        let fill = Statement::<(BigInt, Bool)>::returning(&[FILL_DAY])
            .bind::<Timestamptz, _>(day)
            .bind::<Timestamptz, _>(day)
            .bind::<Timestamptz, _>(day)
            .bind::<Timestamptz, _>(day);
        self.conn().batch_execute("TRUNCATE logged").await.map_err(store_error)?;
        let (messages, has_log): (i64, bool) =
            fill.get_result(self.conn()).await.map_err(store_error)?;
        if messages == 0 && !has_log {
            checked.days_without_log += 1;
            return Ok(());
        }
        checked.days += 1;
        checked.messages += messages.unsigned_abs();
        let compare = Statement::<Columns>::returning(&[COMPARE_DAY])
            .bind::<Timestamptz, _>(day)
            .bind::<Date, _>(day.date_naive());
        self.compare(compare, checked).await?;
        let figures =
            Statement::<Columns>::returning(&[COMPARE_FIGURES]).bind::<Timestamptz, _>(day);
        self.compare(figures, checked).await
    }

    async fn compare(
        &mut self,
        statement: Statement<'_, Columns>,
        checked: &mut CountersChecked,
    ) -> Result<(), StoreError> {
        let rows: Vec<Row> = statement.load(self.conn()).await.map_err(store_error)?;
        let found = match rows.as_slice() {
            [] => 0,
            [(.., found), ..] => found.unsigned_abs(),
        };
        checked.add(rows.into_iter().map(CounterDifference::from).collect(), found);
        Ok(())
    }
}
