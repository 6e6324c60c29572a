//! Messages to the service manager that started the process, such as systemd. They go to the socket that
//! `NOTIFY_SOCKET` names; without it, nothing is sent.

use std::{net::SocketAddr, time::Duration};

use sd_notify::NotifyState;
use tokio::time::sleep;

use crate::local_health::LocalHealth;

/// Number of looks within the time after which the service manager takes the service for dead.
const LOOKS: u32 = 3;

/// Reports that the service serves at the address, and from then on that it is live, if the service manager
/// has a watchdog.
pub(crate) fn report_ready(address: SocketAddr) {
    send(NotifyState::Ready);
    let limit = sd_notify::watchdog_enabled().filter(|limit| !limit.is_zero());
    if let Some(limit) = limit {
        tokio::spawn(report_live(LocalHealth::of(address), limit / LOOKS));
    }
}

/// Reports that the service is about to end. It drains first, which the watchdog does not disturb.
pub(crate) fn report_stopping() {
    send(NotifyState::Stopping);
}

/// Reports that the service is live, each time that its server reacts. Otherwise the service manager restarts
/// the process.
async fn report_live(health: LocalHealth, interval: Duration) {
    loop {
        if health.is_live().await {
            send(NotifyState::Watchdog);
        } else {
            tracing::error!(
                server = %health,
                "the server gave no answer; the service manager restarts the process if that lasts"
            );
        }
        sleep(interval).await;
    }
}

fn send(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "failed to notify the service manager");
    }
}
