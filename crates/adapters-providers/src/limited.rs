//! A provider that is called by few at a time, and seldom: what `max_concurrency` and
//! `max_per_second` of a declaration ask for.
//!
//! Both count for this instance alone. A message waits for its turn as long as a call may take, but
//! never so long that with the call itself it could outlast the lease on the message; then the
//! provider counts as too busy.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    callback::{Callback, CallbackRefused, Received},
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

/// A provider whose messages wait for their turn. Only handing over is limited: look-ups, checks
/// and callbacks are not.
struct Limited {
    adapter: Arc<dyn MessagingProvider>,
    /// As many places as calls may be under way.
    places: Option<Semaphore>,
    bucket: Option<Mutex<Bucket>>,
    /// The most messages that are handed over in one call.
    group_limit: usize,
    /// How long a message may wait for its turn.
    patience: Duration,
}

/// Holds a token for each message that may be handed over now: at most as many as a second brings.
#[derive(Debug)]
struct Bucket {
    /// Tokens for a second.
    rate: f64,
    /// Below zero, tokens that are spent before they came.
    tokens: f64,
    /// When the tokens were counted.
    at: Instant,
}

/// The adapter, limited as it is declared.
pub(crate) fn limited(
    adapter: Arc<dyn MessagingProvider>,
    declaration: &Declaration,
) -> Arc<dyn MessagingProvider> {
    let Declaration { max_concurrency, max_per_second, .. } = declaration;
    if max_concurrency.is_none() && max_per_second.is_none() {
        return adapter;
    }
    let count = |number: u32| usize::try_from(number).unwrap_or(Semaphore::MAX_PERMITS);
    Arc::new(Limited {
        places: max_concurrency.map(|places| Semaphore::new(count(places))),
        bucket: max_per_second.map(|rate| Mutex::new(Bucket::full(rate, Instant::now()))),
        // A group that never fits would wait in vain.
        group_limit: max_per_second.map_or(usize::MAX, count).min(adapter.group_limit()),
        patience: patience(declaration.timeout()),
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
    async fn turn(&self, messages: usize) -> Option<Option<SemaphorePermit<'_>>> {
        let end = Instant::now() + self.patience;
        // The place comes first: a token that waits for a place would let a burst out later.
        let place = match &self.places {
            Some(places) => Some(timeout_at(end, places.acquire()).await.ok()?.ok()?),
            None => None,
        };
        if let Some(bucket) = &self.bucket {
            let wait = {
                let now = Instant::now();
                let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
                bucket.take(messages, now, end.saturating_duration_since(now))?
            };
            sleep(wait).await;
        }
        Some(place)
    }
}

fn too_busy() -> Outcome {
    let message = "the provider is used as much as it may be";
    Outcome::NotAccepted {
        failure: Failure::new(FailureCode::ProviderThrottled, message),
        retry_after: None,
    }
}

#[async_trait]
impl MessagingProvider for Limited {
    async fn send(&self, message: &Message) -> Outcome {
        match self.turn(1).await {
            Some(_place) => self.adapter.send(message).await,
            None => too_busy(),
        }
    }

    fn group_limit(&self) -> usize {
        self.group_limit
    }

    async fn send_group(&self, messages: &[Message]) -> Vec<Outcome> {
        match self.turn(messages.len()).await {
            Some(_place) => self.adapter.send_group(messages).await,
            None => messages.iter().map(|_| too_busy()).collect(),
        }
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
}

impl Bucket {
    fn full(rate: u32, now: Instant) -> Self {
        Self { rate: rate.into(), tokens: rate.into(), at: now }
    }

    /// Takes `tokens`, and says how long to wait for them. Takes none if that is over `patience`.
    fn take(&mut self, tokens: usize, now: Instant, patience: Duration) -> Option<Duration> {
        let came = now.saturating_duration_since(self.at).as_secs_f64() * self.rate;
        self.tokens = (self.tokens + came).min(self.rate);
        self.at = now;
        let left = self.tokens - f64::from(u32::try_from(tokens).unwrap_or(u32::MAX));
        let wait = Duration::from_secs_f64((-left).max(0.0) / self.rate);
        (wait <= patience).then(|| {
            self.tokens = left;
            wait
        })
    }
}

#[cfg(test)]
mod tests;
