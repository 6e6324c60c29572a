//! Diagnosis of an installation, as `atumpan doctor` prints it.
//!
//! Everything is read and nothing is changed, so it may run beside the service and before its first start.
//! Each question to another system has a limit of a few seconds. What depends on something that is missing
//! is skipped, so every check has a finding. No finding contains a secret.

mod accounts;
mod addresses;
mod check;
mod checks;
mod database;
mod files;
mod gateway;
mod machine;
mod redis;
mod secrets;
mod settings;

use std::time::Duration;

use tokio::time::timeout;

pub use self::check::{Check, Finding, Status};
use self::checks::{ALL, SETTINGS_VALID};
use crate::config::{Config, ConfigError, ConfigFaults, Environment, Source};

/// Maximum time to wait for the answer of another system.
const LIMIT: Duration = Duration::from_secs(8);

/// Returns all checks, in the order of the output.
pub fn checks() -> &'static [Check] {
    ALL
}

/// Examines the installation that the settings describe. Returns at least one finding for each check, in
/// the order of [`checks`].
pub async fn examine(source: Result<Source, ConfigError>) -> Vec<Finding> {
    match read(source) {
        Ok((source, config)) => {
            let mut findings = vec![SETTINGS_VALID.ok("the settings are read")];
            findings.extend(examine_settings(&source, &config));
            findings.extend(Box::pin(examine_systems(&config)).await);
            complete(findings, "it was not reached")
        }
        Err(ConfigFaults(faults)) => {
            let fail = |fault: &ConfigError| SETTINGS_VALID.fail(fault.to_string());
            complete(faults.iter().map(fail).collect(), "the settings cannot be read")
        }
    }
}

/// Reads the settings, as a start does.
fn read(source: Result<Source, ConfigError>) -> Result<(Source, Config), ConfigFaults> {
    let mut source = source?;
    let config = Config::read_with_secret_files(&mut source)?;
    Ok((source, config))
}

/// Examines this machine and the settings on it.
fn examine_settings(source: &Source, config: &Config) -> Vec<Finding> {
    let mut findings = settings::examine(source, config);
    findings.push(secrets::examine(config));
    findings.push(files::examine(source, config));
    findings.extend(addresses::examine(config));
    findings.extend(machine::examine(config));
    findings
}

/// Examines the systems that the service uses.
async fn examine_systems(config: &Config) -> Vec<Finding> {
    let (mut findings, instances) = Box::pin(database::examine(config)).await;
    findings.extend(redis::examine(config, instances).await);
    findings.extend(Box::pin(accounts::examine(config)).await);
    findings.push(addresses::examine_callbacks(config).await);
    findings.extend(gateway::examine(config).await);
    findings
}

/// Adds a finding for each check that has none, and sorts them.
fn complete(mut findings: Vec<Finding>, reason: &str) -> Vec<Finding> {
    for check in ALL {
        if !findings.iter().any(|finding| finding.check == *check) {
            findings.push(check.skipped(reason));
        }
    }
    let place = |finding: &Finding| ALL.iter().position(|check| *check == finding.check);
    findings.sort_by_key(place);
    findings
}

/// Returns findings that none of the checks was made.
fn skip(checks: &[Check], reason: &str) -> Vec<Finding> {
    checks.iter().map(|check| check.skipped(reason)).collect()
}

/// Waits for an answer within the limit; `None` if there is none.
async fn within_limit<T>(answer: impl Future<Output = T>) -> Option<T> {
    timeout(LIMIT, answer).await.ok()
}

fn is_production(config: &Config) -> bool {
    config.security.environment == Environment::Production
}

#[cfg(test)]
mod tests;
