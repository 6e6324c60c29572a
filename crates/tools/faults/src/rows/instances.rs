//! Instances that are killed or stopped.

use std::time::{Duration, Instant};

use testkit::Redis;
use tokio::time::sleep;

use super::{RECOVERED, Scale, random, redis::sharing};
use crate::{failure::Result, report::Row, stage::Stage};

const INSTANCES: usize = 3;
const SHORTEST_LIFE: Duration = Duration::from_millis(300);
const LONGEST_LIFE: Duration = Duration::from_millis(2_500);
/// Time for which a killed instance stays away while others serve.
const AWAY: Duration = Duration::from_secs(5);

pub(super) async fn kill(scale: Scale) -> Result<Row> {
    let mut stage = Stage::start(scale.plan()).await?;
    let rounds = scale.rounds(1, 20);
    for _ in 0..rounds {
        sleep(random(SHORTEST_LIFE, LONGEST_LIFE)).await;
        stage.kill(0).await?;
        let began = Instant::now();
        stage.start_again(0)?;
        stage.recovers(began).await?;
    }
    stage.finish(rounds, RECOVERED).await
}

pub(super) async fn stop(scale: Scale) -> Result<Row> {
    let mut stage = Stage::start(scale.plan()).await?;
    let rounds = scale.rounds(1, 5);
    for _ in 0..rounds {
        sleep(random(SHORTEST_LIFE, LONGEST_LIFE)).await;
        stage.services[0].process.stop()?;
        let began = Instant::now();
        stage.start_again(0)?;
        stage.recovers(began).await?;
    }
    stage.finish(rounds, RECOVERED).await
}

/// Kills instances in turn. The others go on, and take over the messages of the killed one.
pub(super) async fn kill_one_of_three(scale: Scale) -> Result<Row> {
    let redis = Redis::start().ok_or("redis-server is not installed")?;
    let mut stage = Stage::start(sharing(scale, &redis, INSTANCES)).await?;
    let rounds = scale.rounds(1, 6);
    for round in 0..rounds {
        sleep(random(SHORTEST_LIFE, LONGEST_LIFE)).await;
        stage.load.watch_gaps();
        stage.kill(round % INSTANCES).await?;
        sleep(AWAY).await;
        stage.note_recovery(stage.load.longest_gap());
        stage.start_again(round % INSTANCES)?;
    }
    stage.finish(rounds, RECOVERED).await
}
