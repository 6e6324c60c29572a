//! Typed identifiers.

use std::{cmp::Ordering, fmt, hash, marker::PhantomData, str::FromStr};

use chrono::{DateTime, Utc};
use uuid::{ContextV7, Timestamp, Uuid};

use crate::{organization::Organization, slot::Slot};

/// The identifier of a `T`: a `UUIDv7`, so it sorts by the time of its making. If the `T` belongs to
/// an organization, it ends in the [`Slot`] of that.
pub struct Id<T> {
    uuid: Uuid,
    of: PhantomData<fn() -> T>,
}

/// What belongs to no organization, such as users, providers and organizations themselves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to belong to no organization",
    note = "mint the identifier of what belongs to an organization with `Id::new_in`",
    note = "implement `Unowned` for what belongs to none"
)]
pub trait Unowned {}

impl<T: Unowned> Id<T> {
    /// Mints the identifier of a `T` that comes into being at `now`.
    pub fn new(now: DateTime<Utc>) -> Self {
        mint(now).into()
    }
}

impl<T> Id<T> {
    /// Mints the identifier of a `T` that comes into being at `now` and belongs to an organization.
    ///
    /// It ends in the organization's slot. Before that 61 bits are random in each millisecond: of
    /// 10,000 identifiers that are minted for one organization within the same millisecond, two are
    /// alike with a probability of 2 · 10⁻¹¹ (10,000² ÷ 2⁶²).
    pub fn new_in(now: DateTime<Utc>, organization: Id<Organization>) -> Self {
        organization.slot().mark(mint(now)).into()
    }

    /// The identifier with these 128 bits.
    pub const fn of(uuid: Uuid) -> Self {
        Self { uuid, of: PhantomData }
    }

    /// The smallest identifier that could be minted at `time`: where a search by time begins.
    pub fn floor(time: DateTime<Utc>) -> Self {
        let millis = u64::try_from(time.timestamp_millis()).unwrap_or_default();
        Uuid::from_u64_pair(millis << 16, 0).into()
    }

    /// The bare identifier.
    pub fn uuid(self) -> Uuid {
        self.uuid
    }

    /// The slot of the organization that this identifies, or that owns what it identifies.
    pub fn slot(self) -> Slot {
        Slot::end_of(self.uuid)
    }
}

fn mint(now: DateTime<Utc>) -> Uuid {
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
    use std::collections::HashSet;

    use proptest::prelude::*;
    use uuid::Variant;

    use super::*;

    struct Thing;
    impl Unowned for Thing {}

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(millis).unwrap()
    }

    proptest! {
        #[test]
        fn an_identifier_ends_in_the_slot_of_its_organization_and_is_a_version_7(
            millis in 0..1_i64 << 47,
            bits: u128,
        ) {
            let organization = Id::<Organization>::of(Uuid::from_u128(bits));
            let id = Id::<Thing>::new_in(at(millis), organization);

            prop_assert_eq!(id.slot(), Slot::of(organization));
            prop_assert_eq!(id.uuid().get_version_num(), 7);
            prop_assert_eq!(id.uuid().get_variant(), Variant::RFC4122);
        }

        #[test]
        fn identifiers_sort_by_time_whatever_their_organizations(
            millis in 0..1_i64 << 47,
            later in 1..1_i64 << 40,
            bits: [u128; 2],
        ) {
            let organizations = bits.map(|bits| Id::of(Uuid::from_u128(bits)));
            let early = Id::<Thing>::new_in(at(millis), organizations[0]);
            let late = Id::new_in(at(millis + later), organizations[1]);

            prop_assert!(Id::floor(at(millis)) <= early);
            prop_assert!(early < Id::floor(at(millis + 1)));
            prop_assert!(early < late);
        }
    }

    #[test]
    fn an_id_sorts_after_the_floor_of_its_time_and_before_the_next_millisecond() {
        let now = at(1_700_000_000_123);

        let id = Id::<Thing>::new(now);

        assert!(Id::floor(now) < id);
        assert!(id < Id::floor(at(1_700_000_000_124)));
    }

    #[test]
    fn of_a_million_identifiers_of_one_organization_and_millisecond_no_two_are_alike() {
        let now = at(1_700_000_000_123);
        let organization = Id::new(now);

        let minted = (0..1_000_000).map(|_| Id::<Thing>::new_in(now, organization));

        assert_eq!(minted.collect::<HashSet<_>>().len(), 1_000_000);
    }
}
