//! Provider that is slow, dead, or lies.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::Scale;
use crate::{failure::Result, provider::Manner, report::Row, stage::Stage};

const CALM: Duration = Duration::from_secs(2);
const SLOW: Duration = Duration::from_secs(3);
/// Longest permitted recovery: a breaker stays open for at most 24 seconds before the provider is
/// tried again.
const RECOVERED: Duration = Duration::from_secs(30);

pub(super) async fn slow(scale: Scale) -> Result<Row> {
    misbehave(scale, Manner::Slow(SLOW), scale.seconds(5, 20)).await
}

pub(super) async fn lying(scale: Scale) -> Result<Row> {
    misbehave(scale, Manner::Lying, scale.seconds(5, 20)).await
}

async fn misbehave(scale: Scale, manner: Manner, time: Duration) -> Result<Row> {
    let mut stage = Stage::start(scale.plan()).await?;
    sleep(CALM).await;
    stage.provider.now(manner);
    sleep(time).await;
    stage.provider.now(Manner::Honest);
    stage.sends_again(Instant::now()).await?;
    stage.finish(1, RECOVERED).await
}

pub(super) async fn dead(scale: Scale) -> Result<Row> {
    let mut stage = Stage::start(scale.plan()).await?;
    sleep(CALM).await;
    stage.provider.die();
    sleep(scale.seconds(5, 20)).await;
    stage.provider.come_back().await?;
    stage.sends_again(Instant::now()).await?;
    stage.finish(1, RECOVERED).await
}
