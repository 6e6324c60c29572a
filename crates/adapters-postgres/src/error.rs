//! Database errors, in the terms of the ports.

use std::fmt::Display;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use ports::store::StoreError;

/// What `PostgreSQL` says when it is going away, coming up, or out of something. Diesel keeps the
/// message of an error and not its SQLSTATE.
const TRANSIENT: [&str; 13] = [
    "terminating connection",
    "the database system is",
    "connection to server was lost",
    "server closed the connection",
    "too many connections",
    "too many clients",
    "remaining connection slots",
    "out of memory",
    "out of shared memory",
    "No space left on device",
    "deadlock detected",
    "canceling statement due to",
    "could not serialize access",
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
    TRANSIENT.iter().any(|part| message.contains(part))
}

/// The error of a row that does not convert back. Constraints and this crate keep such rows from
/// being written, so it is a bug.
pub(crate) fn corrupt(table: &str, id: impl Display) -> StoreError {
    StoreError::Internal(format!("row {id} of {table} contradicts itself").into())
}

/// The same error, for another who waits for the same batch.
pub(crate) fn again(error: &StoreError) -> StoreError {
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
    fn a_database_that_is_away_or_overloaded_is_unavailable() {
        for message in [
            "terminating connection due to administrator command",
            "terminating connection because of crash of another server process",
            "the database system is starting up",
            "the database system is not yet accepting connections",
            "sorry, too many clients already",
            "could not extend file \"base/1/2\": No space left on device",
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
    fn what_would_fail_again_is_internal() {
        let error = translated(DatabaseErrorKind::Unknown, "relation \"x\" does not exist");
        assert!(matches!(error, StoreError::Internal(_)));
        let error = translated(DatabaseErrorKind::ForeignKeyViolation, "violates");
        assert!(matches!(error, StoreError::Internal(_)));
    }
}
