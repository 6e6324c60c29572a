//! One endpoint in our hands.

use std::collections::{HashMap, HashSet, VecDeque, hash_map::Entry};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    shared::id::Id,
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{EndpointBreaker, Pace, WebhookCall},
    },
};
use ports::webhooks::webhook_queue::{
    CalledEndpoint, DueDeliveries, DueDelivery, DueRequest, EndpointKey,
};

/// How many deliveries are held ready for each call that may be under way.
const READY_PER_CALL: usize = 16;
/// How often it is looked what other instances have written, and whether the endpoint was changed.
const POLL: TimeDelta = TimeDelta::milliseconds(250);
const REFRESH: TimeDelta = TimeDelta::seconds(1);
/// How long an endpoint stays in our hands to which nothing is due.
const IDLE: TimeDelta = TimeDelta::seconds(1);
/// What was seen is looked at again from so long before, for what took long to be committed, and from the
/// beginning now and then.
const LATE: TimeDelta = TimeDelta::seconds(30);
const SWEEP: TimeDelta = TimeDelta::seconds(10);

/// What events are about.
pub(super) enum Subject {}

/// Among whom an endpoint has its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Those that answer fast.
    Fast,
    /// Those that are slow, or fail, or of which nothing is known.
    Slow,
}

/// What is due to an endpoint, and how it answers.
pub(super) struct EndpointQueue {
    /// How it is called. None before it was read.
    pub(super) endpoint: Option<CalledEndpoint>,
    ready: VecDeque<DueDelivery>,
    /// The subjects of which something is being told, and what waits behind that.
    behind: HashMap<Id<Subject>, VecDeque<DueDelivery>>,
    /// All that was read and of which the outcome is not written.
    in_flight: HashSet<Id<OutboundEvent>>,
    pub(super) calls: usize,
    pub(super) pace: Pace,
    pub(super) breaker: EndpointBreaker,
    /// Whether it is called no more: it is not ours any more, or is told nothing any more.
    pub(super) is_gone: bool,
    /// Among whom it waits for its turn, if it does.
    pub(super) turn: Option<Turn>,
    /// Whether it is to be read at once.
    pub(super) is_woken: bool,
    has_more: bool,
    read_at: Option<DateTime<Utc>>,
    swept_at: Option<DateTime<Utc>>,
    none_before: Option<DateTime<Utc>>,
    used_at: DateTime<Utc>,
}

