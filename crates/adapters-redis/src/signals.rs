//! Signals between instances.

mod words;

use std::{
    collections::HashSet,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use ports::shared::signals::{Change, DueWork, Signal, SignalListener};
use redis::{ErrorKind, Msg, RedisError, RedisResult, Value, aio::PubSub};
use tokio::{
    sync::Notify,
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use crate::RedisConnection;

/// Channel of the signals. Publishing ignores databases: installations that share a server receive each
/// other's signals, and poll once more than they need.
const CHANNEL: &str = "atumpan:signals";
/// Maximum number of different signals that wait. Signals beyond it are not sent.
const CAPACITY: usize = 1_024;
/// Time for which signals are collected, to be sent together.
const GATHERING: Duration = Duration::from_millis(5);
/// Timeout of subscribing, and of a ping of the subscription.
const ANSWER_WITHIN: Duration = Duration::from_secs(1);
/// Interval between pings of the subscription, on which nothing else is sent.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// Pause before subscribing again, which doubles after each failure.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Signals through Redis. Those that are sent while it is unavailable are lost.
#[derive(Clone)]
pub struct RedisSignals(Arc<Inner>);

struct Inner {
    connection: RedisConnection,
    name: String,
    waiting: Mutex<HashSet<Signal>>,
    is_waiting: Notify,
}

impl RedisSignals {
    /// Creates the signals of an instance with that unique name.
    pub fn new(connection: RedisConnection, name: String) -> Self {
        let (waiting, is_waiting) = Default::default();
        Self(Arc::new(Inner { connection, name, waiting, is_waiting }))
    }

    /// Sends a signal to all other instances soon. Equal waiting signals are sent once. Returns false if
    /// too many wait: the signal is not sent.
    pub fn send(&self, signal: Signal) -> bool {
        let mut waiting = self.waiting();
        if waiting.len() >= CAPACITY && !waiting.contains(&signal) {
            return false;
        }
        waiting.insert(signal);
        self.0.is_waiting.notify_one();
        true
    }

    /// Publishes waiting signals, forever.
    pub async fn publish(self) {
        loop {
            self.0.is_waiting.notified().await;
            sleep(GATHERING).await;
            let signals = mem::take(&mut *self.waiting());
            if signals.is_empty() {
                // They were collected and sent with earlier ones.
                continue;
            }
            let text = words::write(&self.0.name, signals);
            let connection = &self.0.connection;
            let published = redis::cmd("PUBLISH")
                .arg(CHANNEL)
                .arg(text)
                .query_async::<()>(&mut connection.manager())
                .await;
            if let Err(error) = published {
                connection.on_failure(&error);
            }
        }
    }

    /// Passes the signals of others on, forever.
    pub async fn listen(self, listener: Arc<dyn SignalListener>) {
        let mut pause = FIRST_PAUSE;
        loop {
            let began = Instant::now();
            let error = match self.subscribe().await {
                Ok(subscription) => {
                    self.0.connection.note_subscription(None);
                    receive_all(&*listener);
                    self.forward_all(subscription, &*listener).await
                }
                Err(error) => error,
            };
            self.0.connection.note_subscription(Some(&error));
            if began.elapsed() > LONGEST_PAUSE {
                pause = FIRST_PAUSE;
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn subscribe(&self) -> RedisResult<PubSub> {
        let subscribing = async {
            let mut subscription = self.0.connection.client().get_async_pubsub().await?;
            subscription.subscribe(CHANNEL).await?;
            Ok(subscription)
        };
        timeout(ANSWER_WITHIN, subscribing).await.unwrap_or_else(|_| Err(no_answer()))
    }

    /// Passes signals on until the subscription is lost, and returns the reason.
    async fn forward_all(&self, subscription: PubSub, listener: &dyn SignalListener) -> RedisError {
        let (mut sink, mut messages) = subscription.split();
        let mut ticks = interval(ASK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                message = messages.next() => match message {
                    Some(message) => self.forward(&message, listener),
                    None => return (ErrorKind::Io, "the connection was closed").into(),
                },
                _ = ticks.tick() => {
                    let answer = timeout(ANSWER_WITHIN, sink.ping::<Value>()).await;
                    if let Err(error) = answer.unwrap_or_else(|_| Err(no_answer())) {
                        return error;
                    }
                }
            }
        }
    }

    fn forward(&self, message: &Msg, listener: &dyn SignalListener) {
        let text = String::from_utf8_lossy(message.get_payload_bytes());
        for signal in words::read(&self.0.name, &text) {
            listener.receive(signal);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashSet<Signal>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes every signal on, because any may have been missed while the listener was not subscribed.
fn receive_all(listener: &dyn SignalListener) {
    for change in Change::ALL {
        listener.receive(Signal::Changed(change));
    }
    for work in [DueWork::Messages, DueWork::Imports, DueWork::Campaigns] {
        listener.receive(Signal::Due(work));
    }
}

fn no_answer() -> RedisError {
    (ErrorKind::Io, "no answer in time").into()
}
