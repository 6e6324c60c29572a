//! Queue of one leased endpoint.

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

/// Number of deliveries held ready for each call that may be in flight.
const READY_PER_CALL: usize = 16;
/// Interval of reads of deliveries that other instances wrote, and of changes of the endpoint.
const POLL: TimeDelta = TimeDelta::milliseconds(250);
const REFRESH: TimeDelta = TimeDelta::seconds(1);
/// Time for which an endpoint without due deliveries stays leased.
const IDLE: TimeDelta = TimeDelta::seconds(1);
/// Overlap of a read with the previous one, for deliveries that were committed late, and interval
/// of reads from the beginning.
const LATE: TimeDelta = TimeDelta::seconds(30);
const SWEEP: TimeDelta = TimeDelta::seconds(10);

/// Subject of events.
pub(super) enum Subject {}

/// Kind of endpoints among which one takes its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Endpoints that answer fast.
    Fast,
    /// Endpoints that are slow, fail or are not known yet.
    Slow,
}

/// Due deliveries of an endpoint, and the pace of its answers.
pub(super) struct EndpointQueue {
    /// Data for calls; `None` before the first read.
    pub(super) endpoint: Option<CalledEndpoint>,
    ready: VecDeque<DueDelivery>,
    /// Subjects with a call in flight, and the deliveries that wait behind it.
    behind: HashMap<Id<Subject>, VecDeque<DueDelivery>>,
    /// Deliveries that were read or handed over, and whose outcome is not written.
    in_flight: HashSet<Id<OutboundEvent>>,
    /// Deliveries that were handed over during a read, and come after those that it returns. `None`
    /// if no read is in progress.
    handed: Option<Vec<DueDelivery>>,
    pub(super) calls: usize,
    pub(super) pace: Pace,
    pub(super) breaker: EndpointBreaker,
    /// True if it is not called any more: it is no longer leased, or no longer active.
    pub(super) is_gone: bool,
    /// Turn that it waits for, if any.
    pub(super) turn: Option<Turn>,
    /// True if it is to be read at once.
    pub(super) is_woken: bool,
    has_more: bool,
    read_at: Option<DateTime<Utc>>,
    /// Latest time since which a delivery that was read is due.
    read_until: Option<DateTime<Utc>>,
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
            handed: None,
            calls: 0,
            pace: Pace::default(),
            breaker: EndpointBreaker::CLOSED,
            is_gone: false,
            turn: None,
            is_woken: true,
            has_more: false,
            read_at: None,
            read_until: None,
            swept_at: None,
            none_before: None,
            used_at: now,
        }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Returns the read to be made now, if any.
    pub(super) fn request(&mut self, key: EndpointKey, now: DateTime<Utc>) -> Option<DueRequest> {
        if self.is_gone {
            return None;
        }
        let age = self.read_at.map(|at| now - at);
        let (target, waiting) = (self.target(), self.waiting());
        let takes_more = waiting <= target / 2 && self.may_be_called(now);
        let is_due = self.is_woken || self.has_more || age.is_none_or(|age| age >= POLL);
        let is_old = age.is_none_or(|age| age >= REFRESH);
        let wanted = if takes_more && is_due { target - waiting } else { 0 };
        if wanted == 0 && !is_old {
            return None;
        }
        if wanted > 0 {
            self.is_woken = false;
            self.handed = Some(Vec::new());
        }
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

    /// True if a read may be due at this moment.
    pub(super) fn is_unread(&self) -> bool {
        !self.is_gone && (self.is_woken || self.has_more)
    }

    /// Adds deliveries that were read.
    pub(super) fn take(&mut self, read: DueDeliveries, wanted: usize, now: DateTime<Utc>) {
        // It was left during the read. What it does not call would keep it from ever being idle.
        if self.is_gone {
            return;
        }
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
        let latest = read.due.iter().map(|delivery| delivery.due_at).max();
        self.read_until = self.read_until.max(latest);
        // If there is more, they are part of it.
        let handed = self.handed.take().filter(|_| !read.has_more).unwrap_or_default();
        for delivery in read.due.into_iter().chain(handed) {
            self.add(delivery, now);
        }
    }

    /// Takes note that a read failed.
    pub(super) fn not_read(&mut self) {
        self.is_woken = true;
        self.handed = None;
    }

    /// Adds a delivery that this process has just written, unless others that are due have to be
    /// read first. It is read after them then.
    pub(super) fn hand_over(&mut self, delivery: DueDelivery, now: DateTime<Utc>) {
        if self.is_gone || self.in_flight.contains(&delivery.event.id) {
            return;
        }
        let handed = self.handed.as_ref().map_or(0, Vec::len);
        let has_room = self.waiting() + handed < self.target();
        // It may have been read, called and written before it came here.
        let may_be_over = self.read_until.is_some_and(|until| delivery.due_at <= until);
        let is_behind = self.handed.is_none() && (self.has_more || self.endpoint.is_none());
        if self.is_woken || is_behind || may_be_over || !has_room || !self.may_be_called(now) {
            self.is_woken = true;
        } else if let Some(handed) = &mut self.handed {
            self.used_at = now;
            handed.push(delivery);
        } else {
            self.add(delivery, now);
        }
    }

    fn add(&mut self, delivery: DueDelivery, now: DateTime<Utc>) {
        if self.in_flight.insert(delivery.event.id) {
            self.used_at = now;
            self.ready.push_back(delivery);
        }
    }

    /// Number of deliveries to hold ready.
    fn target(&self) -> usize {
        self.pace.calls() * READY_PER_CALL
    }

    /// Number of deliveries held ready. Those that are being called or written are not.
    fn waiting(&self) -> usize {
        self.ready.len() + self.behind.values().map(VecDeque::len).sum::<usize>()
    }

    /// Stops calls, and drops the deliveries that were not sent.
    pub(super) fn leave(&mut self) {
        self.is_gone = true;
        self.handed = None;
        let behind = self.behind.values_mut().flat_map(|behind| behind.drain(..));
        for delivery in self.ready.drain(..).chain(behind) {
            self.in_flight.remove(&delivery.event.id);
        }
    }

    fn may_be_called(&self, now: DateTime<Utc>) -> bool {
        self.breaker.is_closed() || self.breaker.is_probe_due(now) && self.calls == 0
    }

    /// True if a delivery can be sent now.
    pub(super) fn can_be_called(&self, now: DateTime<Utc>) -> bool {
        !self.is_gone
            && !self.ready.is_empty()
            && self.calls < self.pace.calls()
            && self.may_be_called(now)
    }

    /// Begins the next call. Events with one subject are sent one at a time.
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
                    let call = call(endpoint, &delivery, now);
                    return Some((delivery, call));
                }
            }
        }
        None
    }

    /// Ends a call, and readies the deliveries that wait behind it.
    pub(super) fn end_call(&mut self, subject: Id<Subject>) {
        self.calls -= 1;
        let behind = self.behind.remove(&subject).unwrap_or_default();
        for delivery in behind.into_iter().rev() {
            self.ready.push_front(delivery);
        }
    }

    /// Releases a delivery whose outcome is written.
    pub(super) fn let_go(&mut self, id: Id<OutboundEvent>, now: DateTime<Utc>) {
        self.in_flight.remove(&id);
        self.used_at = now;
    }

    /// True if other instances may lease it.
    pub(super) fn is_idle(&self, now: DateTime<Utc>) -> bool {
        let is_resting = !self.is_gone && !self.may_be_called(now);
        let is_used = self.is_unread() || now < self.used_at + IDLE;
        let has_none = self.in_flight.is_empty() && self.handed.as_ref().is_none_or(Vec::is_empty);
        has_none && !is_resting && (self.is_gone || !is_used)
    }
}

fn call(endpoint: &CalledEndpoint, delivery: &DueDelivery, now: DateTime<Utc>) -> WebhookCall {
    let event = &delivery.event;
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
        trace: delivery.trace,
    }
}
