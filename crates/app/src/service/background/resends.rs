//! Failed messages that are sent again.

use std::time::Duration;

use tokio::time::sleep;
use usecases::messaging::resends::ResendWork;

/// Interval between looks for work when none waits, and pause when the database is unavailable.
const INTERVAL: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(5);

/// Sends failed messages again, one part at a time.
pub(in crate::service) async fn send_failed_again(work: ResendWork) {
    loop {
        match work.work_once().await {
            Ok(true) => {}
            Ok(false) => sleep(INTERVAL).await,
            Err(error) => {
                tracing::warn!(%error, "failed to look for messages to send again");
                sleep(RETRY).await;
            }
        }
    }
}
