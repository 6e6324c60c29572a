//! Database errors, in the terms of the ports.

use std::fmt::Display;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use ports::shared::store::StoreError;

/// Parts of messages, and the SQLSTATE to which they belong. Diesel keeps the message of an error
/// and not its SQLSTATE, so connections request messages in English (`start_options.rs`).
type Messages = &'static [(&'static str, &'static str)];

/// The lock is held by another transaction.
const LOCKED: Messages =
    &[("55P03", "canceling statement due to lock timeout"), ("55P03", "could not obtain lock on")];
/// Two transactions waited for each other. Nothing of this one is left.
const DEADLOCK: Messages = &[("40P01", "deadlock detected")];
/// The statement exceeded its time limit. Nothing was written.
const TIMED_OUT: Messages = &[("57014", "canceling statement due to statement timeout")];
/// The server is shutting down, starting, or out of a resource.
const TRANSIENT: Messages = &[
    ("40001", "could not serialize access"),
    ("53000", "insufficient resources"),
    ("53100", "could not extend file"),
    ("53100", "could not write"),
    ("53100", "No space left on device"),
    ("53100", "disk full"),
    ("53200", "out of memory"),
    ("53200", "out of shared memory"),
    ("53300", "too many connections"),
    ("53300", "too many clients"),
    ("53300", "remaining connection slots"),
    ("53400", "temporary file size exceeds"),
    ("57014", "canceling statement due to"),
    ("57P01", "terminating connection"),
    ("57P03", "the database system is"),
    ("57P03", "cannot connect now"),
    ("58030", "could not read"),
    ("58030", "could not fsync"),
    ("58030", "could not flush"),
    ("58030", "could not open file"),
    ("58030", "could not access file"),
    ("08006", "connection to server was lost"),
    ("08006", "server closed the connection"),
];

/// Translates a failed query. Orphan rules forbid a `From` impl here, so every query ends in
/// `.map_err(store_error)`.
pub(crate) fn store_error(error: DieselError) -> StoreError {
    use DatabaseErrorKind as Kind;

    let DieselError::DatabaseError(kind, info) = &error else {
        return match error {
            DieselError::BrokenTransactionManager => StoreError::Unavailable(error.into()),
            _ => StoreError::Internal(error.into()),
        };
    };
    match kind {
        Kind::UniqueViolation => {
            let constraint = info.constraint_name().unwrap_or("unknown").to_owned();
            StoreError::Conflict { constraint }
        }
        Kind::ClosedConnection
        | Kind::SerializationFailure
        | Kind::ReadOnlyTransaction
        | Kind::UnableToSendCommand => StoreError::Unavailable(error.into()),
        Kind::Unknown if is_transient(info.message()) => StoreError::Unavailable(error.into()),
        _ => StoreError::Internal(error.into()),
    }
}

fn is_transient(message: &str) -> bool {
    [LOCKED, DEADLOCK, TRANSIENT].into_iter().any(|messages| is_one_of(message, messages))
}

fn is_one_of(message: &str, messages: Messages) -> bool {
    messages.iter().any(|(_, part)| message.contains(part))
}

/// True if the wait for a lock timed out. Nothing was written.
pub(crate) fn is_lock_timeout(error: &StoreError) -> bool {
    is_caused_by(error, LOCKED)
}

/// True if the message says that the wait for a lock timed out.
pub(crate) fn is_about_locks(message: &str) -> bool {
    is_one_of(message, LOCKED)
}

/// True if the server ended this transaction to break a deadlock. Nothing was written.
pub(crate) fn is_deadlock(error: &StoreError) -> bool {
    is_caused_by(error, DEADLOCK)
}

/// True if the server ended the statement because it took too long.
pub(crate) fn is_statement_timeout(error: &StoreError) -> bool {
    is_caused_by(error, TIMED_OUT)
}

