//! Stores and retention.

use std::{path::PathBuf, time::Duration};

use domain::shared::retention::RetentionDays;

use super::{ConfigError, Environment, Source, faults::Faults, invalid, retention, switch};

const DATA_DIR: &str = ".atumpan";
const EMBEDDED: &str = "ATUMPAN_EMBEDDED_DATABASE";
const WAIT: &str = "ATUMPAN_DATABASE_WAIT_SECONDS";
const WAIT_SECONDS: u64 = 60;
const MAX_WAIT_SECONDS: u64 = 3_600;

/// Stores and retention.
#[derive(Debug, Clone)]
pub struct Storage {
    /// `ATUMPAN_DATA_DIR`, by default `.atumpan`: the embedded database and generated secrets.
    pub data_dir: PathBuf,
    /// `DATABASE_URL`; unset, an embedded `PostgreSQL` is started, in production only if
    /// `ATUMPAN_EMBEDDED_DATABASE` is `on`.
    pub database_url: Option<String>,
    /// `ATUMPAN_DATABASE_WAIT_SECONDS`, at most 3600, by default 60: time for which a start waits for
    /// a `PostgreSQL` that cannot be reached.
    pub database_wait: Duration,
    /// `REDIS_URL`; unset, a substitute in the process serves.
    pub redis_url: Option<String>,
    /// `ATUMPAN_RETENTION_DAYS`, at least 31: days for which messages are kept in the log; unset,
    /// for ever.
    pub retention: Option<RetentionDays>,
}

impl Storage {
    pub(super) fn read(source: &Source, environment: Environment, faults: &mut Faults) -> Self {
        Self {
            data_dir: source.get("ATUMPAN_DATA_DIR").unwrap_or_else(|| DATA_DIR.into()).into(),
            database_url: faults.take(database_url(source, environment), None),
            database_wait: faults.take(wait(source), Duration::ZERO),
            redis_url: source.get("REDIS_URL"),
            retention: faults.take(retention::read(source), None),
        }
    }
}

fn database_url(source: &Source, environment: Environment) -> Result<Option<String>, ConfigError> {
    let given = source.get("DATABASE_URL");
    let embedded = match source.get(EMBEDDED) {
        None => None,
        Some(_) => Some(switch(source, EMBEDDED)?),
    };
    match (&given, embedded, environment) {
        (Some(_), Some(true), _) => Err(invalid(EMBEDDED, "must not be on beside DATABASE_URL")),
        (None, None, Environment::Production) => {
            let problem = "must be set in production, or ATUMPAN_EMBEDDED_DATABASE be on";
            Err(invalid("DATABASE_URL", problem))
        }
        (None, Some(false), _) => {
            Err(invalid("DATABASE_URL", "must be set, for the embedded database is off"))
        }
        _ => Ok(given),
    }
}

fn wait(source: &Source) -> Result<Duration, ConfigError> {
    let Some(text) = source.get(WAIT) else { return Ok(Duration::from_secs(WAIT_SECONDS)) };
    let seconds = text.parse().ok().filter(|seconds| *seconds <= MAX_WAIT_SECONDS);
    seconds.map(Duration::from_secs).ok_or_else(|| invalid(WAIT, "must be from 0 to 3600"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_waits_a_minute_for_the_database_by_default() {
        let wait =
            |value| wait(&Source::of(&[(WAIT, value)], "")).map_err(|error| error.to_string());
        assert_eq!(wait(""), Ok(Duration::from_secs(60)));
        assert_eq!(wait("0"), Ok(Duration::ZERO));
        for wrong in ["-1", "3601", "1m"] {
            let error = "ATUMPAN_DATABASE_WAIT_SECONDS must be from 0 to 3600";
            assert_eq!(wait(wrong), Err(error.to_owned()));
        }
    }
}
