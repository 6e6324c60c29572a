//! Service whose clock jumps.

use std::{fs, path::PathBuf, time::Instant};

use tokio::time::sleep;

use super::{RECOVERED, Scale};
use crate::{
    failure::Result,
    report::Row,
    stage::{Plan, Stage},
};

/// Successive errors of the clock, in seconds.
const JUMPS: [&str; 4] = ["+7200", "+0", "-3600", "+0"];

/// Returns the path of the library that changes the time of a process.
fn library() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten().map(|folder| folder.path());
    let mut files = folders.map(|folder| folder.join("faketime/libfaketimeMT.so.1"));
    files.find(|file| file.exists())
}

pub(super) fn missing() -> Option<String> {
    library().is_none().then(|| "libfaketime is not installed: install libfaketime".to_owned())
}

pub(super) async fn jump(scale: Scale) -> Result<Row> {
    let library = library().ok_or("libfaketime is not installed")?;
    let folder = tempfile::tempdir()?;
    let offset = folder.path().join("offset");
    fs::write(&offset, "+0\n")?;
    let mut plan = Plan::default()
        .with("LD_PRELOAD", library.display().to_string())
        .with("FAKETIME_TIMESTAMP_FILE", offset.display().to_string())
        .with("FAKETIME_CACHE_DURATION", "1")
        // Timeouts and intervals are not affected.
        .with("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    // A code that waits while the clock passes its end expires, as it should.
    plan.demand.has_codes = false;
    let mut stage = Stage::start(plan).await?;
    for jump in JUMPS {
        sleep(scale.seconds(2, 5)).await;
        fs::write(&offset, format!("{jump}\n"))?;
        stage.recovers(Instant::now()).await?;
    }
    sleep(scale.seconds(2, 5)).await;
    stage.finish(JUMPS.len(), RECOVERED).await
}
