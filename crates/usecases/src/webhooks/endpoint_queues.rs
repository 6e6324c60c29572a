//! The endpoints in the hands of this instance: what is told to which one next.
//!
//! Everything here is memory. What is read, called and written is the business of whoever holds it.

mod queue;
mod result;

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization, shared::id::Id, webhooks::webhook::WebhookCall,
};
use ports::webhooks::webhook_queue::{
    DeliveryAttempt, DueDeliveries, DueDelivery, DueRequest, EndpointChange, EndpointKey,
};

use self::queue::{EndpointQueue, Turn};

/// How many calls may be under way, and how many of one organization.
const CALLS: usize = 512;
/// How many may be under way of endpoints that are slow, or fail, or of which nothing is known yet: the
/// rest is for those that answer fast. So many they have in any case.
const SLOW_CALLS: usize = 384;
const SURE_SLOW_CALLS: usize = 32;
const CALLS_OF_ORGANIZATION: usize = 64;
/// How many endpoints, and how many deliveries, are read together.
const ENDPOINTS_AT_ONCE: usize = 64;
const DELIVERIES_AT_ONCE: usize = 2_048;
/// How many deliveries may be in our hands.
const IN_HAND: usize = 16_384;

/// A call that is to be made.
#[derive(Debug, Clone)]
pub struct CallTicket {
    /// The call.
    pub call: WebhookCall,
    key: EndpointKey,
    delivery: DueDelivery,
    is_slow: bool,
}

/// The endpoints of an organization, and its calls.
#[derive(Default)]
struct Share {
    endpoints: Vec<EndpointKey>,
    calls: usize,
}

/// The endpoints in our hands.
#[derive(Default)]
pub struct EndpointQueues {
    lines: HashMap<EndpointKey, EndpointQueue>,
    shares: HashMap<Id<Organization>, Share>,
    /// In which order they are read.
    readers: VecDeque<EndpointKey>,
    /// Who is called next: those that answer fast, and the others.
    turns: VecDeque<EndpointKey>,
    slow_turns: VecDeque<EndpointKey>,
    calls: usize,
    slow_calls: usize,
    in_flight: usize,
    attempts: Vec<DeliveryAttempt>,
    changes: HashMap<EndpointKey, EndpointChange>,
}

impl EndpointQueues {
    /// Takes endpoints that were leased.
    pub fn lease(&mut self, leased: &[EndpointKey], now: DateTime<Utc>) {
        for key in leased {
            if self.lines.contains_key(key) {
                continue;
            }
            self.lines.insert(*key, EndpointQueue::new(now));
            self.readers.push_back(*key);
            self.shares.entry(key.organization).or_default().endpoints.push(*key);
        }
    }

    /// Hears that something is to be told to an organization; false if none of its endpoints is in our
    /// hands.
    pub fn wake(&mut self, organization: Id<Organization>) -> bool {
        let Some(share) = self.shares.get(&organization) else { return false };
        for key in &share.endpoints {
            if let Some(line) = self.lines.get_mut(key) {
                line.is_woken = true;
            }
        }
        true
    }

    /// What is to be read now. Whoever asks reads it, or says that it [failed](Self::not_read).
    pub fn requests(&mut self, now: DateTime<Utc>) -> Vec<DueRequest> {
        let mut requests = Vec::new();
        let mut room = DELIVERIES_AT_ONCE.min(IN_HAND.saturating_sub(self.in_flight));
        for _ in 0..self.readers.len() {
            if room == 0 || requests.len() == ENDPOINTS_AT_ONCE {
                break;
            }
            let Some(key) = self.readers.pop_front() else { break };
            let Some(line) = self.lines.get_mut(&key) else { continue };
            self.readers.push_back(key);
            if let Some(mut request) = line.request(key, now) {
                request.wanted = request.wanted.min(room);
                room -= request.wanted;
                requests.push(request);
            }
        }
        requests
    }

