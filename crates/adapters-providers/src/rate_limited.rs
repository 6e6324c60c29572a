//! A provider with the limits of its declaration: `max_concurrency` and `max_per_second`.
//!
//! Both count for this instance alone. An urgent message waits for its turn as long as a call may
//! take, but never so long that with the call itself it could outlast the lease on the message; all
//! others wait for a moment. Workers do not wait at all: they see by the pace whether there is
//! something to do for this provider; its messages wait in their line meanwhile.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, Received},
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
};
use ports::providers::provider::{Admission, CallPermit, Demand, MessagingProvider, Pace};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep, timeout_at},
};

use crate::declaration::{Declaration, MAX_TIMEOUT};

const SECOND: Duration = Duration::from_secs(1);
/// How soon a place may be free at the earliest when there is none.
const MOMENT: Duration = Duration::from_millis(1);

/// A provider whose messages wait for their turn, by asking for a place before they are handed over.
/// Look-ups, checks and callbacks are not limited.
struct RateLimited {
    adapter: Arc<dyn MessagingProvider>,
    /// As many places as calls may be under way.
    places: Option<Arc<Semaphore>>,
    /// As many as messages may be on their way or wait for their turn, so that a provider that
    /// hangs leaves somebody to work for others.
    in_flight: Arc<Semaphore>,
    /// How many calls there are at a time, at the most.
    at_a_time: u32,
    schedule: Mutex<Schedule>,
    /// The most messages that are handed over in one call.
    group_limit: usize,
    /// How long an urgent message may wait for its turn.
    max_wait: Duration,
    /// The shortest time between two messages in the long run.
    between: Duration,
}

/// What a [`CallPermit`] holds.
struct Turn {
    _in_hand: OwnedSemaphorePermit,
    _place: Option<OwnedSemaphorePermit>,
}

/// When messages go.
#[derive(Debug)]
struct Schedule {
    /// The most messages in any second.
    most: usize,
    /// When the last so many messages go, in their order.
    going: VecDeque<Instant>,
    /// How long a call took of late.
    call: Duration,
}

/// The adapter, limited as it is declared. It has `most_in_flight` calls under way or waiting at a
/// time, whatever is declared.
pub(crate) fn rate_limited(
    adapter: Arc<dyn MessagingProvider>,
    declaration: &Declaration,
    max_concurrency: Option<u32>,
    most_in_flight: usize,
) -> Arc<dyn MessagingProvider> {
    let max_per_second = declaration.max_per_second;
    if max_concurrency.is_none() && max_per_second.is_none() && most_in_flight == usize::MAX {
        return adapter;
    }
    let count = |number: u32| usize::try_from(number).unwrap_or(Semaphore::MAX_PERMITS);
    let most = max_per_second.map_or(usize::MAX, count);
    Arc::new(RateLimited {
        places: max_concurrency.map(|places| Arc::new(Semaphore::new(count(places)))),
        in_flight: Arc::new(Semaphore::new(most_in_flight.min(Semaphore::MAX_PERMITS))),
        at_a_time: max_concurrency.map_or(most_in_flight, count).try_into().unwrap_or(u32::MAX),
        schedule: Mutex::new(Schedule::new(most)),
        // A group that never fits would wait in vain.
        group_limit: most.min(adapter.group_limit()),
        max_wait: max_wait(declaration.longest_call()),
        between: max_per_second.map_or(Duration::ZERO, |rate| SECOND / rate),
        adapter,
    })
}

/// How long a message may wait for a call that may take `timeout`. Together they take no longer than
/// the longest call.
fn max_wait(timeout: Duration) -> Duration {
    timeout.min(MAX_TIMEOUT.saturating_sub(timeout))
}

impl RateLimited {
    /// The time between two calls when there are as many as there may be.
    fn between_calls(&self) -> Duration {
        self.schedule().call / self.at_a_time
    }

    /// How long a message waits that is not urgent: not long, for those that are wait behind it.
    fn usual_wait(&self) -> Duration {
        self.max_wait.min(SECOND.max(self.between.max(self.between_calls()) * 2))
    }

