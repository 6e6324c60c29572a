//! Queues of the endpoints leased by this instance, with the next event for each.
//!
//! Everything here is in memory. The owner of the queues makes the reads, calls and writes.

mod figures;
mod queue;
mod result;
mod written_subjects;

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization, shared::id::Id, webhooks::webhook::WebhookCall,
};
use ports::webhooks::webhook_queue::{
    DeliveryAttempt, DueDeliveries, DueDelivery, DueRequest, EndpointChange, EndpointKey,
    FreshDelivery,
};

pub use self::figures::register_attempts;
use self::{
    figures::CallFigures,
    queue::{EndpointQueue, Turn},
    written_subjects::WrittenSubjects,
};

/// Maximum number of calls in flight, in total and of one organization.
const CALLS: usize = 512;
/// Maximum number of calls in flight to endpoints that are slow, fail or are not known yet: the
/// rest is for fast ones. They may have [`SURE_SLOW_CALLS`] in any case.
const SLOW_CALLS: usize = 384;
const SURE_SLOW_CALLS: usize = 32;
const CALLS_OF_ORGANIZATION: usize = 64;
/// Maximum numbers of endpoints and of deliveries in one read.
const ENDPOINTS_AT_ONCE: usize = 64;
const DELIVERIES_AT_ONCE: usize = 2_048;
/// Maximum number of deliveries in flight.
const MOST_IN_FLIGHT: usize = 16_384;

/// Call to be made.
#[derive(Debug, Clone)]
pub struct CallTicket {
    /// Request to the endpoint.
    pub call: WebhookCall,
    key: EndpointKey,
    delivery: DueDelivery,
    is_slow: bool,
}

/// Endpoints of an organization, and the number of its calls.
#[derive(Default)]
struct Share {
    endpoints: Vec<EndpointKey>,
    calls: usize,
}

/// Queues of the leased endpoints.
#[derive(Default)]
pub struct EndpointQueues {
    queues: HashMap<EndpointKey, EndpointQueue>,
    shares: HashMap<Id<Organization>, Share>,
    /// Order in which endpoints are read.
    readers: VecDeque<EndpointKey>,
    /// Order in which endpoints are called: fast ones, and others.
    turns: VecDeque<EndpointKey>,
    slow_turns: VecDeque<EndpointKey>,
    calls: usize,
    slow_calls: usize,
    in_flight: usize,
    written_subjects: WrittenSubjects,
    attempts: Vec<DeliveryAttempt>,
    changes: HashMap<EndpointKey, EndpointChange>,
    figures: CallFigures,
}

impl EndpointQueues {
    /// Adds leased endpoints.
    pub fn lease(&mut self, leased: &[EndpointKey], now: DateTime<Utc>) {
        for key in leased {
            if self.queues.contains_key(key) {
                continue;
            }
            self.queues.insert(*key, EndpointQueue::new(now));
            self.readers.push_back(*key);
            self.shares.entry(key.organization).or_default().endpoints.push(*key);
        }
    }

    /// Notes that an event is to be sent to an organization. Returns false if none of its endpoints
    /// is leased.
    pub fn wake(&mut self, organization: Id<Organization>) -> bool {
        let Some(share) = self.shares.get(&organization) else { return false };
        for key in &share.endpoints {
            if let Some(queue) = self.queues.get_mut(key) {
                queue.is_woken = true;
            }
        }
        true
    }

    /// Takes a delivery that this process has just written. If it is not its turn, it is read later.
    /// Returns false if none of its organization's endpoints is leased.
    pub fn hand_over(&mut self, fresh: FreshDelivery, now: DateTime<Utc>) -> bool {
        let FreshDelivery { key, delivery, is_first } = fresh;
        let subject = Id::of(delivery.event.subject);
        if is_first {
            self.written_subjects.add(subject);
        }
        // Another process may have written an earlier event, which is then still to be read. The event
        // has a delivery for each endpoint, so only a first one makes its subject known.
        let follows_own = self.written_subjects.contains(subject);
        let has_room = self.in_flight < MOST_IN_FLIGHT;
        self.with_queue(key, |queue| {
            if follows_own && has_room {
                queue.hand_over(delivery, now);
            } else {
                queue.is_woken = true;
            }
        });
        self.queue_for_turn(key, now);
        self.shares.contains_key(&key.organization)
    }

    /// Returns the reads to be made now. The caller makes them, or reports that they
    /// [failed](Self::not_read).
    pub fn requests(&mut self, now: DateTime<Utc>) -> Vec<DueRequest> {
        let mut requests = Vec::new();
        let mut room = DELIVERIES_AT_ONCE.min(MOST_IN_FLIGHT.saturating_sub(self.in_flight));
        for _ in 0..self.readers.len() {
            if room == 0 || requests.len() == ENDPOINTS_AT_ONCE {
                break;
            }
            let Some(key) = self.readers.pop_front() else { break };
            let Some(queue) = self.queues.get_mut(&key) else { continue };
            self.readers.push_back(key);
            if let Some(mut request) = queue.request(key, now) {
                request.wanted = request.wanted.min(room);
                room -= request.wanted;
                requests.push(request);
            }
        }
        requests
    }

