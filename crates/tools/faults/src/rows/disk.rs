//! Database whose disk is full.

use std::{
    fs::File,
    io::{ErrorKind, Write},
    path::Path,
    process::Command,
    time::Instant,
};

use tempfile::TempDir;
use tokio::time::sleep;

use super::{RECOVERED, Scale};
use crate::{
    failure::Result,
    report::Row,
    stage::{Plan, Stage},
};

/// Size of the disk: room for the database, and for some minutes of its log.
const SIZE: &str = "size=400m";
const BLOCK: usize = 1 << 20;

/// Disk in memory. It is gone when this is dropped.
struct Disk(TempDir);

impl Disk {
    fn mount() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut mount = Command::new("mount");
        let output =
            mount.args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(folder.path()).output()?;
        if output.status.success() {
            return Ok(Self(folder));
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().into())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The processes of a killed server may still hold it.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

/// Returns what is missing: only root may mount.
pub(super) fn missing() -> Option<String> {
    let error = Disk::mount().err()?;
    Some(format!("a small disk cannot be mounted, which takes root: {error}"))
}

pub(super) async fn fill(scale: Scale) -> Result<Row> {
    let disk = Disk::mount()?;
    let plan = Plan { folder: Some(disk.path().to_owned()), ..Plan::default() };
    let mut stage = Stage::start(plan).await?;
    sleep(scale.seconds(1, 3)).await;
    let ballast = disk.path().join("ballast");
    write_until_full(&ballast)?;
    sleep(scale.seconds(5, 15)).await;
    std::fs::remove_file(&ballast)?;
    if stage.postgres.has_ended()? {
        stage.postgres.serve().await?;
    }
    stage.recovers(Instant::now()).await?;
    stage.finish(1, RECOVERED).await
}

fn write_until_full(path: &Path) -> Result<()> {
    let mut file = File::create(path)?;
    let block = vec![0; BLOCK];
    loop {
        match file.write_all(&block) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::StorageFull => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
