//! Monthly partitions: creation of the coming ones, and removal of the past ones.
//!
//! Creating or dropping a partition needs an exclusive lock on the table, and all other statements
//! wait meanwhile. So it waits for a tenth of a second only, which is set in the functions of the
//! schema, and tries again later: a long read must not stop writers.

use std::time::Duration;

use diesel::sql_types::{Bool, Integer, Nullable, Text};
use domain::shared::retention::RetentionDays;
use ports::shared::store::StoreError;
use tokio::time::sleep;

use crate::shared::{
    database::session::{PgSession, PgStore},
    error::{is_lock_timeout, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
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
                Ok((Some(month), true)) => {
                    tracing::info!(month, "dropped a month of the delivery log");
                }
                Ok((Some(month), false)) => {
                    tracing::info!(
                        month,
                        "kept a month of the delivery log: it has unfinished messages"
                    );
                    return Ok(());
                }
                Ok((None, _)) => return Ok(()),
                Err(error) => tries.again_after(error).await?,
            }
        }
    }

    async fn drop_month_of_log(
        &self,
        days: RetentionDays,
    ) -> Result<(Option<String>, bool), StoreError> {
        let mut session = self.session().await?;
        let drop = Statement::<(Nullable<Text>, Bool)>::returning(&[DROP_MONTH_OF_LOG])
            .bind::<Integer, _>(days.get());
        drop.get_result(session.conn()).await.map_err(store_error)
    }

    async fn prepare_month(&self, table: &str, ahead: i32) -> Result<(), StoreError> {
        let mut tries = Tries::new();
        loop {
            let mut session = self.session().await?;
            let prepare =
                Statement::new(&[PREPARE_MONTH]).bind::<Text, _>(table).bind::<Integer, _>(ahead);
            let prepared = prepare.execute(session.conn()).await.map_err(store_error);
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
            let drop = Statement::<Nullable<Text>>::returning(&[DROP_MONTH]).bind::<Text, _>(table);
            let dropped = drop.get_result(session.conn()).await.map_err(store_error);
            match dropped {
                Ok(Some(partition)) => {
                    let partition: String = partition;
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
    let name = Statement::<Text>::returning(&[NAME_MONTH]).bind::<Integer, _>(ahead);
    name.get_result(session.conn()).await.map_err(store_error)
}

const PREPARE_MONTH: &str = "SELECT prepare_month(?, ?)";

const DROP_MONTH: &str = "SELECT drop_oldest_month(?, now() - interval '30 days')";

const DROP_MONTH_OF_LOG: &str = "SELECT month, is_dropped FROM drop_oldest_month_of_log(?)";

const NAME_MONTH: &str = "\
    SELECT to_char(now() AT TIME ZONE 'UTC' + make_interval(months => ?), 'YYYY-MM')";
