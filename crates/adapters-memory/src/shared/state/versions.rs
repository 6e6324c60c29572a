//! Current and earlier versions of prices and plans.

use chrono::{DateTime, Utc};
use domain::{
    money::pricing::{Plan, PricingRule, Version},
    shared::id::Id,
};

/// Type with versions, some of which exclude each other.
pub(crate) trait Versioned: Clone {
    /// Returns its identifier.
    fn id(&self) -> Id<Self>;
    /// Returns true if it and another may not both be active.
    fn excludes(&self, other: &Self) -> bool;
}

impl Versioned for PricingRule {
    fn id(&self) -> Id<Self> {
        self.id
    }

    fn excludes(&self, other: &Self) -> bool {
        (self.organization, self.channel, self.country)
            == (other.organization, other.channel, other.country)
    }
}

impl Versioned for Plan {
    fn id(&self) -> Id<Self> {
        self.id
    }

    fn excludes(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Versions of all objects of a type, in the order in which they began.
pub(crate) struct Versions<T> {
    kept: Vec<Version<T>>,
    changes: i64,
}

impl<T> Default for Versions<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), changes: 0 }
    }
}

/// Result of beginning a version.
pub(crate) enum Begun {
    /// Begun.
    Done,
    /// The version to be replaced is no longer active.
    NotActive,
    /// Another active version excludes it.
    Taken,
}

impl<T: Versioned> Versions<T> {
    /// Begins a version at `now`, in the place of another.
    pub(crate) fn begin(
        &mut self,
        value: &T,
        replaced: Option<Id<T>>,
        now: DateTime<Utc>,
    ) -> Begun {
        if replaced.is_some_and(|id| !self.active().any(|it| it.id() == id)) {
            return Begun::NotActive;
        }
        if self.active().any(|it| Some(it.id()) != replaced && it.excludes(value)) {
            return Begun::Taken;
        }
        if let Some(replaced) = replaced {
            self.end(replaced, now);
        }
        self.kept.push(Version::begin(value.clone(), now));
        self.changes += 1;
        Begun::Done
    }

    /// Ends a version. Returns false if it has ended before.
    pub(crate) fn end(&mut self, id: Id<T>, now: DateTime<Utc>) -> bool {
        let mut active = self.kept.iter_mut().filter(|it| it.is_active());
        let Some(ended) = active.find(|it| it.value.id() == id) else { return false };
        ended.ended_at = Some(now);
        self.changes += 1;
        true
    }

    /// Returns the active versions.
    pub(crate) fn active(&self) -> impl Iterator<Item = &T> {
        self.kept.iter().filter(|it| it.is_active()).map(|it| &it.value)
    }

    pub(crate) fn find(&self, id: Id<T>) -> Option<&Version<T>> {
        self.kept.iter().find(|it| it.value.id() == id)
    }

    /// Returns all versions, newest first.
    pub(crate) fn newest_first(&self) -> Vec<&Version<T>> {
        let mut all: Vec<_> = self.kept.iter().collect();
        all.sort_by_key(|it| std::cmp::Reverse((it.created_at, it.value.id())));
        all
    }

    /// Returns the number of changes.
    pub(crate) fn changes(&self) -> i64 {
        self.changes
    }
}
