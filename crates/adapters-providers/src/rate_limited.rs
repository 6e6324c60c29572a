//! Provider with the limits of its declaration: `max_concurrency` and `max_per_second`.
//!
//! Both count for this instance alone. An urgent message waits for a permit as long as a call may
//! take, but never so long that the wait and the call could outlast the lease on the message; all
//! others wait briefly. Workers do not wait at all: the pace shows them if this provider can accept
//! messages; until then, its messages stay in the provider queue.

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
/// Minimum time to wait when no permit is free.
const MOMENT: Duration = Duration::from_millis(1);

/// Provider that requires a permit before messages are sent. Lookups, checks and callbacks are not
/// limited.
struct RateLimited {
    adapter: Arc<dyn MessagingProvider>,
    /// Permits for concurrent calls; `None` is no limit.
    places: Option<Arc<Semaphore>>,
    /// Permits for messages in flight or waiting, so that a provider that hangs does not occupy all
    /// workers.
    in_flight: Arc<Semaphore>,
    /// Maximum number of concurrent calls.
    at_a_time: u32,
    schedule: Mutex<Schedule>,
    /// Maximum number of messages in one call.
    group_limit: usize,
    /// Maximum time that an urgent message waits for a permit.
    max_wait: Duration,
    /// Minimum time between two messages in the long run.
    between: Duration,
}

/// Contents of a [`CallPermit`].
struct Turn {
    _in_flight: OwnedSemaphorePermit,
    _place: Option<OwnedSemaphorePermit>,
}

/// Times at which messages are sent.
#[derive(Debug)]
struct Schedule {
    /// Maximum number of messages in any second.
    most: usize,
    /// Times of the last `most` messages, in their order.
    going: VecDeque<Instant>,
    /// Moving average of the duration of a call.
    call: Duration,
}

/// Wraps an adapter with the declared limits. It has at most `most_in_flight` calls in flight or
/// waiting, whatever is declared.
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
        // A group above the limit would wait forever.
        group_limit: most.min(adapter.group_limit()),
        max_wait: max_wait(declaration.longest_call()),
        between: max_per_second.map_or(Duration::ZERO, |rate| SECOND / rate),
        adapter,
    })
}

/// Returns the maximum wait of a message for a call that may take `timeout`. Together they take no
/// longer than the longest call.
fn max_wait(timeout: Duration) -> Duration {
    timeout.min(MAX_TIMEOUT.saturating_sub(timeout))
}

impl RateLimited {
    /// Returns the time between two calls at full concurrency.
    fn between_calls(&self) -> Duration {
        self.schedule().call / self.at_a_time
    }

    /// Returns the maximum wait of a message that is not urgent: short, because urgent messages
    /// wait behind it.
    fn usual_wait(&self) -> Duration {
        self.max_wait.min(SECOND.max(self.between.max(self.between_calls()) * 2))
    }

    /// Reserves the next free time for `messages` sent together; `None` if the wait exceeds
    /// `max_wait`.
    fn reserve(&self, messages: usize, max_wait: Duration) -> Option<Duration> {
        self.schedule().reserve(messages, Instant::now(), max_wait)
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the duration of a call that began at `began` to the average.
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
        // The permit comes first: times reserved by messages that still wait for a permit would end
        // in a burst.
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
        Admission::Granted(CallPermit::holding(Turn { _in_flight: in_flight, _place: place }))
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
            Some(_) => Admission::Granted(CallPermit::holding(Turn {
                _in_flight: in_flight,
                _place: place,
            })),
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

    /// Returns the time until `messages` may be sent together.
    fn free_in(&self, messages: usize, now: Instant) -> Duration {
        if self.most == usize::MAX {
            return Duration::ZERO;
        }
        // The last of them may go a second after the message that is `most` places before it.
        let ahead = (self.going.len() + messages).checked_sub(self.most + 1);
        let free = ahead.and_then(|place| Some(*self.going.get(place)? + SECOND));
        let at = free.max(self.going.back().copied()).unwrap_or(now).max(now);
        at.saturating_duration_since(now)
    }

    /// Reserves a time for `messages` sent together, and returns the wait until then; `None`
    /// without a reservation if the wait exceeds `max_wait`.
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
