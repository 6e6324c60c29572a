//! Tasks for providers: missing and early reports, and accounts.

use std::{sync::Arc, time::Duration};

use crate::{
    background::{Task, then_idle},
    service::wiring::Wiring,
};

/// Interval between retries of reports that came before their messages were known, and between
/// deletions of those that matched none.
const SWEEP: Duration = Duration::from_secs(1);
const FORGETTING: Duration = Duration::from_secs(10);
/// Interval between checks for providers whose reports are missing.
const JUDGE: Duration = Duration::from_secs(30);
/// Interval between checks of the providers' accounts.
const CHECK: Duration = Duration::from_secs(300);

pub(super) fn tasks(wiring: &Wiring) -> Vec<Task> {
    let providers = (Arc::clone(&wiring.core.providers), Arc::clone(&wiring.core.clock));
    let (callbacks, health) = (&wiring.api.callbacks, wiring.api.provider_health.clone());
    vec![
        // It begins at once: an instance that starts need not wait to find silent providers.
        Task::every("judging of silence", JUDGE, providers, |(providers, clock)| async move {
            then_idle(providers.states().judge(clock.now()).await)
        }),
        Task::every("account checks", CHECK, health, |health| async move {
            then_idle(health.check_all().await)
        })
        .begin_later(),
        Task::every("sweep of kept reports", SWEEP, callbacks.clone(), |callbacks| async move {
            then_idle(callbacks.sweep().await)
        })
        .begin_later(),
        Task::every(
            "deletion of reports that matched nothing",
            FORGETTING,
            callbacks.clone(),
            |callbacks| async move { then_idle(callbacks.forget_old().await) },
        )
        .begin_later(),
    ]
}
