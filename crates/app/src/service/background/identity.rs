//! Tasks for users, API keys and organizations.

use std::time::Duration;

use usecases::{identity::provisioning::Provisioning, platform::refused_calls::RefusedCalls};

use crate::{
    background::{Task, Turn, then_idle},
    service::wiring::Wiring,
};

/// Interval between writes of the last uses of API keys, and of sessions.
const KEY_USES: Duration = Duration::from_secs(1);
const SESSION_USES: Duration = Duration::from_secs(10);
/// Interval between writes of the numbers of calls made with API keys: each is an update for each key
/// that is in use.
const KEY_CALLS: Duration = Duration::from_secs(5);
/// Interval between writes of refused calls.
const REFUSED_CALLS: Duration = Duration::from_secs(1);
/// Interval between looks for organizations that are not provisioned yet.
const PROVISIONING: Duration = Duration::from_secs(20);

/// They use the connections of requests, not those for the changes of other instances: while many
/// uses are written, no key would be trusted.
pub(super) fn tasks(wiring: &Wiring) -> Vec<Task> {
    let (api, keys) = (&wiring.api, || wiring.api.api_keys.clone());
    vec![
        Task::every("uses of API keys", KEY_USES, keys(), |keys| async move {
            then_idle(keys.write_uses().await)
        })
        .begin_later(),
        Task::every("calls of API keys", KEY_CALLS, keys(), |keys| async move {
            then_idle(keys.write_calls().await)
        })
        .begin_later(),
        Task::every("uses of sessions", SESSION_USES, api.auth.clone(), |auth| async move {
            then_idle(auth.write_session_uses().await)
        })
        .begin_later(),
        Task::every("refused calls", REFUSED_CALLS, api.refused_calls.clone(), write_refused_calls)
            .begin_later(),
        Task::every("provisioning", PROVISIONING, wiring.core.provisioning.clone(), provision),
    ]
}

async fn write_refused_calls(refused_calls: RefusedCalls) -> Turn {
    let written = refused_calls.write().await;
    if let Ok(dropped @ 1..) = written {
        tracing::warn!(dropped, "dropped records of refused calls: too many waited");
    }
    then_idle(written)
}

/// Provisions organizations whose creation was cut short.
async fn provision(provisioning: Provisioning) -> Turn {
    let provisioned = provisioning.provision_left().await;
    if let Ok(organizations @ 1..) = provisioned {
        tracing::info!(organizations, "provisioned organizations whose founding was cut short");
    }
    then_idle(provisioned)
}
