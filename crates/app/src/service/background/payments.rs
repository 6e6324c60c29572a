//! Payments of which the gateway has not told, and those of which the simulated one has not.

use std::time::Duration;

use tokio::time::sleep;
use usecases::money::{checkouts::Checkouts, top_ups::TopUps};

/// How often top-ups are looked for about which the gateway is to be asked, and when nobody could.
const RECONCILIATION: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_secs(30);
/// How often payments are looked for of which our webhook is to be told.
const TELLING: Duration = Duration::from_secs(2);

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

/// Tells our webhook of simulated payments of which it has not heard.
pub(in crate::service) async fn tell_of_payments(checkouts: Checkouts) {
    loop {
        if let Err(error) = checkouts.tell_left().await {
            tracing::warn!(%error, "failed to look for simulated payments to tell of");
        }
        sleep(TELLING).await;
    }
}
