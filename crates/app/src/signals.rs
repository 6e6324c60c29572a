//! Signals that this instance sends to others, and receives from them and from itself.

use std::{sync::Arc, time::Duration};

use adapters_redis::RedisSignals;
use async_trait::async_trait;
use metrics::Counter;
use ports::{
    outreach::campaigns::CampaignWakeup,
    shared::signals::{Change, ChangeBroadcast, DueWork, Signal, SignalListener, WakeSignal},
};
use runtime::signals::MessageSignals;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use crate::{supervisor::Supervisor, webhook_pool::WebhookWaker};

/// Shortest pause between two looks, however many signals arrive.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// Results of signals, as the metrics count them.
const SENT: &str = "sent";
const RECEIVED: &str = "heard";
const DROPPED: &str = "dropped";

/// Signals of this instance and of others. Without Redis an instance receives only its own.
#[derive(Default)]
pub struct Signals {
    redis: Option<RedisSignals>,
    webhooks: Arc<WebhookWaker>,
    messages: Notify,
    campaigns: Notify,
    imports: Notify,
    changes: Notify,
}

impl Signals {
    /// Creates signals that other instances receive if there is a Redis.
    pub fn new(redis: Option<RedisSignals>, webhooks: Arc<WebhookWaker>) -> Self {
        Self { redis, webhooks, ..Self::default() }
    }

    /// Exchanges signals with other instances, if there is a Redis.
    pub fn spawn(self: &Arc<Self>, tasks: &mut Supervisor) {
        if let Some(redis) = &self.redis {
            let listener = Arc::clone(self);
            tasks.spawn("signals to other instances", redis.clone().publish());
            tasks.spawn("signals of other instances", redis.clone().listen(listener));
        }
    }

    /// Waits until a campaign may go on, for at most `limit`.
    pub async fn campaigns(&self, limit: Duration) {
        next_look(&self.campaigns, limit).await;
    }

    /// Waits until an import may go on, for at most `limit`.
    pub async fn imports(&self, limit: Duration) {
        next_look(&self.imports, limit).await;
    }

    /// Waits until cached data has changed, for at most `limit`.
    pub async fn changes(&self, limit: Duration) {
        next_look(&self.changes, limit).await;
    }

    fn send(&self, signal: Signal) {
        self.take(signal);
        if let Some(redis) = &self.redis {
            count(if redis.send(signal) { SENT } else { DROPPED });
        }
    }

    fn take(&self, signal: Signal) {
        match signal {
            Signal::Due(DueWork::Messages) => self.messages.notify_one(),
            Signal::Due(DueWork::Campaigns) => self.campaigns.notify_one(),
            Signal::Due(DueWork::Imports) => self.imports.notify_one(),
            Signal::Due(DueWork::WebhookEvents(organization)) => {
                self.webhooks.wake_held(organization);
            }
            Signal::Changed(_) => self.changes.notify_one(),
        }
    }
}

#[async_trait]
impl MessageSignals for Signals {
    async fn messages(&self) {
        self.messages.notified().await;
    }
}

impl WakeSignal for Signals {
    fn signal(&self, work: DueWork) {
        self.send(Signal::Due(work));
    }
}

impl ChangeBroadcast for Signals {
    fn broadcast(&self, change: Change) {
        self.send(Signal::Changed(change));
    }
}

impl CampaignWakeup for Signals {
    fn wake(&self) {
        self.signal(DueWork::Campaigns);
    }
}

impl SignalListener for Signals {
    fn receive(&self, signal: Signal) {
        count(RECEIVED);
        self.take(signal);
    }
}

async fn next_look(signal: &Notify, limit: Duration) {
    sleep(SHORTEST_PAUSE).await;
    let _ = timeout(limit.saturating_sub(SHORTEST_PAUSE), signal.notified()).await;
}

fn count(result: &'static str) {
    signals(result).increment(1);
}

/// Registers the counters of signals, so that they exist before the first.
pub(crate) fn register() {
    for result in [SENT, RECEIVED, DROPPED] {
        signals(result).increment(0);
    }
}

fn signals(result: &'static str) -> Counter {
    metrics::counter!("atumpan_signals_total", "result" => result)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn an_instance_without_redis_receives_its_own_signals() {
        let signals = Signals::default();

        signals.signal(DueWork::Messages);
        CampaignWakeup::wake(&signals);

        let long = Duration::from_secs(3_600);
        assert_eq!(signals.messages().now_or_never(), Some(()));
        signals.campaigns(long).await;
        signals.signal(DueWork::Imports);
        signals.imports(long).await;
        for change in Change::ALL {
            signals.broadcast(change);
            signals.changes(long).await;
        }
        assert_eq!(signals.messages().now_or_never(), None, "each signal is heard once");
    }

    #[tokio::test]
    async fn a_flood_of_signals_leaves_pauses_between_looks() {
        let signals = Signals::default();
        let began = Instant::now();
        for _ in 0..5 {
            signals.receive(Signal::Changed(Change::Prices));
            signals.changes(Duration::from_secs(3_600)).await;
        }
        assert!(began.elapsed() >= 5 * SHORTEST_PAUSE, "{:?}", began.elapsed());
    }
}
