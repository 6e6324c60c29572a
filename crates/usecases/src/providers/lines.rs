//! Lines: which messages wait for the same providers, and when one of those can be called.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    country::Country,
    delivery::Delivery,
    job::Job,
    lane::Line,
    message::{Draft, Message},
    provider::{self, Attempt, Provider},
};
use sha2::{Digest, Sha256};

use super::Providers;

/// As many messages of a line are held ready as go in that time.
const SOON: Duration = Duration::from_secs(30);
/// As many are held ready at least while a provider can be called.
const FEWEST: usize = 8;
/// How soon to look again whether a closed provider is open.
const CLOSED: Duration = Duration::from_millis(250);

/// The lines of all declared providers.
pub(super) struct Lines {
    /// The line of messages over a channel to a country; no country stands for those that no route
    /// names.
    of: HashMap<(Channel, Option<Country>), Line>,
    /// The names of the providers that may take what waits in a line.
    providers: HashMap<Line, Vec<String>>,
    sandbox: Line,
}

/// Whether a provider of a line can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCapacity {
    /// How long until the next message can be handed over, as far as that is known.
    pub wait: Duration,
    /// How many messages can be handed over soon.
    pub capacity: usize,
}

impl LineCapacity {
    const FREE: Self = Self { wait: Duration::ZERO, capacity: usize::MAX };
}

impl Lines {
    pub(super) fn of(declared: &[Provider]) -> Self {
        let names = vec![provider::SANDBOX.to_owned()];
        let sandbox = line_of(&names);
        let providers = HashMap::from([(sandbox, names)]);
        let mut lines = Self { of: HashMap::new(), providers, sandbox };
        for channel in Channel::ALL {
            let carriers = declared.iter().filter(|provider| provider.channel == channel);
            let routes = carriers.flat_map(|provider| &provider.routes);
            let mut countries: BTreeSet<_> = routes.map(|route| route.country).collect();
            countries.insert(None);
            for country in countries {
                let serves = |provider: &&Provider| {
                    provider.channel == channel
                        && provider
                            .routes
                            .iter()
                            .any(|route| route.country.is_none() || route.country == country)
                };
                let names = declared.iter().filter(serves).map(|it| it.name.clone());
                let names: Vec<_> = names.collect();
                if !names.is_empty() {
                    let line = line_of(&names);
                    lines.of.insert((channel, country), line);
                    lines.providers.insert(line, names);
                }
            }
        }
        lines
    }
}

/// The same on every instance and after every start. That two sets of providers share a line is next
/// to impossible, and would only have them wait for each other.
fn line_of(names: &[String]) -> Line {
    let digest = Sha256::digest(names.join(","));
    let number = i32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
    Line(if number == Line::FREE.0 { 1 } else { number })
}

impl Providers {
    /// The line in which a message waits until a provider takes it.
    pub fn line(&self, message: &Message) -> Line {
        let Draft { channel, country, .. } = *message.draft;
        if message.is_sandbox {
            return self.lines.sandbox;
        }
        let of = &self.lines.of;
        let line = of.get(&(channel, Some(country))).or_else(|| of.get(&(channel, None)));
        line.copied().unwrap_or(Line::FREE)
    }

    /// The line in which a job waits: that of its message if the next thing to do is to hand it over.
    pub fn line_now(&self, job: &Job, now: DateTime<Utc>) -> Line {
        let message = &job.message;
        let is_begun = !job.is_fresh && message.attempts.last().is_some_and(Attempt::is_open);
        let is_to_be_sent = matches!(message.delivery, Delivery::Queued { .. })
            && message.refusal().is_none()
            && !is_begun
            && now < message.expires_at;
        if is_to_be_sent { self.line(message) } else { Line::FREE }
    }

    /// All lines in which messages may wait.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        self.lines.providers.keys().copied()
    }

    /// The lines of which no provider can be called now.
    pub fn held_lines(&self, now: DateTime<Utc>) -> Vec<Line> {
        self.lines().filter(|line| !self.line_capacity(*line, now).wait.is_zero()).collect()
    }

    /// Whether a provider of a line can be called. While all of them are closed, that is so for one
    /// message, when it may probe one of them.
    pub fn line_capacity(&self, line: Line, now: DateTime<Utc>) -> LineCapacity {
        let Some(names) = self.lines.providers.get(&line) else { return LineCapacity::FREE };
        let mut opening: Option<LineCapacity> = None;
        let mut is_probe_due = false;
        for name in names {
            let state = self.states.of(name);
            if !state.is_open_to_all() {
                is_probe_due |= state.is_probe_due(now);
                continue;
            }
            let Some(pace) = self.adapter(name).map(|adapter| adapter.pace()) else { continue };
            let soon = SOON.as_micros().checked_div(pace.between.as_micros());
            let capacity = soon.and_then(|soon| usize::try_from(soon).ok()).unwrap_or(usize::MAX);
            let known = opening.unwrap_or(LineCapacity { wait: Duration::MAX, capacity: 0 });
            opening = Some(LineCapacity {
                wait: known.wait.min(pace.wait),
                capacity: known.capacity.saturating_add(capacity.max(FEWEST)),
            });
        }
        let probe = LineCapacity { wait: Duration::ZERO, capacity: 1 };
        let closed = LineCapacity { wait: CLOSED, capacity: 0 };
        opening.unwrap_or(if is_probe_due { probe } else { closed })
    }
}
