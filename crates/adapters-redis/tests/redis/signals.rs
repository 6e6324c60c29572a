//! Signals between instances, through failures of Redis.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use adapters_redis::{RedisConnection, RedisSignals};
use ports::{
    platform::health::SharedProbe,
    shared::signals::{Change, DueWork, Signal, SignalListener},
};
use testkit::Redis;
use tokio::{task::JoinSet, time::sleep};

use crate::server::{TIMEOUT, answers, babbler, connection, run, until_answer_is};

const PRICES: Signal = Signal::Changed(Change::Prices);
const MESSAGES: Signal = Signal::Due(DueWork::Messages);

/// Signals that an instance has received.
#[derive(Default)]
struct ReceivedSignals(Mutex<Vec<Signal>>);

impl SignalListener for ReceivedSignals {
    fn receive(&self, signal: Signal) {
        self.0.lock().unwrap().push(signal);
    }
}

struct Instance {
    connection: RedisConnection,
    signals: RedisSignals,
    received: Arc<ReceivedSignals>,
    _tasks: JoinSet<()>,
}

impl Instance {
    fn start(name: &str, connection: RedisConnection) -> Self {
        let signals = RedisSignals::new(connection.clone(), name.to_owned());
        let received = Arc::new(ReceivedSignals::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(signals.clone().publish());
        tasks.spawn(signals.clone().listen(Arc::clone(&received) as _));
        Self { connection, signals, received, _tasks: tasks }
    }

    /// Clears and returns the signals that it has received.
    fn forget(&self) -> Vec<Signal> {
        std::mem::take(&mut *self.received.0.lock().unwrap())
    }

    async fn receives(&self, signal: Signal) {
        let began = Instant::now();
        while !self.received.0.lock().unwrap().contains(&signal) {
            assert!(began.elapsed() < TIMEOUT, "{signal:?} is not heard");
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until it listens: a new listener gets every signal, because it may have missed it.
    async fn listens(&self) {
        self.receives(Signal::Due(DueWork::Campaigns)).await;
        self.forget();
    }
}

/// Starts two instances that listen.
async fn two(server: &Redis) -> [Instance; 2] {
    server.listens().await;
    let both = ["ama", "kofi"].map(|name| Instance::start(name, connection(server)));
    for instance in &both {
        instance.listens().await;
    }
    both
}

/// Waits until each receives what the other sends.
async fn they_reach_each_other([ama, kofi]: &[Instance; 2]) {
    for (from, to) in [(ama, kofi), (kofi, ama)] {
        from.forget();
        to.forget();
        let began = Instant::now();
        loop {
            assert!(from.signals.send(PRICES));
            sleep(Duration::from_millis(20)).await;
            if to.received.0.lock().unwrap().contains(&PRICES) {
                break;
            }
            assert!(began.elapsed() < TIMEOUT, "they do not hear each other");
        }
    }
}

#[tokio::test]
async fn all_but_the_sender_receive_a_signal_at_once() {
    let Some(server) = Redis::start() else { return };
    let [ama, kofi] = two(&server).await;
    let organization = "018f0000-0000-7000-8000-000000000abc".parse().unwrap();
    let events = DueWork::WebhookEvents(organization);
    let work = [DueWork::Messages, DueWork::Campaigns, DueWork::Imports, events];
    let changes = Change::ALL.into_iter().map(Signal::Changed);
    for signal in work.into_iter().map(Signal::Due).chain(changes) {
        assert!(ama.signals.send(signal));
        kofi.receives(signal).await;
        assert_eq!(kofi.forget(), [signal]);
    }
    assert_eq!(ama.forget(), []);
}

#[tokio::test]
async fn a_thousand_equal_signals_are_sent_as_few() {
    let Some(server) = Redis::start() else { return };
    let [ama, kofi] = two(&server).await;
    for _ in 0..1_000 {
        assert!(ama.signals.send(PRICES));
    }
    kofi.receives(PRICES).await;
    ama.signals.send(MESSAGES);
    kofi.receives(MESSAGES).await;
    assert!(kofi.forget().len() < 20);
}

#[tokio::test]
async fn drops_signals_beyond_the_capacity_without_waiting() {
    let Some(mut server) = Redis::start() else { return };
    server.kill();
    let signals = RedisSignals::new(connection(&server), "ama".into());
    let organization = |number| format!("018f0000-0000-7000-8000-{number:012x}").parse().unwrap();
    let events = (0..2_000).map(|number| Signal::Due(DueWork::WebhookEvents(organization(number))));
    let began = Instant::now();
    let sent = events.filter(|signal| signals.send(*signal)).count();
    assert_eq!(sent, 1_024);
    assert!(!signals.send(PRICES));
    assert!(began.elapsed() < Duration::from_secs(1), "it took {:?}", began.elapsed());
}

#[tokio::test]
async fn a_killed_subscriber_listens_again_and_catches_up() {
    let Some(server) = Redis::start() else { return };
    let both = two(&server).await;

    let answer = run(&server, &["CLIENT", "KILL", "TYPE", "pubsub"]);
    assert!(answer.starts_with(":2"), "{answer}");

    for instance in &both {
        // All signals are passed on, as if they had been sent meanwhile.
        for change in Change::ALL {
            instance.receives(Signal::Changed(change)).await;
        }
        instance.receives(MESSAGES).await;
    }
    they_reach_each_other(&both).await;
}

#[tokio::test]
async fn signals_go_on_after_redis_was_killed() {
    let Some(mut server) = Redis::start() else { return };
    let both = two(&server).await;

    server.kill();
    assert!(both[0].signals.send(PRICES));
    assert!(both[0].connection.ping().await.is_err());
    assert!(both[1].connection.ping().await.is_err());

    server.come_back();
    they_reach_each_other(&both).await;
    for instance in &both {
        answers(&instance.connection).await;
    }
}

#[tokio::test]
async fn signals_go_on_after_redis_was_frozen() {
    let Some(server) = Redis::start() else { return };
    let both = two(&server).await;

    server.freeze();
    let began = Instant::now();
    for _ in 0..100 {
        both[0].signals.send(PRICES);
    }
    assert!(began.elapsed() < Duration::from_secs(1), "it took {:?}", began.elapsed());
    // Longer than a listener waits for the answer to a ping.
    sleep(Duration::from_secs(3)).await;
    server.thaw();

    they_reach_each_other(&both).await;
}

#[tokio::test]
async fn signals_begin_when_redis_starts_late() {
    let Some(mut server) = Redis::start() else { return };
    server.kill();
    let both = ["ama", "kofi"].map(|name| Instance::start(name, connection(&server)));
    sleep(Duration::from_millis(300)).await;

    server.come_back();

    they_reach_each_other(&both).await;
}

#[tokio::test]
async fn a_redis_that_forbids_signals_counts_and_health_says_so() {
    let Some(server) = Redis::start() else { return };
    server.listens().await;
    // The rules of `docs/scaling.md`, without those for signals.
    let counting =
        "on >secret resetchannels ~atumpan:* +@scripting +@read +@write +@connection +time";
    assert!(run(&server, &["ACL SETUSER clerk", counting]).starts_with("+OK"));
    let url = format!("redis://clerk:secret@127.0.0.1:{}", server.port);
    let instance = Instance::start("ama", RedisConnection::new(&url).unwrap());

    let expected = "Redis answers, but passes no signals on (NOPERM): each instance looks for changes \
                    and due work by itself";
    until_answer_is(expected, &instance.connection).await;
    assert!(instance.connection.ping().await.is_ok(), "requests are counted together");
    assert!(instance.signals.send(PRICES));

    let signals = "+publish +subscribe &atumpan:*";
    assert!(run(&server, &["ACL SETUSER clerk", signals]).starts_with("+OK"));
    instance.listens().await;
    answers(&instance.connection).await;
}

#[tokio::test]
async fn ignores_foreign_texts_on_the_channel() {
    let Some(server) = Redis::start() else { return };
    let [ama, kofi] = two(&server).await;
    for text in
        ["\"\"", "nonsense", "\"\\xff\\xfe\\x00\"", "\"me\\nwebhook-events you\\nlater-signal\""]
    {
        assert!(run(&server, &["PUBLISH", "atumpan:signals", text]).starts_with(":2"), "{text}");
    }
    ama.signals.send(PRICES);
    kofi.receives(PRICES).await;
    assert_eq!((ama.forget(), kofi.forget()), (vec![], vec![PRICES]));
}

#[tokio::test]
async fn subscribing_to_another_server_retries_with_pauses() {
    for answer in [&b"+OK\r\n"[..], b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x00\xff\r\n"] {
        let connection = RedisConnection::new(&babbler(answer)).unwrap();
        let instance = Instance::start("ama", connection);
        sleep(Duration::from_millis(700)).await;
        let times = instance.forget().iter().filter(|signal| **signal == MESSAGES).count();
        assert!(times <= 4, "it subscribed {times} times");
        assert!(instance.signals.send(PRICES));
    }
}
