//! Background task for traffic.

use std::time::Duration;

use tokio::time::sleep;
use usecases::platform::traffic::TrafficWatch;

/// Interval between writes of arrivals, and between checks whether they are to be judged.
const WATCH: Duration = Duration::from_secs(5);

/// Writes how many codes arrive, and acts when too few do.
pub(in crate::service) async fn watch_traffic(watch: TrafficWatch) {
    loop {
        sleep(WATCH).await;
        if let Err(error) = watch.write().await {
            tracing::warn!(%error, "failed to write down how many codes arrive");
            continue;
        }
        if let Err(error) = watch.judge().await {
            tracing::warn!(%error, "failed to judge how many codes arrive");
        }
    }
}
