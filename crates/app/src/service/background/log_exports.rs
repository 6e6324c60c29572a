//! Exports of the delivery log.

use std::time::Duration;

use tokio::time::sleep;
use usecases::messaging::log_exports::LogExportWork;

/// Interval between looks for exports when none waits, and pause when the database is unavailable.
const INTERVAL: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(5);
/// Pause between turns, so that others who use the database do not wait for a whole export.
const STEP: Duration = Duration::from_millis(20);

/// Writes exports, some lines at a time.
pub(in crate::service) async fn write_log_exports(work: LogExportWork) {
    loop {
        let pause = match work.work_once().await {
            Ok(true) => STEP,
            Ok(false) => INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "failed to look for exports of the log");
                RETRY
            }
        };
        sleep(pause).await;
    }
}
