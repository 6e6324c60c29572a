//! Provider queues: messages that wait for the same providers, and the capacity of those.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        attempts,
        delivery::Delivery,
        job::Job,
        message::{Draft, Message},
        priority::ProviderQueue,
    },
    providers::provider::{self, Provider},
    shared::{channel::Channel, country::Country},
};
use sha2::{Digest, Sha256};

use super::Providers;

/// Time in which the messages held ready for a provider queue can be sent.
const READY_TIME: Duration = Duration::from_secs(30);
/// Minimum number of messages held ready while a provider can be called.
const MIN_READY: usize = 8;
/// Delay until the next check whether a provider can be called when all are closed.
const CLOSED_WAIT: Duration = Duration::from_millis(250);

/// Queues of all declared providers.
pub(super) struct ProviderQueues {
    /// Queue of messages over a channel to a country; `None` stands for countries that no route
    /// names.
    by_destination: HashMap<(Channel, Option<Country>), ProviderQueue>,
    /// Names of the providers that may take the messages in a queue.
    providers: HashMap<ProviderQueue, Vec<String>>,
    sandbox: ProviderQueue,
}

/// Number of messages of a queue that can be handed over, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueCapacity {
    /// Time until the next message can be handed over, as far as it is known.
    pub wait: Duration,
    /// Number of messages that can be handed over soon.
    pub capacity: usize,
    /// Number of them that can be handed over within a second.
    pub within_second: usize,
}

impl QueueCapacity {
    /// The messages of the queue wait for no provider.
    const UNLIMITED: Self =
        Self { wait: Duration::ZERO, capacity: usize::MAX, within_second: usize::MAX };
    /// One message may probe a provider of the queue.
    const PROBE: Self = Self { wait: Duration::ZERO, capacity: 1, within_second: 1 };
    /// All providers of the queue are closed.
    const CLOSED: Self = Self { wait: CLOSED_WAIT, capacity: 0, within_second: 0 };
}

impl ProviderQueues {
    pub(super) fn of(declared: &[Provider]) -> Self {
        let names = vec![provider::SANDBOX.to_owned()];
        let sandbox = provider_queue_of(&names);
        let providers = HashMap::from([(sandbox, names)]);
        let mut provider_queues = Self { by_destination: HashMap::new(), providers, sandbox };
        for channel in Channel::ALL {
            let on_channel: Vec<_> =
                declared.iter().filter(|provider| provider.channel == channel).collect();
            let routes = on_channel.iter().flat_map(|provider| &provider.routes);
            let mut countries: BTreeSet<_> = routes.map(|route| route.country).collect();
            countries.insert(None);
            for country in countries {
                provider_queues.add((channel, country), &on_channel);
            }
        }
        provider_queues
    }

    /// Adds the queue of those of `providers` that serve a destination.
    fn add(&mut self, destination: (Channel, Option<Country>), providers: &[&Provider]) {
        let (_, country) = destination;
        let mut names = Vec::new();
        for provider in providers {
            let mut routes = provider.routes.iter();
            if routes.any(|route| route.country.is_none() || route.country == country) {
                names.push(provider.name.clone());
            }
        }
        if !names.is_empty() {
            let provider_queue = provider_queue_of(&names);
            self.by_destination.insert(destination, provider_queue);
            self.providers.insert(provider_queue, names);
        }
    }
}

/// Number of messages sent in a `time`, with so much time `between` two of them.
fn messages_in(time: Duration, between: Duration) -> usize {
    let messages = time.as_micros().checked_div(between.as_micros());
    messages.and_then(|messages| usize::try_from(messages).ok()).unwrap_or(usize::MAX)
}

/// Queue of the providers with these names, the same on every instance and after every start. A
/// collision of two sets is very unlikely, and would only make them wait for each other.
fn provider_queue_of(names: &[String]) -> ProviderQueue {
    let digest = Sha256::digest(names.join(","));
    let number = i32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
    ProviderQueue(if number == ProviderQueue::FREE.0 { 1 } else { number })
}

impl Providers {
    /// Returns the queue in which a message waits until a provider takes it.
    pub fn provider_queue(&self, message: &Message) -> ProviderQueue {
        let Draft { channel, country, .. } = *message.draft;
        if message.is_sandbox {
            return self.provider_queues.sandbox;
        }
        let provider_queues = &self.provider_queues.by_destination;
        let provider_queue = provider_queues
            .get(&(channel, Some(country)))
            .or_else(|| provider_queues.get(&(channel, None)));
        provider_queue.copied().unwrap_or(ProviderQueue::FREE)
    }

    /// Returns the queue in which a job waits: that of its message if the next thing to do is to
    /// hand it over.
    pub fn provider_queue_now(&self, job: &Job, now: DateTime<Utc>) -> ProviderQueue {
        let message = &job.message;
        let is_waiting =
            matches!(message.delivery, Delivery::Queued { .. }) || message.is_untried();
        let is_to_be_sent = is_waiting
            && message.refusal().is_none()
            && !attempts::is_running(&message.attempts)
            && now < message.expires_at;
        if is_to_be_sent { self.provider_queue(message) } else { ProviderQueue::FREE }
    }

    /// Returns all queues in which messages may wait.
    pub fn provider_queues(&self) -> impl Iterator<Item = ProviderQueue> {
        self.provider_queues.providers.keys().copied()
    }

    /// Returns the queues without a provider that can be called now.
    pub fn held_queues(&self, now: DateTime<Utc>) -> Vec<ProviderQueue> {
        self.provider_queues()
            .filter(|provider_queue| !self.queue_capacity(*provider_queue, now).wait.is_zero())
            .collect()
    }

    /// Returns the number of messages of a queue that can be handed over, and when. While all its
    /// providers are closed, that is one message if it may probe one of them.
    pub fn queue_capacity(
        &self,
        provider_queue: ProviderQueue,
        now: DateTime<Utc>,
    ) -> QueueCapacity {
        let Some(names) = self.provider_queues.providers.get(&provider_queue) else {
            return QueueCapacity::UNLIMITED;
        };
        let mut open: Option<QueueCapacity> = None;
        let mut is_probe_due = false;
        for name in names {
            let state = self.states.of(name);
            if !state.is_open_to_all() {
                is_probe_due |= state.is_probe_due(now);
                continue;
            }
            let Some(adapter) = self.adapter(name) else { continue };
            let pace = adapter.pace();
            let ready = messages_in(READY_TIME, pace.between).max(MIN_READY);
            let within_second = messages_in(Duration::from_secs(1), pace.between);
            let none = QueueCapacity { wait: Duration::MAX, capacity: 0, within_second: 0 };
            let others = open.unwrap_or(none);
            open = Some(QueueCapacity {
                wait: others.wait.min(pace.wait),
                capacity: others.capacity.saturating_add(ready),
                within_second: others.within_second.saturating_add(within_second),
            });
        }
        match open {
            Some(open) => open,
            None if is_probe_due => QueueCapacity::PROBE,
            None => QueueCapacity::CLOSED,
        }
    }
}
