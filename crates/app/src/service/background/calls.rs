//! Writing of what is recorded about answered calls.

use std::time::Duration;

use tokio::time::sleep;
use usecases::{identity::api_keys::ApiKeys, platform::refused_calls::RefusedCalls};

/// Interval between writes of the numbers of calls made with API keys: each is an update for each key
/// that is in use.
const KEY_CALLS: Duration = Duration::from_secs(5);
/// Interval between writes of refused calls.
const REFUSED_CALLS: Duration = Duration::from_secs(1);

/// Writes the numbers of calls made with API keys.
pub(in crate::service) async fn write_key_calls(api_keys: ApiKeys) {
    loop {
        sleep(KEY_CALLS).await;
        if let Err(error) = api_keys.write_calls().await {
            tracing::warn!(%error, "failed to write the numbers of calls made with API keys");
        }
    }
}

/// Writes refused calls.
pub(in crate::service) async fn write_refused_calls(refused_calls: RefusedCalls) {
    loop {
        sleep(REFUSED_CALLS).await;
        match refused_calls.write().await {
            Ok(0) => {}
            Ok(dropped) => {
                tracing::warn!(dropped, "dropped records of refused calls: too many waited");
            }
            Err(error) => tracing::warn!(%error, "failed to write refused calls"),
        }
    }
}
