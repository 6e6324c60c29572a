//! Monthly partitions: creation of the coming ones, and removal of the past ones.
//!
//! Creating or dropping a partition needs an exclusive lock on the table, and all other statements
//! wait meanwhile. So it waits for a tenth of a second only, which is set in the functions of the
//! schema, and tries again later: a long read must not stop writers.

use std::time::Duration;

use domain::shared::retention::RetentionDays;
use ports::shared::store::StoreError;
use tokio::time::sleep;

use crate::shared::{
    database::session::{PgSession, PgStore},
    error::is_lock_timeout,
    query::{row::row, sql::sql},
};

/// Tables with a partition for each month, and the number of coming months to prepare.
pub(crate) const PARTITIONED: [&str; 4] =
    ["delivery_logs", "ledger_entries", "outbound_events", "webhook_deliveries"];
pub(crate) const MONTHS_AHEAD: i32 = 3;

/// Tables that are shown for thirty days, and dropped by the month.
const RECENT: [&str; 2] = ["webhook_deliveries", "outbound_events"];

/// Number of attempts to lock a table while others use it, and the pause between them.
const TRIES: u8 = 5;
const PAUSE: Duration = Duration::from_secs(1);

row! {
    struct DroppedMonth {
        /// Oldest month, if it is old enough.
        month: Option<String>,
        is_dropped: bool,
    }
}

impl PgStore {
    /// Creates the partitions of this month and of the coming ones. A failure does not stop the
    /// other steps; the first error is returned.
    pub(crate) async fn prepare_months(&self) -> Result<(), StoreError> {
        let mut done = Ok(());
        for table in PARTITIONED {
            for ahead in 0..=MONTHS_AHEAD {
                done = done.and(self.prepare_month(table, ahead).await);
            }
        }
        done
    }

    /// Creates the partitions of this many past months, for rows that are older than the database.
    pub async fn prepare_past_months(&self, months: i32) -> Result<(), StoreError> {
        for table in PARTITIONED {
            for past in 1..=months {
                self.prepare_month(table, -past).await?;
            }
        }
        Ok(())
    }

    /// Drops the months of which nothing is shown any more.
    pub(crate) async fn drop_recent_months(&self) -> Result<(), StoreError> {
        let mut done = Ok(());
        for table in RECENT {
            done = done.and(self.drop_old_months(table).await);
        }
        done
    }

    /// Drops the months of the delivery log whose last messages are older than `days`, oldest
    /// first, and records that the log begins after them. Stops at a month that has unfinished
    /// messages. Meant to be called every hour; any number of instances may do so at once.
    pub async fn drop_old_logs(&self, days: RetentionDays) -> Result<(), StoreError> {
        let mut tries = Tries::new();
        loop {
            match self.drop_month_of_log(days).await {
                Ok(DroppedMonth { month: Some(month), is_dropped: true }) => {
                    tracing::info!(month, "dropped a month of the delivery log");
                }
                Ok(DroppedMonth { month: Some(month), is_dropped: false }) => {
                    tracing::info!(
                        month,
                        "kept a month of the delivery log: it has unfinished messages"
                    );
                    return Ok(());
                }
                Ok(DroppedMonth { month: None, .. }) => return Ok(()),
                Err(error) => tries.again_after(error).await?,
            }
        }
    }

    async fn drop_month_of_log(&self, days: RetentionDays) -> Result<DroppedMonth, StoreError> {
        let mut session = self.session().await?;
        let drop = sql!(
            "SELECT month, is_dropped FROM drop_oldest_month_of_log({days})",
            days = days.get(),
        );
        drop.only_row(session.conn()).await
    }

    async fn prepare_month(&self, table: &str, ahead: i32) -> Result<(), StoreError> {
        let mut tries = Tries::new();
        loop {
            let mut session = self.session().await?;
            let prepare = sql!("SELECT prepare_month({table}, {ahead})", table, ahead);
            let prepared = prepare.execute(session.conn()).await;
            let Err(error) = prepared else { return Ok(()) };
            if let Err(error) = tries.again_after(error).await {
                let month = name_month(&mut session, ahead).await.unwrap_or_default();
                tracing::warn!(%error, table, month, "failed to create a partition");
                return Err(error);
            }
        }
    }

    async fn drop_old_months(&self, table: &str) -> Result<(), StoreError> {
        let mut tries = Tries::new();
        loop {
            let mut session = self.session().await?;
            let drop = sql!("SELECT drop_oldest_month({table}, now() - interval '30 days')", table);
            match drop.only::<Option<String>>(session.conn()).await {
                Ok(Some(partition)) => {
                    tracing::info!(partition, "dropped an old partition");
                }
                Ok(None) => return Ok(()),
                Err(error) => {
                    if let Err(error) = tries.again_after(error).await {
                        tracing::warn!(%error, table, "failed to drop an old partition");
                        return Err(error);
                    }
                }
            }
        }
    }
}

/// Remaining number of attempts.
struct Tries(u8);

impl Tries {
    fn new() -> Self {
        Self(TRIES)
    }

    /// Waits before the next attempt, if the error was a lock and an attempt is left; otherwise
    /// returns the error.
    async fn again_after(&mut self, error: StoreError) -> Result<(), StoreError> {
        self.0 -= 1;
        if self.0 == 0 || !is_lock_timeout(&error) {
            return Err(error);
        }
        sleep(PAUSE).await;
        Ok(())
    }
}

async fn name_month(session: &mut PgSession, ahead: i32) -> Result<String, StoreError> {
    let name = sql!(
        "SELECT to_char(now() AT TIME ZONE 'UTC' + make_interval(months => {ahead}), 'YYYY-MM')",
        ahead,
    );
    name.only(session.conn()).await
}
