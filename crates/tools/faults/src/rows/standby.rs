//! Primary that dies or freezes, and its synchronous standby.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::Scale;
use crate::{
    failure::Result,
    postgres::Stop,
    report::Row,
    stage::{Plan, Stage},
};

const RECOVERED: Duration = Duration::from_secs(10);
const CALM: Duration = Duration::from_secs(3);

/// Makes both faults, and returns the worse results as one row.
pub(super) async fn promote(scale: Scale) -> Result<Row> {
    let frozen = lose_primary(scale, true).await?;
    match scale {
        Scale::Short => Ok(frozen),
        Scale::Full => Ok(frozen.and(lose_primary(scale, false).await?)),
    }
}

async fn lose_primary(scale: Scale, is_frozen: bool) -> Result<Row> {
    let mut stage = Stage::start(Plan { standby: true, ..scale.plan() }).await?;
    sleep(CALM).await;
    let began = Instant::now();
    if is_frozen {
        stage.postgres.freeze()?;
    } else {
        stage.postgres.stop(Stop::Kill).await?;
    }
    if let Some(standby) = &stage.standby {
        standby.promote().await?;
    }
    stage.recovers(began).await?;
    sleep(CALM).await;
    stage.finish(1, RECOVERED).await
}
