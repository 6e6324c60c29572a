//! Numbers of messages that reached each status, as in `/metrics`.

use std::sync::Arc;

use domain::{
    messaging::{delivery::Status, job::Step, message::Message},
    shared::channel::Channel,
};
use metrics::Counter;

/// Counters of messages, created once, so that counting a message is one addition.
#[derive(Clone)]
pub(crate) struct MessageCounters(Arc<[Counter]>);

impl MessageCounters {
    /// Creates every counter, at zero.
    pub(crate) fn new() -> Self {
        let mut counters = Vec::new();
        for is_sandbox in [false, true] {
            for channel in Channel::ALL {
                for status in Status::ALL {
                    counters.push(counter(is_sandbox, channel, status));
                }
            }
        }
        Self(counters.into())
    }

    /// Counts an accepted message.
    pub(crate) fn count_accepted(&self, message: &Message) {
        self.count(message, Status::Queued);
    }

    /// Counts a message that changed its status. A message that is queued again was counted when it
    /// was accepted.
    pub(crate) fn count_step(&self, step: &Step) {
        let status = step.message().delivery.status();
        if status != step.previous_status() && status != Status::Queued {
            self.count(step.message(), status);
        }
    }

    fn count(&self, message: &Message, status: Status) {
        let (channels, statuses) = (Channel::ALL.len(), Status::ALL.len());
        let row = usize::from(message.is_sandbox) * channels + message.draft.channel as usize;
        if let Some(counter) = self.0.get(row * statuses + status as usize) {
            counter.increment(1);
        }
    }
}

fn counter(is_sandbox: bool, channel: Channel, status: Status) -> Counter {
    let mode = if is_sandbox { "SANDBOX" } else { "LIVE" };
    metrics::counter!(
        "atumpan_messages_total",
        "channel" => channel.as_str(), "mode" => mode, "status" => status.as_str(),
    )
}