/// True if the outcome of the statement is unknown.
pub(crate) fn is_unanswered(error: &StoreError) -> bool {
    use DatabaseErrorKind::{ClosedConnection, UnableToSendCommand};

    let StoreError::Unavailable(cause) = error else { return false };
    matches!(
        cause.downcast_ref(),
        Some(DieselError::DatabaseError(ClosedConnection | UnableToSendCommand, _))
    )
}

fn is_caused_by(error: &StoreError, messages: Messages) -> bool {
    let StoreError::Unavailable(cause) = error else { return false };
    match cause.downcast_ref() {
        Some(DieselError::DatabaseError(_, info)) => is_one_of(info.message(), messages),
        _ => false,
    }
}

/// Returns the error of a row that cannot be converted. Constraints and this crate keep such rows
/// from being written, so it is a bug.
pub(crate) fn corrupt(table: &str, id: impl Display) -> StoreError {
    StoreError::Internal(format!("row {id} of {table} contradicts itself").into())
}

/// Copies an error, for another caller that waits for the same batch.
pub(crate) fn clone_error(error: &StoreError) -> StoreError {
    match error {
        StoreError::Conflict { constraint } => {
            StoreError::Conflict { constraint: constraint.clone() }
        }
        StoreError::Unavailable(error) => StoreError::Unavailable(error.to_string().into()),
        StoreError::Internal(error) => StoreError::Internal(error.to_string().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(kind: DatabaseErrorKind, message: &str) -> StoreError {
        store_error(DieselError::DatabaseError(kind, Box::new(message.to_owned())))
    }

    #[test]
    fn an_unreachable_or_overloaded_database_is_unavailable() {
        for message in [
            "terminating connection due to administrator command",
            "terminating connection because of crash of another server process",
            "the database system is starting up",
            "the database system is not yet accepting connections",
            "sorry, too many clients already",
            "could not extend file \"base/1/2\": No space left on device",
            "could not extend file \"base/1/2\": wrote only 4096 of 8192 bytes at block 7",
            "deadlock detected",
            "canceling statement due to statement timeout",
        ] {
            let error = translated(DatabaseErrorKind::Unknown, message);
            assert!(matches!(error, StoreError::Unavailable(_)), "{message}");
        }
        let error = translated(DatabaseErrorKind::UnableToSendCommand, "connection closed");
        assert!(matches!(error, StoreError::Unavailable(_)));
    }

    #[test]
    fn distinguishes_lock_timeouts_from_deadlocks() {
        let translated = |message: &str| translated(DatabaseErrorKind::Unknown, message);
        let locked = translated("canceling statement due to lock timeout");
        let deadlock = translated("deadlock detected");
        let slow = translated("canceling statement due to statement timeout");

        assert!(is_lock_timeout(&locked) && !is_deadlock(&locked));
        assert!(is_deadlock(&deadlock) && !is_lock_timeout(&deadlock));
        assert!(!is_lock_timeout(&slow) && !is_deadlock(&slow));
    }

    #[derive(Debug, thiserror::Error)]
    #[error("it cannot be reached{0}")]
    struct Away(&'static str, #[source] std::io::Error);

    #[test]
    fn an_error_shows_its_reason_with_each_cause_once() {
        let refused = || std::io::Error::other("connection refused");
        for cause in ["", ": connection refused"] {
            let error = StoreError::Unavailable(Away(cause, refused()).into());
            let shown = error.to_string();
            assert_eq!(shown, "the store is unavailable: it cannot be reached: connection refused");
        }
        let error = StoreError::Internal("no such table".into());
        assert_eq!(error.to_string(), "the store failed: no such table");
    }

    #[test]
    fn permanent_errors_are_internal() {
        let error = translated(DatabaseErrorKind::Unknown, "relation \"x\" does not exist");
        assert!(matches!(error, StoreError::Internal(_)));
        let error = translated(DatabaseErrorKind::ForeignKeyViolation, "violates");
        assert!(matches!(error, StoreError::Internal(_)));
    }
}
