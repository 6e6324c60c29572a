//! A provider that is called by few at a time, and seldom: what `max_concurrency` and
//! `max_per_second` of a declaration ask for.
//!
//! Both count for this instance alone. An urgent message waits for its turn as long as a call may
//! take, but never so long that with the call itself it could outlast the lease on the message; all
//! others wait for a moment, lest urgent ones wait behind them. Whoever would wait longer is sent
//! away, and told when to come back: one after the other, as fast as the provider takes them.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    callback::{Callback, CallbackAnswer, CallbackRefused, Received},
    delivery::{Failure, FailureCode},
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::providers::MessagingProvider;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep, timeout_at},
};

use crate::declaration::{Declaration, MAX_TIMEOUT};

const SECOND: Duration = Duration::from_secs(1);

/// A provider whose messages wait for their turn. Only handing over is limited: look-ups, checks
/// and callbacks are not.
struct Limited {
    adapter: Arc<dyn MessagingProvider>,
    /// As many places as calls may be under way.
    places: Option<Semaphore>,
    /// As many as messages may be on their way or wait for their turn, so that a provider that
    /// hangs leaves somebody to work for others.
    in_hand: Semaphore,
    /// How many calls there are at a time, at the most.
    at_a_time: u32,
    schedule: Mutex<Schedule>,
    /// The most messages that are handed over in one call.
    group_limit: usize,
    /// How long an urgent message may wait for its turn.
    patience: Duration,
    /// The shortest time between two messages in the long run.
    pace: Duration,
}

/// The right to make a call, until it is dropped.
struct Turn<'l> {
    _in_hand: SemaphorePermit<'l>,
    _place: Option<SemaphorePermit<'l>>,
}

/// When messages go, and when those come back that were sent away.
#[derive(Debug)]
struct Schedule {
    /// The most messages in any second.
    most: usize,
    /// When the last so many messages go, in their order.
    going: VecDeque<Instant>,
    /// When the last one comes back.
    last_return: Instant,
    /// How long a call took of late.
    call: Duration,
}

/// The adapter, limited as it is declared. It has `most_in_hand` calls under way or waiting at a
/// time, whatever is declared.
pub(crate) fn limited(
    adapter: Arc<dyn MessagingProvider>,
    declaration: &Declaration,
    most_in_hand: usize,
) -> Arc<dyn MessagingProvider> {
    let Declaration { max_concurrency, max_per_second, .. } = declaration;
    if max_concurrency.is_none() && max_per_second.is_none() && most_in_hand == usize::MAX {
        return adapter;
    }
    let count = |number: u32| usize::try_from(number).unwrap_or(Semaphore::MAX_PERMITS);
    let most = max_per_second.map_or(usize::MAX, count);
    Arc::new(Limited {
        places: max_concurrency.map(|places| Semaphore::new(count(places))),
        in_hand: Semaphore::new(most_in_hand.min(Semaphore::MAX_PERMITS)),
        at_a_time: max_concurrency.map_or(most_in_hand, count).try_into().unwrap_or(u32::MAX),
        schedule: Mutex::new(Schedule::new(most, Instant::now())),
        // A group that never fits would wait in vain.
        group_limit: most.min(adapter.group_limit()),
        patience: patience(declaration.timeout()),
        pace: max_per_second.map_or(Duration::ZERO, |rate| SECOND / rate),
        adapter,
    })
}

/// How long a message may wait for a call that may take `timeout`. Together they take no longer than
/// the longest call.
fn patience(timeout: Duration) -> Duration {
    timeout.min(MAX_TIMEOUT.saturating_sub(timeout))
}

impl Limited {
    /// Waits until `messages` may be handed over in one call. None if that takes too long.
    async fn turn(&self, messages: &[Message]) -> Option<Turn<'_>> {
        let in_hand = self.in_hand.try_acquire().ok()?;
        let is_urgent = messages.iter().any(|message| message.draft.category.is_urgent());
        let end = Instant::now() + if is_urgent { self.patience } else { self.usual_patience() };
        // The place comes first: a token that waits for a place would let a burst out later.
        let place = match &self.places {
            Some(places) => Some(timeout_at(end, places.acquire()).await.ok()?.ok()?),
            None => None,
        };
        let now = Instant::now();
        let wait = self.schedule().take(messages.len(), now, end.saturating_duration_since(now))?;
        sleep(wait).await;
        Some(Turn { _in_hand: in_hand, _place: place })
    }

    /// What becomes of a message for which there is no turn.
    fn send_away(&self, message: &Message) -> Outcome {
        // A little slower than the provider can take them, lest they are sent away again.
        let pace = self.pace() * 11 / 10;
        let wait = if message.draft.category.is_urgent() {
            pace
        } else {
            self.schedule().appoint(pace, Instant::now())
        };
        let reason = "the provider is used as much as it may be";
        Outcome::NotAccepted {
            failure: Failure::new(FailureCode::ProviderBusy, reason),
            retry_after: TimeDelta::from_std(wait).ok(),
        }
    }

    /// The time between two messages when there are as many as there may be.
    fn pace(&self) -> Duration {
        self.pace.max(self.schedule().call / self.at_a_time)
    }

    /// How long a message waits that is not urgent: not long, for those that are wait behind it.
    fn usual_patience(&self) -> Duration {
        self.patience.min(SECOND.max(self.pace() * 2))
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how long a call took that began then.
    fn note_call(&self, began: Instant) {
        let mut schedule = self.schedule();
        schedule.call = (schedule.call * 3 + began.elapsed()) / 4;
    }
}

#[async_trait]
impl MessagingProvider for Limited {
    async fn send(&self, message: &Message) -> Outcome {
        let Some(_turn) = self.turn(std::slice::from_ref(message)).await else {
            return self.send_away(message);
        };
        let began = Instant::now();
        let outcome = self.adapter.send(message).await;
        self.note_call(began);
        outcome
    }

    fn group_limit(&self) -> usize {
        self.group_limit
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        let Some(_turn) = self.turn(messages).await else {
            return messages.iter().map(|message| self.send_away(message)).collect();
        };
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
    fn new(most: usize, now: Instant) -> Self {
        Self { most, going: VecDeque::new(), last_return: now, call: SECOND }
    }

    /// Has `messages` go together, and says how long they wait until then. They do not go if that is
    /// over `patience`.
    fn take(&mut self, messages: usize, now: Instant, patience: Duration) -> Option<Duration> {
        if self.most == usize::MAX {
            return Some(Duration::ZERO);
        }
        // A second before the last of them goes, the one in front of the last `most` went.
        let ahead = (self.going.len() + messages).checked_sub(self.most + 1);
        let free = ahead.and_then(|place| Some(*self.going.get(place)? + SECOND));
        let at = free.max(self.going.back().copied()).unwrap_or(now).max(now);
        let wait = at.saturating_duration_since(now);
        if wait > patience {
            return None;
        }
        self.going.extend(std::iter::repeat_n(at, messages));
        let past = self.going.len().saturating_sub(self.most);
        self.going.drain(..past);
        Some(wait)
    }

    /// How long a message waits until it comes back, `pace` after the one before it.
    fn appoint(&mut self, pace: Duration, now: Instant) -> Duration {
        self.last_return = self.last_return.max(now) + pace;
        self.last_return.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests;
