//! Outages of Redis: it is unavailable, hangs, refuses, is full or is not a Redis. No caller waits for it,
//! and health reports it.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use adapters_redis::{RedisConnection, RedisRateLimiter};
use ports::platform::{health::SharedProbe, rate_limits::RateLimiter};
use testkit::Redis;

use crate::{
    limits::{SLOW, Substitute, limiter},
    server::{answers, babbler, connection, run, until_answer_is},
};

const WHAT_GOES_ON: &str =
    "each instance counts requests, and looks for changes and due work, by itself";

fn problem(what: &str) -> String {
    format!("{what}: {WHAT_GOES_ON}")
}

async fn the_substitute_counts_without_delay(connection: &RedisConnection) {
    let substitute = Arc::new(Substitute::default());
    let limiter = RedisRateLimiter::new(connection.clone(), Arc::clone(&substitute) as _);
    for is_passed in [true, true, false] {
        let began = Instant::now();
        assert_eq!(limiter.take("anybody", SLOW, 1).await.is_ok(), is_passed);
        assert!(began.elapsed() < Duration::from_secs(1), "it took {:?}", began.elapsed());
    }
    assert_eq!(substitute.times.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_redis_that_was_killed_is_missed_and_found_again() {
    let Some(mut server) = Redis::start() else { return };
    let connection = connection(&server);
    answers(&connection).await;

    server.kill();
    assert_eq!(connection.ping().await, Err(problem("Redis does not answer")));
    the_substitute_counts_without_delay(&connection).await;

    server.come_back();
    answers(&connection).await;
    limiter(&connection).take("somebody", SLOW, 2).await.unwrap();
    assert!(limiter(&connection).take("somebody", SLOW, 1).await.is_err());
}

#[tokio::test]
async fn an_unavailable_redis_at_the_start_delays_no_caller() {
    let Some(mut server) = Redis::start() else { return };
    server.kill();

    let connection = connection(&server);
    assert!(connection.ping().await.is_err());
    the_substitute_counts_without_delay(&connection).await;

    server.come_back();
    answers(&connection).await;
}

#[tokio::test]
async fn a_redis_that_hangs_delays_no_caller() {
    let Some(server) = Redis::start() else { return };
    let connection = connection(&server);
    answers(&connection).await;

    server.freeze();
    assert_eq!(connection.ping().await, Err(problem("Redis does not answer")));
    the_substitute_counts_without_delay(&connection).await;

    server.thaw();
    answers(&connection).await;
}

#[tokio::test]
async fn a_redis_that_refused_the_password_is_tried_again() {
    let Some(mut server) = Redis::start() else { return };
    server.kill();
    server.come_back_with(&["--requirepass", "another"]);
    let url = format!("redis://:secret@127.0.0.1:{}", server.port);
    let connection = RedisConnection::new(&url).unwrap();
    server.listens().await;
    assert!(connection.ping().await.is_err());
    let refusal = connection.ping().await.unwrap_err();
    assert!(!refusal.contains("secret"), "{refusal}");
    the_substitute_counts_without_delay(&connection).await;

    server.kill();
    server.come_back_with(&["--requirepass", "secret"]);
    answers(&connection).await;
}

#[tokio::test]
async fn a_redis_that_is_full_counts_nothing_and_health_says_so() {
    let Some(server) = Redis::start() else { return };
    let connection = connection(&server);
    answers(&connection).await;

    run(&server, &["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    run(&server, &["CONFIG", "SET", "maxmemory", "1"]);
    assert_eq!(connection.ping().await, Err(problem("Redis refuses (OOM)")));
    the_substitute_counts_without_delay(&connection).await;
    assert!(run(&server, &["PING"]).starts_with("+PONG"), "it answers all the same");

    run(&server, &["CONFIG", "SET", "maxmemory", "0"]);
    answers(&connection).await;
    limiter(&connection).take("somebody", SLOW, 2).await.unwrap();
    assert!(limiter(&connection).take("somebody", SLOW, 1).await.is_err());
}

#[tokio::test]
async fn a_redis_that_only_reads_is_missed_until_it_writes() {
    let Some(server) = Redis::start() else { return };
    let connection = connection(&server);
    answers(&connection).await;

    run(&server, &["REPLICAOF", "127.0.0.1", "1"]);
    until_answer_is(&problem("Redis refuses (READONLY)"), &connection).await;
    the_substitute_counts_without_delay(&connection).await;

    run(&server, &["REPLICAOF", "NO", "ONE"]);
    answers(&connection).await;
}

#[tokio::test]
async fn a_server_that_is_no_redis_delays_no_caller() {
    for answer in [
        &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
        b"+OK\r\n",
        b":-1\r\n",
        b"*2\r\n:-5\r\n$3\r\nwhy\r\n",
        b"*-1\r\n",
        b"$-1\r\n",
        b"-ERR nothing of that\r\n",
        b"\x00\xff\xfe\r\n\r\n",
        b"$99999999999999999999\r\n",
    ] {
        let connection = RedisConnection::new(&babbler(answer)).unwrap();
        assert!(connection.ping().await.is_err(), "{answer:?}");
        the_substitute_counts_without_delay(&connection).await;
    }
}

#[tokio::test]
async fn an_address_of_something_else_is_refused_and_keeps_its_secrets() {
    for url in ["", "localhost", "http://:secret@localhost", "redis://:secret@:port"] {
        let error = RedisConnection::new(url).err().unwrap();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
