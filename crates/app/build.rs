//! Links the program with a compact table of the addresses that its loader has to adjust, if the C
//! library of this system can read that. The usual table takes 2.8 MB of the file and of memory.

use std::{env, process::Command};

/// First version of glibc that reads compact tables of addresses.
const FIRST_READER: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is_for_this_system() && glibc_version().is_some_and(|version| version >= FIRST_READER) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// True if the program is built for a system like the one that builds it.
fn is_for_this_system() -> bool {
    let is_glibc = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|target_env| target_env == "gnu")
        && env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    is_glibc && env::var("TARGET").ok() == env::var("HOST").ok()
}

/// Returns the version of this system's glibc; `None` if it has another C library.
fn glibc_version() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