impl EndpointQueue {
    pub(super) fn new(now: DateTime<Utc>) -> Self {
        Self {
            endpoint: None,
            ready: VecDeque::new(),
            behind: HashMap::new(),
            in_flight: HashSet::new(),
            calls: 0,
            pace: Pace::default(),
            breaker: EndpointBreaker::CLOSED,
            is_gone: false,
            turn: None,
            is_woken: true,
            has_more: false,
            read_at: None,
            swept_at: None,
            none_before: None,
            used_at: now,
        }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// What is to be read of it now, if anything.
    pub(super) fn request(&mut self, key: EndpointKey, now: DateTime<Utc>) -> Option<DueRequest> {
        if self.is_gone {
            return None;
        }
        let age = self.read_at.map(|at| now - at);
        let target = self.pace.calls() * READY_PER_CALL;
        // What is being called, or written, is ready no more.
        let waiting = self.ready.len() + self.behind.values().map(VecDeque::len).sum::<usize>();
        let takes_more = waiting <= target / 2 && self.may_be_called(now);
        let is_due = self.is_woken || self.has_more || age.is_none_or(|age| age >= POLL);
        let is_old = age.is_none_or(|age| age >= REFRESH);
        let wanted = if takes_more && is_due { target - waiting } else { 0 };
        if wanted == 0 && !is_old {
            return None;
        }
        self.is_woken = false;
        self.read_at = Some(now);
        let is_sweep = self.swept_at.is_none_or(|at| now >= at + SWEEP);
        if is_sweep && wanted > 0 {
            self.swept_at = Some(now);
        }
        Some(DueRequest {
            key,
            wanted,
            in_flight: self.in_flight.iter().copied().collect(),
            since: self.none_before.filter(|_| !is_sweep).map(|before| before - LATE),
        })
    }

    /// Whether it may be read at this moment already.
    pub(super) fn is_unread(&self) -> bool {
        !self.is_gone && (self.is_woken || self.has_more)
    }

    /// Takes what was read.
    pub(super) fn take(&mut self, read: DueDeliveries, wanted: usize, now: DateTime<Utc>) {
        let Some(endpoint) = read.endpoint else { return self.leave() };
        if self.endpoint.as_ref().is_some_and(|known| known.url != endpoint.url) {
            self.pace = Pace::default();
            self.breaker = EndpointBreaker::CLOSED;
        }
        self.endpoint = Some(endpoint);
        if wanted == 0 {
            return;
        }
        self.has_more = read.has_more;
        self.none_before = Some(read.none_before);
        for delivery in read.due {
            if self.in_flight.insert(delivery.event.id) {
                self.used_at = now;
                self.ready.push_back(delivery);
            }
        }
    }

    /// Calls it no more.
    pub(super) fn leave(&mut self) {
        self.is_gone = true;
        let behind = self.behind.values_mut().flat_map(|behind| behind.drain(..));
        for delivery in self.ready.drain(..).chain(behind) {
            self.in_flight.remove(&delivery.event.id);
        }
    }

    fn may_be_called(&self, now: DateTime<Utc>) -> bool {
        self.breaker.is_closed() || self.breaker.is_probe_due(now) && self.calls == 0
    }

    /// Whether something can be told to it now.
    pub(super) fn can_be_called(&self, now: DateTime<Utc>) -> bool {
        !self.is_gone
            && !self.ready.is_empty()
            && self.calls < self.pace.calls()
            && self.may_be_called(now)
    }

    /// What is told to it next, and how. Of what has one subject one event is told at a time.
    pub(super) fn begin_call(&mut self, now: DateTime<Utc>) -> Option<(DueDelivery, WebhookCall)> {
        if !self.can_be_called(now) {
            return None;
        }
        let endpoint = self.endpoint.as_ref()?;
        while let Some(delivery) = self.ready.pop_front() {
            match self.behind.entry(Id::of(delivery.event.subject)) {
                Entry::Occupied(mut behind) => behind.get_mut().push_back(delivery),
                Entry::Vacant(free) => {
                    free.insert(VecDeque::new());
                    self.calls += 1;
                    self.breaker = self.breaker.probed();
                    let call = call(endpoint, &delivery.event, now);
                    return Some((delivery, call));
                }
            }
        }
        None
    }

    /// Makes room for what waits behind an event that was told.
    pub(super) fn end_call(&mut self, subject: Id<Subject>) {
        self.calls -= 1;
        let behind = self.behind.remove(&subject).unwrap_or_default();
        for delivery in behind.into_iter().rev() {
            self.ready.push_front(delivery);
        }
    }

    /// Lets something go whose outcome is written.
    pub(super) fn let_go(&mut self, id: Id<OutboundEvent>, now: DateTime<Utc>) {
        self.in_flight.remove(&id);
        self.used_at = now;
    }

    /// Whether others may have it.
    pub(super) fn is_idle(&self, now: DateTime<Utc>) -> bool {
        let is_resting = !self.is_gone && !self.may_be_called(now);
        let is_used = self.is_unread() || now < self.used_at + IDLE;
        self.in_flight.is_empty() && !is_resting && (self.is_gone || !is_used)
    }
}

fn call(endpoint: &CalledEndpoint, event: &OutboundEvent, now: DateTime<Utc>) -> WebhookCall {
    let previous = endpoint.previous_secret.as_ref().filter(|previous| now < previous.until);
    let previous = previous.map(|previous| previous.secret.clone());
    WebhookCall {
        organization: event.organization,
        url: endpoint.url.clone(),
        secrets: [Some(endpoint.secret.clone()), previous].into_iter().flatten().collect(),
        id: event.id.to_string(),
        event: event.event,
        body: event.body(),
        at: now,
    }
}