    /// Adds deliveries that were read.
    pub fn take(&mut self, requests: &[DueRequest], read: Vec<DueDeliveries>, now: DateTime<Utc>) {
        let wanted: HashMap<_, _> = requests.iter().map(|it| (it.key, it.wanted)).collect();
        for read in read {
            let (key, wanted) = (read.key, wanted.get(&read.key).copied().unwrap_or_default());
            self.with_queue(key, |queue| queue.take(read, wanted, now));
            self.queue_for_turn(key, now);
        }
    }

    /// Requests failed reads again.
    pub fn not_read(&mut self, requests: &[DueRequest]) {
        for request in requests {
            self.with_queue(request.key, EndpointQueue::not_read);
        }
    }

    /// Returns the next call, if one may be made. Endpoints take turns.
    pub fn next_call(&mut self, now: DateTime<Utc>) -> Option<CallTicket> {
        while self.calls < CALLS {
            let (key, turn) = self.next_turn()?;
            let Some(queue) = self.queues.get_mut(&key) else { continue };
            // It may have moved to the other turns meanwhile.
            if queue.turn != Some(turn) {
                continue;
            }
            queue.turn = None;
            let is_slow = turn == Turn::Slow;
            let share = self.shares.entry(key.organization).or_default();
            if share.calls >= CALLS_OF_ORGANIZATION {
                continue;
            }
            let Some((delivery, call)) = queue.begin_call(now) else { continue };
            // An endpoint that fails makes its own deliveries wait.
            if queue.breaker.is_closed() {
                self.figures.record_delay(now - delivery.due_at);
            }
            share.calls += 1;
            self.calls += 1;
            self.slow_calls += usize::from(is_slow);
            self.queue_for_turn(key, now);
            return Some(CallTicket { call, key, delivery, is_slow });
        }
        None
    }

    fn next_turn(&mut self) -> Option<(EndpointKey, Turn)> {
        let slow = match self.slow_calls {
            SURE_SLOW_CALLS.. if !self.turns.is_empty() => None,
            SLOW_CALLS.. => None,
            _ => self.slow_turns.pop_front(),
        };
        match slow {
            Some(key) => Some((key, Turn::Slow)),
            None => self.turns.pop_front().map(|key| (key, Turn::Fast)),
        }
    }

    /// Returns the attempts and changes to be written. The caller writes them, or [gives them
    /// back](Self::not_written).
    pub fn to_write(&mut self, limit: usize) -> (Vec<DeliveryAttempt>, Vec<EndpointChange>) {
        let rest = self.attempts.split_off(limit.min(self.attempts.len()));
        let attempts = std::mem::replace(&mut self.attempts, rest);
        (attempts, self.changes.drain().map(|(_, change)| change).collect())
    }

    /// Number of attempts to be written.
    pub fn unwritten(&self) -> usize {
        self.attempts.len()
    }

    /// Releases deliveries whose attempts were written.
    pub fn written(&mut self, attempts: &[DeliveryAttempt], now: DateTime<Utc>) {
        for attempt in attempts {
            self.with_queue(attempt.key, |queue| queue.let_go(attempt.id, now));
        }
    }

    /// Takes back attempts and changes that could not be written.
    pub fn not_written(&mut self, attempts: Vec<DeliveryAttempt>, changes: Vec<EndpointChange>) {
        let later = std::mem::replace(&mut self.attempts, attempts);
        self.attempts.extend(later);
        for earlier in changes {
            let later = self.changes.remove(&earlier.key);
            self.changes.insert(earlier.key, result::merge(earlier, later));
        }
    }

    /// Gives turns to endpoints that may be called again. Removes idle ones, and returns them.
    pub fn tidy(&mut self, now: DateTime<Utc>) -> Vec<EndpointKey> {
        let mut idle = Vec::new();
        let mut due = Vec::new();
        for (key, queue) in &self.queues {
            if queue.is_idle(now) && !self.changes.contains_key(key) {
                idle.push(*key);
            } else if queue.can_be_called(now) {
                due.push(*key);
            }
        }
        for key in &idle {
            self.queues.remove(key);
            if let Some(share) = self.shares.get_mut(&key.organization) {
                share.endpoints.retain(|other| other != key);
                if share.endpoints.is_empty() {
                    self.shares.remove(&key.organization);
                }
            }
        }
        for key in due {
            self.queue_for_turn(key, now);
        }
        metrics::gauge!("atumpan_webhook_endpoints_held").set(figure(self.queues.len()));
        metrics::gauge!("atumpan_webhook_deliveries_in_flight").set(figure(self.in_flight));
        idle
    }

    /// Changes an endpoint queue, and updates the number of deliveries in flight.
    fn with_queue(&mut self, key: EndpointKey, change: impl FnOnce(&mut EndpointQueue)) {
        let Some(queue) = self.queues.get_mut(&key) else { return };
        self.in_flight -= queue.in_flight();
        change(queue);
        self.in_flight += queue.in_flight();
    }

    fn queue_for_turn(&mut self, key: EndpointKey, now: DateTime<Utc>) {
        let Some(queue) = self.queues.get_mut(&key) else { return };
        let turn = if queue.pace.is_slow() { Turn::Slow } else { Turn::Fast };
        // An endpoint that has become fast does not wait among the slow ones.
        let has_turn = queue.turn == Some(turn) || queue.turn == Some(Turn::Fast);
        if has_turn || !queue.can_be_called(now) {
            return;
        }
        queue.turn = Some(turn);
        match turn {
            Turn::Fast => self.turns.push_back(key),
            Turn::Slow => self.slow_turns.push_back(key),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure of a metric need not be exact")]
fn figure(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