    /// Has `messages` go together as soon as their second is free, if that is within `max_wait`.
    fn reserve(&self, messages: usize, max_wait: Duration) -> Option<Duration> {
        self.schedule().reserve(messages, Instant::now(), max_wait)
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the duration of a call that began then to the average.
    fn note_call(&self, began: Instant) {
        let mut schedule = self.schedule();
        schedule.call = (schedule.call * 3 + began.elapsed()) / 4;
    }
}

#[async_trait]
impl MessagingProvider for RateLimited {
    async fn admit(&self, demand: Demand) -> Admission {
        let Ok(in_flight) = Arc::clone(&self.in_flight).try_acquire_owned() else {
            return Admission::Later;
        };
        let max_wait = if demand.is_urgent { self.max_wait } else { self.usual_wait() };
        let end = Instant::now() + max_wait;
        // The place comes first: times that are reserved while messages wait for a place would end in a
        // burst.
        let place = match &self.places {
            Some(places) => match timeout_at(end, Arc::clone(places).acquire_owned()).await {
                Ok(Ok(place)) => Some(place),
                Ok(Err(_)) | Err(_) => return Admission::Later,
            },
            None => None,
        };
        let left = end.saturating_duration_since(Instant::now());
        let Some(wait) = self.reserve(demand.messages, left) else { return Admission::Later };
        sleep(wait).await;
        Admission::Granted(CallPermit::holding(Turn { _in_hand: in_flight, _place: place }))
    }

    fn try_admit(&self, demand: Demand) -> Admission {
        let Ok(in_flight) = Arc::clone(&self.in_flight).try_acquire_owned() else {
            return Admission::Later;
        };
        let place = match &self.places {
            Some(places) => match Arc::clone(places).try_acquire_owned() {
                Ok(place) => Some(place),
                Err(_) => return Admission::Later,
            },
            None => None,
        };
        match self.reserve(demand.messages, Duration::ZERO) {
            Some(_) => {
                Admission::Granted(CallPermit::holding(Turn { _in_hand: in_flight, _place: place }))
            }
            None => Admission::Later,
        }
    }

    fn pace(&self) -> Pace {
        let is_full = |places: &Arc<Semaphore>| places.available_permits() == 0;
        let calls = self.between_calls();
        let free = self.schedule().free_in(1, Instant::now());
        let group = u32::try_from(self.group_limit).unwrap_or(u32::MAX).max(1);
        Pace {
            wait: if is_full(&self.in_flight) || self.places.as_ref().is_some_and(is_full) {
                free.max(calls).max(MOMENT)
            } else {
                free
            },
            between: self.between.max(calls / group),
        }
    }

    async fn send(&self, message: &Message) -> Outcome {
        let began = Instant::now();
        let outcome = self.adapter.send(message).await;
        self.note_call(began);
        outcome
    }

    fn group_limit(&self) -> usize {
        self.group_limit
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let began = Instant::now();
        let outcomes = self.adapter.send_group(messages).await;
        self.note_call(began);
        outcomes
    }

    async fn look_up(&self, message: &Message) -> LookUp {
        self.adapter.look_up(message).await
    }

    async fn check(&self) -> Check {
        self.adapter.check().await
    }

    fn can_be_answered(&self) -> bool {
        self.adapter.can_be_answered()
    }

    fn session_window(&self) -> Option<TimeDelta> {
        self.adapter.session_window()
    }

    fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused> {
        self.adapter.receive(callback)
    }

    fn read_out(&self, text: &str) -> CallbackAnswer {
        self.adapter.read_out(text)
    }
}

impl Schedule {
    const fn new(most: usize) -> Self {
        Self { most, going: VecDeque::new(), call: SECOND }
    }

    /// How long `messages` that go together wait until they may.
    fn free_in(&self, messages: usize, now: Instant) -> Duration {
        if self.most == usize::MAX {
            return Duration::ZERO;
        }
        // A second before the last of them goes, the one in front of the last `most` went.
        let ahead = (self.going.len() + messages).checked_sub(self.most + 1);
        let free = ahead.and_then(|place| Some(*self.going.get(place)? + SECOND));
        let at = free.max(self.going.back().copied()).unwrap_or(now).max(now);
        at.saturating_duration_since(now)
    }

    /// Has `messages` go together, and says how long they wait until then. They do not go if that is
    /// over `max_wait`.
    fn reserve(&mut self, messages: usize, now: Instant, max_wait: Duration) -> Option<Duration> {
        let wait = self.free_in(messages, now);
        if wait > max_wait {
            return None;
        }
        if self.most == usize::MAX {
            return Some(wait);
        }
        let at = now + wait;
        self.going.extend(std::iter::repeat_n(at, messages));
        let past = self.going.len().saturating_sub(self.most);
        self.going.drain(..past);
        Some(wait)
    }
}

#[cfg(test)]
mod tests;
