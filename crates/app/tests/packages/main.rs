//! Rules of the packages in `docs/deploy`: the package of Debian, the unit of systemd, and what describes
//! containers and proxies.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

mod containers;
mod debian;
mod files;
mod metadata;
mod proxies;
mod settings;
mod unit;
