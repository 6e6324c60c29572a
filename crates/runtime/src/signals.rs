//! Signals that workers send and wait for.

use async_trait::async_trait;
use ports::shared::signals::{DueWork, WakeSignal};
use tokio::sync::Notify;

/// Signals of due messages, from this process and from those that share its store.
#[async_trait]
pub trait MessageSignals: WakeSignal {
    /// Waits for due messages that no instance has in memory.
    async fn messages(&self);
}

/// Signals of a process without others. Work of others is found by the next poll.
#[derive(Debug, Default)]
pub struct OwnSignals {
    messages: Notify,
}

#[async_trait]
impl MessageSignals for OwnSignals {
    async fn messages(&self) {
        self.messages.notified().await;
    }
}

impl WakeSignal for OwnSignals {
    fn signal(&self, work: DueWork) {
        if work == DueWork::Messages {
            self.messages.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_process_receives_its_own_signals_once() {
        let signals = OwnSignals::default();
        signals.signal(DueWork::Campaigns);
        assert_eq!(signals.messages().now_or_never(), None);

        signals.signal(DueWork::Messages);

        assert_eq!(signals.messages().now_or_never(), Some(()));
        assert_eq!(signals.messages().now_or_never(), None);
    }
}
