//! Erasure of people whose contacts were deleted.

use std::time::Duration;

use adapters_postgres::PgStore;
use ports::shared::store::StoreError;
use tokio::time::sleep;
use usecases::messaging::scheduled_messages::ScheduledMessages;

/// Interval between looks for people to erase, and pause between batches of messages, so that no
/// other work has to wait for an erasure.
const INTERVAL: Duration = Duration::from_secs(20);
const STEP: Duration = Duration::from_millis(100);

/// Erases people whose contacts were deleted from the delivery logs. Messages that are scheduled for
/// them are cancelled, and refunded.
pub(in crate::service) async fn erase(store: PgStore, scheduled: ScheduledMessages) {
    loop {
        if let Err(error) = cancel_some(&store, &scheduled).await {
            tracing::warn!(%error, "failed to cancel scheduled messages of deleted contacts");
        }
        let pause = match store.erase_some().await {
            Ok(true) => STEP,
            Ok(false) => INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "failed to erase messages of deleted contacts");
                INTERVAL
            }
        };
        sleep(pause).await;
    }
}

/// Cancels some scheduled messages. Those that cannot be cancelled now are met again with the other
/// unfinished ones.
async fn cancel_some(store: &PgStore, scheduled: &ScheduledMessages) -> Result<(), StoreError> {
    let waiting = store.scheduled_to_erase().await?;
    if !waiting.is_empty() {
        scheduled.cancel_all(waiting).await?;
    }
    Ok(())
}
