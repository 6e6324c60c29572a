//! What is shared through Redis, tried with a `redis-server` of the tests' own.

#![expect(clippy::unwrap_used, reason = "a test reports what is unexpected by panicking")]

use std::{
    env,
    io::{self, ErrorKind, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use adapters_redis::{RedisConnection, RedisRateLimiter};
use async_trait::async_trait;
use domain::rate::{Level, Rate};
use ports::{
    health::SharedProbe,
    rate_limits::{Exceeded, RateLimiter},
};
use tokio::time::sleep;

const PATIENCE: Duration = Duration::from_secs(10);
const SLOW: Rate = Rate { burst: 2, interval: Duration::from_secs(60) };

/// Stands in for Redis, and counts how often it had to.
#[derive(Default)]
struct Substitute(AtomicU32);

#[async_trait]
impl RateLimiter for Substitute {
    async fn take(&self, key: &str, rate: Rate, _: u32) -> Result<Level, Exceeded> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(self.level(key, rate).await)
    }

    async fn level(&self, _: &str, rate: Rate) -> Level {
        rate.level(Duration::ZERO)
    }
}

fn limiter(connection: &RedisConnection) -> RedisRateLimiter {
    RedisRateLimiter::new(connection.clone(), Arc::new(Substitute::default()))
}

/// A Redis that ends with the test.
struct Server {
    port: u16,
    process: Option<Child>,
}

impl Server {
    /// `None` where the program is not installed, which is borne on a developer's machine only.
    fn start() -> Option<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let mut server = Self { port, process: None };
        server.launch(&[]).then_some(server)
    }

    fn launch(&mut self, options: &[&str]) -> bool {
        let spawned = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--port", &self.port.to_string(), "--save", ""])
            .args(options)
            .stdout(Stdio::null())
            .spawn();
        match spawned {
            Ok(process) => self.process = Some(process),
            Err(error) if error.kind() == ErrorKind::NotFound && env::var_os("CI").is_none() => {
                // Past the capture of the test harness, which shows nothing of a test that passes.
                let why = "no Redis to test against: install redis-server";
                let _ = writeln!(io::stderr(), "\n*** NOT TESTED: {why} ***");
            }
            Err(error) => panic!("redis-server does not start: {error}"),
        }
        self.process.is_some()
    }

    fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    async fn listens(&self) {
        let began = Instant::now();
        while let Err(error) = TcpStream::connect(("127.0.0.1", self.port)) {
            assert!(began.elapsed() < PATIENCE, "{error}");
            sleep(Duration::from_millis(20)).await;
        }
    }

    fn signal(&self, name: &str) {
        let id = self.process.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    fn connection(&self) -> RedisConnection {
        RedisConnection::new(&format!("redis://127.0.0.1:{}", self.port)).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn answers(connection: &RedisConnection) {
    let began = Instant::now();
    while let Err(error) = connection.ping().await {
        assert!(began.elapsed() < PATIENCE, "{error}");
        sleep(Duration::from_millis(20)).await;
    }
}

async fn the_substitute_counts_without_delay(connection: &RedisConnection) {
    let substitute = Arc::new(Substitute::default());
    let limiter = RedisRateLimiter::new(connection.clone(), Arc::clone(&substitute) as _);
    for _ in 0..3 {
        let began = Instant::now();
        limiter.take("anybody", SLOW, 1).await.unwrap();
        assert!(began.elapsed() < Duration::from_secs(1), "it took {:?}", began.elapsed());
    }
    assert_eq!(substitute.0.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn what_a_bucket_does_not_hold_is_refused_until_it_does() {
    let Some(server) = Server::start() else { return };
    let connection = server.connection();
    answers(&connection).await;
    let (limiter, rate) = (limiter(&connection), Rate::per_second(2, 4));

    assert_eq!(limiter.take("one", rate, 3).await.unwrap().remaining, 1);
    limiter.take("one", rate, 1).await.unwrap();
    let exceeded = limiter.take("one", rate, 3).await.unwrap_err();
    assert!(exceeded.retry_after <= Duration::from_millis(1_500), "{exceeded:?}");
    assert!(exceeded.retry_after > Duration::from_millis(500), "{exceeded:?}");
    limiter.take("another", rate, 1_000).await.unwrap();
    limiter.take("another", rate, 1).await.unwrap_err();

    sleep(exceeded.retry_after + Duration::from_millis(50)).await;
    limiter.take("one", rate, 3).await.unwrap();
}

#[tokio::test]
async fn a_level_is_told_with_what_is_taken_and_by_itself_takes_nothing() {
    let Some(server) = Server::start() else { return };
    let connection = server.connection();
    answers(&connection).await;
    let limiter = limiter(&connection);
    let full = Level { remaining: 2, full_in: Duration::ZERO };
    assert_eq!(limiter.level("one", SLOW).await, full);
    assert_eq!(limiter.level("one", SLOW).await, full);

    let taken = limiter.take("one", SLOW, 1).await.unwrap();
    assert_eq!(taken, Level { remaining: 1, full_in: Duration::from_secs(60) });
    assert_eq!(limiter.level("one", SLOW).await.remaining, 1);

    let refused = limiter.take("one", SLOW, 2).await.unwrap_err();
    assert_eq!(refused.level.remaining, 1);
    assert!(refused.level.full_in > Duration::from_secs(50), "{refused:?}");
    assert!(refused.retry_after <= refused.level.full_in, "{refused:?}");
}

#[tokio::test]
async fn all_instances_count_together_and_none_is_lost() {
    let Some(server) = Server::start() else { return };
    let instances = [server.connection(), server.connection()];
    answers(&instances[0]).await;
    answers(&instances[1]).await;
    let rate = Rate { burst: 30, interval: Duration::from_secs(60) };

    let taking: Vec<_> = (0..50)
        .map(|number| {
            let instance = limiter(&instances[number % 2]);
            tokio::spawn(async move { instance.take("all", rate, 1).await.is_ok() })
        })
        .collect();
    let mut passed = 0;
    for taken in taking {
        passed += u32::from(taken.await.unwrap());
    }

    assert_eq!(passed, rate.burst);
}

#[tokio::test]
async fn a_redis_that_was_stopped_is_missed_and_found_again() {
    let Some(mut server) = Server::start() else { return };
    let connection = server.connection();
    answers(&connection).await;
    assert_eq!(connection.ping().await, Ok("Redis answers".to_owned()));

    server.stop();
    assert_eq!(connection.ping().await, Err("Redis does not answer".to_owned()));
    the_substitute_counts_without_delay(&connection).await;

    server.launch(&[]);
    answers(&connection).await;
    limiter(&connection).take("somebody", SLOW, 2).await.unwrap();
    assert!(limiter(&connection).take("somebody", SLOW, 1).await.is_err());
}

#[tokio::test]
async fn a_redis_that_is_away_at_the_start_keeps_nobody_waiting() {
    let Some(mut server) = Server::start() else { return };
    server.stop();

    let connection = server.connection();
    assert!(connection.ping().await.is_err());
    the_substitute_counts_without_delay(&connection).await;

    server.launch(&[]);
    answers(&connection).await;
}

#[tokio::test]
async fn a_redis_that_hangs_keeps_nobody_waiting() {
    let Some(server) = Server::start() else { return };
    let connection = server.connection();
    answers(&connection).await;

    server.signal("STOP");
    assert!(connection.ping().await.is_err());
    the_substitute_counts_without_delay(&connection).await;

    server.signal("CONT");
    answers(&connection).await;
}

#[tokio::test]
async fn a_redis_that_refused_the_password_is_tried_again() {
    let Some(mut server) = Server::start() else { return };
    server.stop();
    server.launch(&["--requirepass", "another"]);
    let url = format!("redis://:secret@127.0.0.1:{}", server.port);
    let connection = RedisConnection::new(&url).unwrap();
    server.listens().await;
    assert!(connection.ping().await.is_err());
    assert!(connection.ping().await.is_err());

    server.stop();
    server.launch(&["--requirepass", "secret"]);
    answers(&connection).await;
}

#[tokio::test]
async fn an_address_of_something_else_is_refused_and_keeps_its_secrets() {
    for url in ["", "localhost", "http://:secret@localhost", "redis://:secret@:port"] {
        let error = RedisConnection::new(url).err().unwrap();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
