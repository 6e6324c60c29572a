//! Comparison of stored counters with fresh counts of everything, for operators and tests.
//!
//! All of it reads one snapshot (`REPEATABLE READ`), so nothing has to stop meanwhile. The log is
//! counted day by day, in tables that end with the transaction: only differences are returned.

mod figures;
mod report;
mod statements;

use chrono::{DateTime, Utc};
use diesel_async::SimpleAsyncConnection;
use domain::shared::money::Money;
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
    query::{
        row::row,
        sql::{Place, Sql, sql},
    },
};

row! {
    /// Counter that differs from the fresh count.
    struct CounterRow {
        /// Kind of the counter.
        what: String,
        organization_id: Option<Uuid>,
        /// Start of its interval.
        starts_at: Option<DateTime<Utc>>,
        channel: Option<String>,
        status: Option<String>,
        is_sandbox: bool,
        counted: i64,
        counted_segments: i64,
        counted_cost: Money,
        kept: i64,
        kept_segments: i64,
        kept_cost: Money,
        /// Number of rows like this.
        found: i64,
    }
}

row! {
    struct DayRow {
        messages: i64,
        has_log: bool,
    }
}

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
        session.compare(sql!(COMPARE_CAMPAIGNS), &mut checked).await?;
        session.compare(sql!(COMPARE_TOTALS), &mut checked).await?;
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
        sql!(NEXT_DAY, after).only(self.conn()).await
    }

    async fn check_day(
        &mut self,
        day: DateTime<Utc>,
        checked: &mut CountersChecked,
    ) -> Result<(), StoreError> {
        self.conn().batch_execute("TRUNCATE logged").await.map_err(store_error)?;
        let DayRow { messages, has_log } = sql!(FILL_DAY, day).only_row(self.conn()).await?;
        if messages == 0 && !has_log {
            checked.days_without_log += 1;
            return Ok(());
        }
        checked.days += 1;
        checked.messages += messages.unsigned_abs();
        self.compare(sql!(COMPARE_DAY, day, date = day.date_naive()), checked).await?;
        self.compare(sql!(COMPARE_FIGURES, day), checked).await
    }

    async fn compare<P: Place>(
        &mut self,
        statement: Sql<'_, P>,
        checked: &mut CountersChecked,
    ) -> Result<(), StoreError> {
        let rows: Vec<CounterRow> = statement.rows(self.conn()).await?;
        let found = rows.first().map_or(0, |row| row.found.unsigned_abs());
        checked.add(rows.into_iter().map(CounterDifference::from).collect(), found);
        Ok(())
    }
}
