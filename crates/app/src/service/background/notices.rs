//! Tasks that mail what people must know: looks for what no write notices, and the sender.

use std::{sync::Arc, time::Duration};

use adapters_postgres::PgStore;
use ports::shared::clock::Clock;
use usecases::platform::notices::{NoticeSender, NoticeSenderDeps};

use crate::{
    background::{Task, Turn, again_if_any, then_idle},
    service::{stores::BackgroundStores, wiring::Wiring},
};

/// Interval between looks for notices when none is due.
const NOTICES: Duration = Duration::from_secs(2);
/// Interval between looks for wallets that run low, and for endpoints that have failed for a day.
const LOW_BALANCES: Duration = Duration::from_secs(30);
const FAILURES: Duration = Duration::from_secs(30);

pub(super) fn tasks(wiring: &Wiring, stores: &BackgroundStores) -> Vec<Task> {
    let store = || Arc::clone(&stores.background);
    let sender = NoticeSender::new(NoticeSenderDeps {
        queue: store(),
        organizations: store(),
        users: store(),
        mailer: Arc::new(wiring.api.messages.clone()),
        public_url: wiring.api.public_url.clone(),
    });
    let failures = (store(), Arc::clone(&wiring.core.clock));
    vec![
        Task::every("notices", NOTICES, sender, |sender| async move {
            again_if_any(sender.send_due().await)
        }),
        Task::every("low balances", LOW_BALANCES, store(), |store| async move {
            then_idle(store.note_low_balances().await)
        }),
        Task::every("failing webhooks", FAILURES, failures, note_failures),
    ]
}

/// Notes which endpoints have failed for a day.
async fn note_failures((store, clock): (Arc<PgStore>, Arc<dyn Clock>)) -> Turn {
    let noted = store.note_failing_endpoints(clock.now()).await;
    if let Ok(endpoints @ 1..) = noted {
        tracing::info!(endpoints, "noted that webhook endpoints fail");
    }
    then_idle(noted)
}
