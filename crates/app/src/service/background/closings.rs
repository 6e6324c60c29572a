//! Background tasks for closed organizations.

use std::time::Duration;

use adapters_postgres::PgStore;
use tokio::time::sleep;
use usecases::platform::closings::Closings;

/// Interval between settlements of closings.
const SETTLEMENT: Duration = Duration::from_secs(60);
/// Interval between looks for organizations to erase, and pause between parts of one, so that no other
/// work has to wait for an erasure.
const ERASURE: Duration = Duration::from_secs(600);
const ERASURE_STEP: Duration = Duration::from_secs(1);

/// Cancels scheduled work of closed organizations, and takes forfeited money out of their wallets.
pub(in crate::service) async fn settle_closings(closings: Closings) {
    loop {
        if let Err(error) = closings.settle_all().await {
            tracing::warn!(%error, "failed to look for closings to settle");
        }
        sleep(SETTLEMENT).await;
    }
}

/// Erases organizations that were closed too long ago to be restored.
pub(in crate::service) async fn erase_closed(store: PgStore) {
    loop {
        let pause = match store.erase_closed().await {
            Ok(true) => ERASURE_STEP,
            Ok(false) => ERASURE,
            Err(error) => {
                tracing::warn!(%error, "failed to erase a closed organization");
                ERASURE
            }
        };
        sleep(pause).await;
    }
}
