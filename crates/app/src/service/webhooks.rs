//! Calls of webhook endpoints by this instance.

use std::{sync::Arc, time::Duration};

use adapters_http::outbound::webhooks::{HttpWebhooks, TIMEOUT, WebhookSettings};
use adapters_postgres::{PgInstance, PgStore, PgWebhookQueue};
use ports::{
    shared::{clock::Clock, random::Random, signals::WakeSignal},
    webhooks::calls::WebhookCaller,
};
use tokio::{runtime::Handle, time::sleep};

use super::StartError;
use crate::{
    config::Config,
    supervisor::Supervisor,
    webhook_pool::{Closing, WebhookDeps, WebhookPool, WebhookWaker},
};

/// Number of connections of the calls: one for writes, and one for reads.
pub(super) const CONNECTIONS: usize = 2;
/// Interval between looks for endpoints that have failed for a day.
const FAILURES: Duration = Duration::from_secs(30);

/// Caller of endpoints, and its waker.
#[derive(Clone)]
pub(super) struct Webhooks {
    pub(super) caller: Arc<HttpWebhooks>,
    pub(super) waker: Arc<WebhookWaker>,
}

impl Webhooks {
    /// Creates the caller, whose connections live on the current runtime.
    pub(super) fn new(config: &Config) -> Result<Self, StartError> {
        let allow_private = config.webhooks.allow_private;
        let settings = WebhookSettings { allow_private, timeout: TIMEOUT };
        let caller = Arc::new(HttpWebhooks::new(settings, Handle::current())?);
        Ok(Self { caller, waker: Arc::default() })
    }
}

/// Dependencies of the calls.
pub(super) struct CallDeps {
    pub(super) caller: Arc<dyn WebhookCaller>,
    pub(super) waker: Arc<WebhookWaker>,
    pub(super) wake_signal: Arc<dyn WakeSignal>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) random: Arc<dyn Random>,
}

/// Starts the calls on connections of their own, so that no message waits for them.
pub(super) fn spawn(
    store: PgStore,
    instance: &PgInstance,
    deps: CallDeps,
    tasks: &mut Supervisor,
) -> Arc<Closing> {
    let pool = WebhookPool::new(WebhookDeps {
        queue: Arc::new(PgWebhookQueue::new(store, instance)),
        caller: deps.caller,
        waker: deps.waker,
        wake_signal: deps.wake_signal,
        clock: deps.clock,
        random: deps.random,
    });
    let closing = pool.closing();
    tasks.spawn("webhooks", pool.run());
    closing
}

/// Notes which endpoints have failed for a day.
pub(super) async fn note_failures(store: PgStore, clock: Arc<dyn Clock>) {
    loop {
        match store.note_failing_endpoints(clock.now()).await {
            Ok(0) => {}
            Ok(endpoints) => tracing::info!(endpoints, "noted that webhook endpoints fail"),
            Err(error) => {
                tracing::warn!(%error, "failed to look for webhook endpoints that fail");
            }
        }
        sleep(FAILURES).await;
    }
}
