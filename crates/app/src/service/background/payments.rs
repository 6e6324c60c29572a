//! Background tasks for payments on which the gateway has not reported, and for simulated payments.

use std::time::Duration;

use tokio::time::sleep;
use usecases::money::{checkouts::Checkouts, top_ups::TopUps};

/// Interval between looks for top-ups to ask the gateway about, and pause after a failure.
const RECONCILIATION: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_secs(30);
/// Interval between looks for simulated payments to report to our webhook.
const PAUSE_BETWEEN_NOTICES: Duration = Duration::from_secs(2);

/// Asks the gateway about top-ups that stayed open.
pub(in crate::service) async fn reconcile_top_ups(top_ups: TopUps) {
    loop {
        match top_ups.reconcile().await {
            // Others may wait.
            Ok(1..) => {}
            Ok(0) => sleep(RECONCILIATION).await,
            Err(error) => {
                tracing::warn!(%error, "failed to look for top-ups that stayed open");
                sleep(RETRY).await;
            }
        }
    }
}

/// Reports simulated payments to our webhook if it has not received them.
pub(in crate::service) async fn notify_payments(checkouts: Checkouts) {
    loop {
        if let Err(error) = checkouts.notify_pending().await {
            tracing::warn!(%error, "failed to notify the webhook of simulated payments");
        }
        sleep(PAUSE_BETWEEN_NOTICES).await;
    }
}
