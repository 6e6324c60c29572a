//! Typed identifiers.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{identity::user::User, shared::id::Id};
//!
//! let id = Id::<User>::new(DateTime::UNIX_EPOCH);
//! assert_eq!(id.time(), DateTime::UNIX_EPOCH);
//! assert_eq!(id.to_string().parse(), Ok(id));
//! ```

#[cfg(feature = "seeded-identifiers")]
pub mod seeded;

use std::{cmp::Ordering, fmt, hash, marker::PhantomData, str::FromStr};

use chrono::{DateTime, Utc};
use uuid::{ContextV7, Timestamp, Uuid};

/// Identifier of a `T`: a `UUIDv7`, so it sorts by the time of its creation. If the `T` belongs to
/// an organization, the identifier ends in the [slot](Id::slot) of the organization.
pub struct Id<T> {
    uuid: Uuid,
    of: PhantomData<fn() -> T>,
}

/// Marker of types that belong to no organization, such as users, providers and organizations
/// themselves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to belong to no organization",
    note = "mint the identifier of what belongs to an organization with `Id::new_in`",
    note = "implement `Unowned` for what belongs to none"
)]
pub trait Unowned {}

impl<T: Unowned> Id<T> {
    /// Creates the identifier of a new `T` at `now`.
    pub fn new(now: DateTime<Utc>) -> Self {
        mint(now).into()
    }
}

impl<T> Id<T> {
    /// Returns the identifier with these 128 bits.
    pub const fn of(uuid: Uuid) -> Self {
        Self { uuid, of: PhantomData }
    }

    /// Smallest identifier that can be created at `time`: the start of a search by time.
    pub fn floor(time: DateTime<Utc>) -> Self {
        let millis = u64::try_from(time.timestamp_millis()).unwrap_or_default();
        Uuid::from_u64_pair(millis << 16, 0).into()
    }

    /// Time of its creation, to the millisecond.
    pub fn time(self) -> DateTime<Utc> {
        let (beginning, _) = self.uuid.as_u64_pair();
        let millis = i64::try_from(beginning >> 16).unwrap_or_default();
        DateTime::from_timestamp_millis(millis).unwrap_or_default()
    }

    /// Returns the bare identifier.
    pub fn uuid(self) -> Uuid {
        self.uuid
    }
}

pub(crate) fn mint(now: DateTime<Utc>) -> Uuid {
    #[cfg(feature = "seeded-identifiers")]
    if let Some(uuid) = seeded::mint(now) {
        return uuid;
    }
    let seconds = u64::try_from(now.timestamp()).unwrap_or_default();
    let nanos = now.timestamp_subsec_nanos();
    Uuid::new_v7(Timestamp::from_unix(ContextV7::new(), seconds, nanos))
}

/// The text is not an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not an identifier")]
pub struct InvalidId;

impl<T> FromStr for Id<T> {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        Uuid::try_parse(text).map(Self::of).map_err(|_| InvalidId)
    }
}

impl<T> From<Uuid> for Id<T> {
    fn from(uuid: Uuid) -> Self {
        Self::of(uuid)
    }
}

impl<T> From<Id<T>> for Uuid {
    fn from(id: Id<T>) -> Self {
        id.uuid
    }
}

// Derives would demand the same traits of `T`, which is only a label.
impl<T> Copy for Id<T> {}
impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.uuid.cmp(&other.uuid)
    }
}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> hash::Hash for Id<T> {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl<T> fmt::Display for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.uuid, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing;
    impl Unowned for Thing {}

    #[test]
    fn an_id_sorts_by_the_time_of_its_creation() {
        let now = DateTime::from_timestamp_millis(1_700_000_000_123).unwrap();
        let next = DateTime::from_timestamp_millis(1_700_000_000_124).unwrap();

        let id = Id::<Thing>::new(now);

        assert!(Id::floor(now) < id);
        assert_eq!(id.time(), now);
        assert!(id < Id::floor(next));
    }
}