    /// Takes what was read.
    pub fn take(&mut self, requests: &[DueRequest], read: Vec<DueDeliveries>, now: DateTime<Utc>) {
        let wanted: HashMap<_, _> = requests.iter().map(|it| (it.key, it.wanted)).collect();
        for read in read {
            let (key, wanted) = (read.key, wanted.get(&read.key).copied().unwrap_or_default());
            self.with_line(key, |line| line.take(read, wanted, now));
            self.queue_for_turn(key, now);
        }
    }

    /// Notes that it failed to read that.
    pub fn not_read(&mut self, requests: &[DueRequest]) {
        for request in requests {
            self.with_line(request.key, |line| line.is_woken = true);
        }
    }

    /// The next call, if one may be made. Endpoints have their turns one after the other.
    pub fn next_call(&mut self, now: DateTime<Utc>) -> Option<CallTicket> {
        while self.calls < CALLS {
            let (key, turn) = self.next_turn()?;
            let Some(line) = self.lines.get_mut(&key) else { continue };
            // It may have moved to the others meanwhile.
            if line.turn != Some(turn) {
                continue;
            }
            line.turn = None;
            let is_slow = turn == Turn::Slow;
            let share = self.shares.entry(key.organization).or_default();
            if share.calls >= CALLS_OF_ORGANIZATION {
                continue;
            }
            let Some((delivery, call)) = line.begin_call(now) else { continue };
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

    /// What is to be written. Whoever takes it writes it, or [gives it back](Self::not_written).
    pub fn to_write(&mut self, limit: usize) -> (Vec<DeliveryAttempt>, Vec<EndpointChange>) {
        let rest = self.attempts.split_off(limit.min(self.attempts.len()));
        let attempts = std::mem::replace(&mut self.attempts, rest);
        (attempts, self.changes.drain().map(|(_, change)| change).collect())
    }

    /// How many attempts are to be written.
    pub fn unwritten(&self) -> usize {
        self.attempts.len()
    }

    /// Lets go of what was written.
    pub fn written(&mut self, attempts: &[DeliveryAttempt], now: DateTime<Utc>) {
        for attempt in attempts {
            self.with_line(attempt.key, |line| line.let_go(attempt.id, now));
        }
    }

    /// Takes back what could not be written.
    pub fn not_written(&mut self, attempts: Vec<DeliveryAttempt>, changes: Vec<EndpointChange>) {
        let later = std::mem::replace(&mut self.attempts, attempts);
        self.attempts.extend(later);
        for earlier in changes {
            let later = self.changes.remove(&earlier.key);
            self.changes.insert(earlier.key, result::merge(earlier, later));
        }
    }

    /// Gives turns to those that may be called again, and takes out those that others may have.
    pub fn tidy(&mut self, now: DateTime<Utc>) -> Vec<EndpointKey> {
        let mut idle = Vec::new();
        let mut due = Vec::new();
        for (key, line) in &self.lines {
            if line.is_idle(now) && !self.changes.contains_key(key) {
                idle.push(*key);
            } else if line.can_be_called(now) {
                due.push(*key);
            }
        }
        for key in &idle {
            self.lines.remove(key);
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
        metrics::gauge!("atumpan_webhook_endpoints_held").set(figure(self.lines.len()));
        metrics::gauge!("atumpan_webhook_deliveries_in_flight").set(figure(self.in_flight));
        idle
    }

    /// Changes a line, and counts what is in our hands.
    fn with_line(&mut self, key: EndpointKey, change: impl FnOnce(&mut EndpointQueue)) {
        let Some(line) = self.lines.get_mut(&key) else { return };
        self.in_flight -= line.in_flight();
        change(line);
        self.in_flight += line.in_flight();
    }

    fn queue_for_turn(&mut self, key: EndpointKey, now: DateTime<Utc>) {
        let Some(line) = self.lines.get_mut(&key) else { return };
        let turn = if line.pace.is_slow() { Turn::Slow } else { Turn::Fast };
        // One that has become fast does not wait among the slow ones.
        let has_turn = line.turn == Some(turn) || line.turn == Some(Turn::Fast);
        if has_turn || !line.can_be_called(now) {
            return;
        }
        line.turn = Some(turn);
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
