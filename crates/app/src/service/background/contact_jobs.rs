//! Jobs that delete or tag many contacts.

use std::time::Duration;

use tokio::time::sleep;
use usecases::audience::contact_jobs::ContactJobWork;

/// Interval between looks for jobs when none waits, and pause when the database is unavailable.
const INTERVAL: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(5);
/// Pause between parts, so that others who change contacts do not wait for a whole job.
const STEP: Duration = Duration::from_millis(20);

/// Works on jobs, one part at a time.
pub(in crate::service) async fn work_off_contact_jobs(work: ContactJobWork) {
    loop {
        let pause = match work.work_once().await {
            Ok(true) => STEP,
            Ok(false) => INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "failed to look for jobs on contacts");
                RETRY
            }
        };
        sleep(pause).await;
    }
}
