//! Database that is restarted, crashes, is paused, or loses its connections.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::{RECOVERED, Scale};
use crate::{
    failure::Result,
    postgres::Stop,
    report::Row,
    stage::{Plan, Stage},
};

/// Time without faults, before and between them.
const CALM: Duration = Duration::from_secs(2);
/// Time for which the server is down.
const AWAY: Duration = Duration::from_secs(2);
const FROZEN: Duration = Duration::from_secs(15);

pub(super) async fn restart(scale: Scale) -> Result<Row> {
    stop_and_start(scale.rounds(1, 3), Stop::Fast).await
}

pub(super) async fn crash(scale: Scale) -> Result<Row> {
    stop_and_start(scale.rounds(1, 3), Stop::Immediate).await
}

async fn stop_and_start(rounds: usize, how: Stop) -> Result<Row> {
    let mut stage = Stage::start(Plan::default()).await?;
    for _ in 0..rounds {
        sleep(CALM).await;
        stage.postgres.stop(how).await?;
        sleep(AWAY).await;
        stage.postgres.serve().await?;
        stage.recovers(Instant::now()).await?;
    }
    stage.finish(rounds, RECOVERED).await
}

pub(super) async fn freeze() -> Result<Row> {
    let mut stage = Stage::start(Plan::default()).await?;
    sleep(CALM).await;
    stage.postgres.freeze()?;
    let began = Instant::now();
    stage.says_that_it_is_ill().await?;
    sleep(FROZEN.saturating_sub(began.elapsed())).await;
    stage.postgres.thaw()?;
    stage.recovers(Instant::now()).await?;
    stage.finish(1, RECOVERED).await
}

pub(super) async fn terminate(scale: Scale) -> Result<Row> {
    let mut stage = Stage::start(scale.plan()).await?;
    sleep(CALM).await;
    let rounds = scale.rounds(1, 20);
    for _ in 0..rounds {
        stage.postgres.terminate_connections().await?;
        stage.recovers(Instant::now()).await?;
        sleep(Duration::from_secs(1)).await;
    }
    stage.finish(rounds, RECOVERED).await
}
