//! Prices and plans: what holds, and what held before.

use chrono::{DateTime, Utc};
use domain::{
    money::pricing::{Plan, PricingRule, Version},
    shared::id::Id,
};

/// What has versions of which one can hold at a time.
pub(crate) trait Versioned: Clone {
    /// Which one this is.
    fn id(&self) -> Id<Self>;
    /// Whether it and another may not both hold.
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

/// All versions of something, in the order in which they began.
pub(crate) struct Versions<T> {
    kept: Vec<Version<T>>,
    changes: i64,
}

impl<T> Default for Versions<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), changes: 0 }
    }
}

/// What became of something that was to hold.
pub(crate) enum Begun {
    /// It holds.
    Done,
    /// What it was to replace holds no longer.
    Late,
    /// Another holds for the same.
    Taken,
}

impl<T: Versioned> Versions<T> {
    /// Has something hold from `now` on, in the place of another.
    pub(crate) fn begin(
        &mut self,
        value: &T,
        replaced: Option<Id<T>>,
        now: DateTime<Utc>,
    ) -> Begun {
        if replaced.is_some_and(|id| !self.active().any(|it| it.id() == id)) {
            return Begun::Late;
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

    /// Ends something; false if it has ended before.
    pub(crate) fn end(&mut self, id: Id<T>, now: DateTime<Utc>) -> bool {
        let mut active = self.kept.iter_mut().filter(|it| it.is_active());
        let Some(ended) = active.find(|it| it.value.id() == id) else { return false };
        ended.ended_at = Some(now);
        self.changes += 1;
        true
    }

    /// What holds.
    pub(crate) fn active(&self) -> impl Iterator<Item = &T> {
        self.kept.iter().filter(|it| it.is_active()).map(|it| &it.value)
    }

    pub(crate) fn find(&self, id: Id<T>) -> Option<&Version<T>> {
        self.kept.iter().find(|it| it.value.id() == id)
    }

    /// All, the newest first.
    pub(crate) fn newest_first(&self) -> Vec<&Version<T>> {
        let mut all: Vec<_> = self.kept.iter().collect();
        all.sort_by_key(|it| std::cmp::Reverse((it.created_at, it.value.id())));
        all
    }

    /// How often anything changed.
    pub(crate) fn changes(&self) -> i64 {
        self.changes
    }
}
