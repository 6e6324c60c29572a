//! Rate limits over all instances, and per instance while Redis is unavailable.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use adapters_redis::{RedisConnection, RedisRateLimiter};
use async_trait::async_trait;
use domain::shared::rate::{Level, Rate};
use ports::platform::rate_limits::{Exceeded, RateLimiter};
use testkit::Redis;
use tokio::time::sleep;

use crate::server::{TIMEOUT, answers, connection, run};

pub(crate) const SLOW: Rate = Rate { burst: 2, interval: Duration::from_secs(60) };

/// Substitute for Redis in one process, which counts its calls.
pub(crate) struct Substitute {
    began: Instant,
    full_at: Mutex<HashMap<String, Duration>>,
    pub(crate) times: AtomicU32,
}

impl Default for Substitute {
    fn default() -> Self {
        let (full_at, times) = Default::default();
        Self { began: Instant::now(), full_at, times }
    }
}

#[async_trait]
impl RateLimiter for Substitute {
    async fn take(&self, key: &str, rate: Rate, tokens: u32) -> Result<Level, Exceeded> {
        self.times.fetch_add(1, Ordering::Relaxed);
        let now = self.began.elapsed();
        let mut buckets = self.full_at.lock().unwrap();
        let full_at = buckets.entry(key.to_owned()).or_default();
        let taken = rate.take(*full_at, now, tokens);
        *full_at = taken.unwrap_or(*full_at);
        let level = rate.level(full_at.saturating_sub(now));
        taken.map(|_| level).map_err(|empty| Exceeded { retry_after: empty.wait, level })
    }

    async fn level(&self, _: &str, rate: Rate) -> Level {
        rate.level(Duration::ZERO)
    }
}

pub(crate) fn limiter(connection: &RedisConnection) -> RedisRateLimiter {
    RedisRateLimiter::new(connection.clone(), Arc::new(Substitute::default()))
}

/// Returns how many of `messages` messages pass that the instances send in turn.
async fn passed(instances: &[RedisRateLimiter], key: &str, messages: usize) -> usize {
    let mut passed = 0;
    for number in 0..messages {
        let instance = &instances[number % instances.len()];
        passed += usize::from(instance.take(key, SLOW, 1).await.is_ok());
    }
    passed
}

#[tokio::test]
async fn refuses_tokens_until_the_bucket_holds_them() {
    let Some(server) = Redis::start() else { return };
    let connection = connection(&server);
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
async fn returns_the_level_and_reading_it_takes_nothing() {
    let Some(server) = Redis::start() else { return };
    let connection = connection(&server);
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
    let Some(server) = Redis::start() else { return };
    let instances = [connection(&server), connection(&server)];
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
async fn instances_count_apart_only_while_redis_is_unavailable() {
    let Some(mut server) = Redis::start() else { return };
    let connections = [connection(&server), connection(&server)];
    let instances = connections.each_ref().map(limiter);
    for connection in &connections {
        answers(connection).await;
    }
    assert_eq!(passed(&instances, "with it", 8).await, 2);

    server.kill();
    assert_eq!(passed(&instances, "without it", 8).await, 4, "two of each instance");

    server.come_back();
    for connection in &connections {
        answers(connection).await;
    }
    assert_eq!(passed(&instances, "with it again", 8).await, 2);
}

#[tokio::test]
async fn requests_alone_find_a_redis_that_is_back() {
    let Some(mut server) = Redis::start() else { return };
    server.kill();
    let instances = [limiter(&connection(&server)), limiter(&connection(&server))];
    assert_eq!(passed(&instances, "without it", 8).await, 4);

    server.come_back();
    let began = Instant::now();
    for turn in 0.. {
        if passed(&instances, &format!("with it {turn}"), 8).await == 2 {
            return;
        }
        assert!(began.elapsed() < TIMEOUT, "they count apart");
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn a_bucket_that_somebody_has_overwritten_is_full() {
    let Some(server) = Redis::start() else { return };
    let connection = connection(&server);
    answers(&connection).await;
    run(&server, &["SET", "atumpan:bucket:mine", "nonsense"]);

    assert_eq!(limiter(&connection).take("mine", SLOW, 1).await.unwrap().remaining, 1);
    assert_eq!(limiter(&connection).take("mine", SLOW, 1).await.unwrap().remaining, 0);
    assert!(limiter(&connection).take("mine", SLOW, 1).await.is_err());
}
