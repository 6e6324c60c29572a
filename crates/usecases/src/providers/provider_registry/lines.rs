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
        priority::Line,
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
pub(super) struct Lines {
    /// Queue of messages over a channel to a country; `None` stands for countries that no route
    /// names.
    by_destination: HashMap<(Channel, Option<Country>), Line>,
    /// Names of the providers that may take the messages in a queue.
    providers: HashMap<Line, Vec<String>>,
    sandbox: Line,
}

/// Number of messages of a queue that can be handed over, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCapacity {
    /// Time until the next message can be handed over, as far as it is known.
    pub wait: Duration,
    /// Number of messages that can be handed over soon.
    pub capacity: usize,
    /// Number of them that can be handed over within a second.
    pub within_second: usize,
}

impl LineCapacity {
    /// The messages of the queue wait for no provider.
    const UNLIMITED: Self =
        Self { wait: Duration::ZERO, capacity: usize::MAX, within_second: usize::MAX };
    /// One message may probe a provider of the queue.
    const PROBE: Self = Self { wait: Duration::ZERO, capacity: 1, within_second: 1 };
    /// All providers of the queue are closed.
    const CLOSED: Self = Self { wait: CLOSED_WAIT, capacity: 0, within_second: 0 };
}

impl Lines {
    pub(super) fn of(declared: &[Provider]) -> Self {
        let names = vec![provider::SANDBOX.to_owned()];
        let sandbox = line_of(&names);
        let providers = HashMap::from([(sandbox, names)]);
        let mut lines = Self { by_destination: HashMap::new(), providers, sandbox };
        for channel in Channel::ALL {
            let on_channel: Vec<_> =
                declared.iter().filter(|provider| provider.channel == channel).collect();
            let routes = on_channel.iter().flat_map(|provider| &provider.routes);
            let mut countries: BTreeSet<_> = routes.map(|route| route.country).collect();
            countries.insert(None);
            for country in countries {
                lines.add((channel, country), &on_channel);
            }
        }
        lines
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
            let line = line_of(&names);
            self.by_destination.insert(destination, line);
            self.providers.insert(line, names);
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
fn line_of(names: &[String]) -> Line {
    let digest = Sha256::digest(names.join(","));
    let number = i32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
    Line(if number == Line::FREE.0 { 1 } else { number })
}

impl Providers {
    /// Returns the queue in which a message waits until a provider takes it.
    pub fn line(&self, message: &Message) -> Line {
        let Draft { channel, country, .. } = *message.draft;
        if message.is_sandbox {
            return self.lines.sandbox;
        }
        let lines = &self.lines.by_destination;
        let line = lines.get(&(channel, Some(country))).or_else(|| lines.get(&(channel, None)));
        line.copied().unwrap_or(Line::FREE)
    }

    /// Returns the queue in which a job waits: that of its message if the next thing to do is to
    /// hand it over.
    pub fn line_now(&self, job: &Job, now: DateTime<Utc>) -> Line {
        let message = &job.message;
        let is_to_be_sent = matches!(message.delivery, Delivery::Queued { .. })
            && message.refusal().is_none()
            && !attempts::is_running(&message.attempts)
            && now < message.expires_at;
        if is_to_be_sent { self.line(message) } else { Line::FREE }
    }

    /// Returns all queues in which messages may wait.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        self.lines.providers.keys().copied()
    }

    /// Returns the queues without a provider that can be called now.
    pub fn held_lines(&self, now: DateTime<Utc>) -> Vec<Line> {
        self.lines().filter(|line| !self.line_capacity(*line, now).wait.is_zero()).collect()
    }

    /// Returns the number of messages of a queue that can be handed over, and when. While all its
    /// providers are closed, that is one message if it may probe one of them.
    pub fn line_capacity(&self, line: Line, now: DateTime<Utc>) -> LineCapacity {
        let Some(names) = self.lines.providers.get(&line) else { return LineCapacity::UNLIMITED };
        let mut open: Option<LineCapacity> = None;
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
            let none = LineCapacity { wait: Duration::MAX, capacity: 0, within_second: 0 };
            let others = open.unwrap_or(none);
            open = Some(LineCapacity {
                wait: others.wait.min(pace.wait),
                capacity: others.capacity.saturating_add(ready),
                within_second: others.within_second.saturating_add(within_second),
            });
        }
        match open {
            Some(open) => open,
            None if is_probe_due => LineCapacity::PROBE,
            None => LineCapacity::CLOSED,
        }
    }
}
