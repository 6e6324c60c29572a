//! Outcomes of messages in this process since the last write to the store.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{
    identity::{
        organization::Organization,
        traffic::{CodeShare, OperatorRange},
    },
    platform::fraud_guard::SettledMessage,
    shared::{country::Country, id::Id},
};
use ports::platform::traffic::TrafficCounts;

/// Maximum number of organizations and ranges counted between two writes. A few seconds never reach it;
/// while the store is unavailable, the excess is not counted.
const MOST: usize = 100_000;

/// Counter of settled messages. Clones share their counts.
#[derive(Clone, Default)]
pub struct TrafficCounter(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    codes: HashMap<(Id<Organization>, OperatorRange), CodeShare>,
    arrivals: HashMap<(Id<Organization>, Country), u64>,
}

impl TrafficCounter {
    /// Counts a message.
    pub(crate) fn count(&self, message: SettledMessage) {
        let SettledMessage { organization, range, country, is_code, is_delivered } = message;
        let mut counts = self.counts();
        if is_code {
            let codes = u64::from(is_delivered);
            counts.add_codes((organization, range), CodeShare { codes: 1, delivered: codes });
        }
        if is_delivered {
            counts.add_arrivals((organization, country), 1);
        }
    }

    /// Takes the counts to write them to the store.
    pub(crate) fn take(&self) -> TrafficCounts {
        let Counts { codes, arrivals } = std::mem::take(&mut *self.counts());
        let mut taken = TrafficCounts {
            codes: codes.into_iter().map(|((who, range), share)| (who, range, share)).collect(),
            arrivals: arrivals.into_iter().map(|((who, to), count)| (who, to, count)).collect(),
        };
        // All instances write in the same order, which avoids deadlocks.
        taken.codes.sort_unstable_by_key(|(who, range, _)| (*who, *range));
        taken.arrivals.sort_unstable_by_key(|(who, country, _)| (*who, *country));
        taken
    }

    /// Restores counts that could not be written.
    pub(crate) fn put_back(&self, counts: TrafficCounts) {
        let mut present = self.counts();
        for (organization, range, share) in counts.codes {
            present.add_codes((organization, range), share);
        }
        for (organization, country, arrivals) in counts.arrivals {
            present.add_arrivals((organization, country), arrivals);
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn add_codes(&mut self, key: (Id<Organization>, OperatorRange), more: CodeShare) {
        if self.codes.len() < MOST || self.codes.contains_key(&key) {
            let share = self.codes.entry(key).or_default();
            share.codes += more.codes;
            share.delivered += more.delivered;
        }
    }

    fn add_arrivals(&mut self, key: (Id<Organization>, Country), more: u64) {
        if self.arrivals.len() < MOST || self.arrivals.contains_key(&key) {
            *self.arrivals.entry(key).or_default() += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::tenant;

    #[test]
    fn codes_count_by_range_and_arrivals_by_country() {
        let counter = TrafficCounter::default();
        let range = OperatorRange::stored(23_324);
        for (is_code, is_delivered) in [(true, true), (true, false), (false, true), (false, false)]
        {
            let country = Country::GH;
            let organization = tenant();
            counter.count(SettledMessage { organization, range, country, is_code, is_delivered });
        }

        let taken = counter.take();

        assert_eq!(taken.codes, [(tenant(), range, CodeShare { codes: 2, delivered: 1 })]);
        assert_eq!(taken.arrivals, [(tenant(), Country::GH, 2)]);
        assert!(counter.take().is_empty());
        counter.put_back(taken.clone());
        assert_eq!(counter.take(), taken);
    }
}
