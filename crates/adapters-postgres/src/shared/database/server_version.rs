//! Major versions of `PostgreSQL` that the store works with.

use thiserror::Error;

/// Oldest supported major version.
pub const OLDEST_VERSION: u32 = 15;
/// Newest major version that all tests have run on.
pub const NEWEST_VERSION: u32 = 18;

/// Server older than the oldest supported version.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "PostgreSQL {found} is too old: Atumpan needs {OLDEST_VERSION} to {NEWEST_VERSION}; upgrade the \
     server with pg_upgrade, or name a newer one in DATABASE_URL"
)]
pub struct TooOld {
    found: String,
}

/// Refuses a server that is too old, by its setting `server_version_num`, and warns of one that is
/// newer than the tested versions.
pub(crate) fn check(number: u32) -> Result<(), TooOld> {
    let (major, minor) = (number / 10_000, number % 10_000);
    if major < OLDEST_VERSION {
        return Err(TooOld { found: format!("{major}.{minor}") });
    }
    if major > NEWEST_VERSION {
        tracing::warn!(
            version = major,
            newest_tried = NEWEST_VERSION,
            "PostgreSQL is newer than what Atumpan was tried with"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_too_old_is_refused_by_name() {
        let error = check(140_023).unwrap_err().to_string();
        assert!(
            error.starts_with("PostgreSQL 14.23 is too old: Atumpan needs 15 to 18;"),
            "{error}"
        );
    }

    #[test]
    fn accepts_the_oldest_and_newer_servers() {
        for number in [150_000, 150_018, 180_004, 190_001] {
            assert_eq!(check(number), Ok(()));
        }
    }
}
