//! The unit of systemd: valid, and hardened.

use std::{fs, path::PathBuf};

use tempfile::TempDir;
use testkit::requires;

use crate::files::{PROGRAM, read, replaced};

const UNIT: &str = "docs/deploy/systemd/atumpan.service";
/// Largest permitted exposure, in tenths.
const EXPOSURE: u32 = 20;

/// Writes the unit with the path of the program that is built, and returns its path.
fn unit() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("atumpan.service");
    fs::write(&path, replaced(&read(UNIT), "ExecStart=/usr/bin/atumpan", &start())).unwrap();
    (folder, path)
}

fn start() -> String {
    format!("ExecStart={PROGRAM}")
}

#[test]
fn systemd_finds_nothing_to_say_about_the_unit() {
    let Some(mut analyze) = requires("systemd-analyze") else { return };
    let (_folder, path) = unit();

    let output = analyze.arg("verify").arg(path).output().unwrap();

    // It is content with keys that it does not know, and says so.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.trim().is_empty(), "{said}");
}

#[test]
fn the_exposure_of_the_unit_is_at_most_two() {
    let Some(mut analyze) = requires("systemd-analyze") else { return };
    let (_folder, path) = unit();

    let threshold = format!("--threshold={EXPOSURE}");
    let output = analyze.args(["security", "--offline=true", &threshold]).arg(path).output();

    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_unit_is_told_when_the_service_is_ready_and_live() {
    let unit = read(UNIT);
    for line in ["Type=notify", "NotifyAccess=main", "WatchdogSec=30s", "Restart=on-failure"] {
        assert!(unit.lines().any(|it| it == line), "{line}");
    }
}
