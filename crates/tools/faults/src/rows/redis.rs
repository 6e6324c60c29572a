//! Redis is lost while limits are counted there, and comes back.

use std::time::{Duration, Instant};

use testkit::Redis;
use tokio::time::sleep;

use super::{RECOVERED, Scale};
use crate::{
    failure::Result,
    report::Row,
    stage::{Plan, Stage},
};

const CALM: Duration = Duration::from_secs(2);
const INSTANCES: usize = 2;
/// Rate that is never reached.
const LARGE: &str = "1000000/1000000";

/// Returns instances that count requests together, up to limits that are never reached.
pub(super) fn sharing(scale: Scale, redis: &Redis, instances: usize) -> Plan {
    let plan = Plan { instances, ..scale.plan() };
    let plan = plan.with("REDIS_URL", redis.url()).with("ATUMPAN_RATE_LIMITS", "on");
    let limits = ["LIVE", "REQUESTS", "GUESTS"].map(|limit| format!("ATUMPAN_LIMIT_{limit}"));
    limits.iter().fold(plan, |plan, limit| plan.with(limit, LARGE))
}

pub(super) async fn kill(scale: Scale) -> Result<Row> {
    let mut redis = Redis::start().ok_or("redis-server is not installed")?;
    let mut stage = Stage::start(sharing(scale, &redis, INSTANCES)).await?;
    let rounds = scale.rounds(1, 3);
    for _ in 0..rounds {
        sleep(CALM).await;
        redis.kill();
        stage.recovers(Instant::now()).await?;
        sleep(CALM).await;
        redis.come_back();
        redis.listens().await;
        stage.recovers(Instant::now()).await?;
    }
    stage.finish(rounds, RECOVERED).await
}
