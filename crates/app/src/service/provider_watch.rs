//! Background tasks for providers: states shared by other instances, missing reports, and accounts.

use std::{sync::Arc, time::Duration};

use ports::shared::clock::Clock;
use usecases::{
    messaging::callbacks::Callbacks,
    providers::{provider_health::ProviderHealth, provider_registry::Providers},
};

use crate::signals::Signals;

/// Interval between reads of the states that other instances share.
const REFRESH: Duration = Duration::from_secs(1);
/// Interval between retries of reports that came too early.
const SWEEP: Duration = Duration::from_secs(1);
/// Number of sweeps after which the reports that matched no message are deleted.
const SWEEPS_TO_FORGET: u64 = 10;
/// Interval between checks for providers whose reports are missing.
const JUDGE: Duration = Duration::from_secs(30);
/// Interval between checks of the providers' accounts.
const CHECK: Duration = Duration::from_secs(300);

/// Reads the states of providers that other instances share.
pub(super) async fn listen(
    providers: Arc<Providers>,
    clock: Arc<dyn Clock>,
    signals: Arc<Signals>,
) {
    loop {
        signals.providers(REFRESH).await;
        if let Err(error) = providers.states().refresh(clock.now()).await {
            tracing::warn!(%error, "failed to read the shared states of providers");
        }
    }
}

/// Applies reports that came before their messages were known, and deletes those that matched none.
pub(super) async fn sweep(callbacks: Callbacks) {
    let mut sweeps = 0_u64;
    loop {
        tokio::time::sleep(SWEEP).await;
        if let Err(error) = callbacks.sweep().await {
            tracing::warn!(%error, "failed to apply kept reports");
        }
        sweeps += 1;
        if sweeps.is_multiple_of(SWEEPS_TO_FORGET)
            && let Err(error) = callbacks.forget_old().await
        {
            tracing::warn!(%error, "failed to delete reports that matched nothing");
        }
    }
}

/// Demotes providers whose reports are missing, and restores those that report again.
pub(super) async fn judge(providers: Arc<Providers>, clock: Arc<dyn Clock>) {
    let mut ticks = tokio::time::interval(JUDGE);
    loop {
        // The first tick comes at once: an instance that starts need not wait to find silent
        // providers.
        ticks.tick().await;
        if let Err(error) = providers.states().judge(clock.now()).await {
            tracing::warn!(%error, "failed to judge providers by their reports");
        }
    }
}

/// Checks every provider's account.
pub(super) async fn check(health: ProviderHealth) {
    loop {
        tokio::time::sleep(CHECK).await;
        if let Err(error) = health.check_all().await {
            tracing::warn!(%error, "failed to check the providers' accounts");
        }
    }
}
