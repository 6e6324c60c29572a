//! Queue of submissions that wait for acceptance.

use std::collections::{BTreeMap, HashMap};

use crate::{
    identity::organization::Organization,
    messaging::priority::{Priority, Turns},
    shared::id::Id,
};

/// Bounded queue of submissions that wait for acceptance. Urgent priorities go first; in a
/// priority, organizations take turns. When the limits are exceeded, the organization with the
/// largest share loses its newest submission of its least urgent priority: a flood displaces only
/// itself.
#[derive(Debug)]
pub struct IntakeQueue<T> {
    priorities: BTreeMap<Priority, Turns<(Size, T)>>,
    limits: IntakeLimits,
    totals: Totals,
}

/// Limits of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntakeLimits {
    /// Number of submissions.
    pub submissions: usize,
    /// Number of bytes of all submissions.
    pub bytes: usize,
}

/// Size of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of messages.
    pub messages: usize,
    /// Approximate number of bytes in memory.
    pub bytes: usize,
}

#[derive(Debug, Default)]
struct Totals {
    submissions: usize,
    bytes: usize,
    messages: BTreeMap<Priority, usize>,
    /// Number of bytes of each organization.
    shares: HashMap<Id<Organization>, usize>,
}

impl<T> IntakeQueue<T> {
    /// Creates an empty queue.
    pub fn new(limits: IntakeLimits) -> Self {
        Self { priorities: BTreeMap::new(), limits, totals: Totals::default() }
    }

    /// Puts a submission behind the others of its organization in a priority. Returns the
    /// submissions that it displaces, possibly itself.
    #[must_use]
    pub fn push(
        &mut self,
        organization: Id<Organization>,
        priority: Priority,
        size: Size,
        submission: T,
    ) -> Vec<T> {
        let turns = self.priorities.entry(priority).or_insert_with(Turns::empty);
        turns.push(organization, (size, submission));
        self.totals.add(organization, priority, size);
        let mut shed = Vec::new();
        while self.is_over_limit()
            && let Some(submission) = self.shed(organization)
        {
            shed.push(submission);
        }
        shed
    }

    /// Takes submissions of admitted priorities until they have `messages` messages: first one of
    /// each priority, so that none waits forever, then the most urgent.
    pub fn take(&mut self, messages: usize, is_admitted: impl Fn(Priority) -> bool) -> Vec<T> {
        let (mut taken, mut total) = (Vec::new(), 0);
        for most in [1, usize::MAX] {
            for (priority, turns) in
                self.priorities.iter_mut().filter(|(priority, _)| is_admitted(**priority))
            {
                let mut count = 0;
                while count < most
                    && total < messages
                    && let Some((organization, (size, submission))) = turns.pop()
                {
                    count += 1;
                    total += size.messages;
                    self.totals.remove(organization, *priority, size);
                    taken.push(submission);
                }
            }
        }
        taken
    }

    /// Takes out, for each organization, the first submissions that are due.
    pub fn take_out(&mut self, is_due: impl Fn(&T) -> bool) -> Vec<T> {
        let mut taken = Vec::new();
        for (priority, turns) in &mut self.priorities {
            turns.take_out(
                |(_, submission)| is_due(submission),
                |organization, (size, submission)| {
                    self.totals.remove(organization, *priority, size);
                    taken.push(submission);
                },
            );
        }
        taken
    }

    /// Number of messages that wait in admitted priorities.
    pub fn messages(&self, is_admitted: impl Fn(Priority) -> bool) -> usize {
        let priorities =
            self.totals.messages.iter().filter(|(priority, _)| is_admitted(**priority));
        priorities.map(|(_, messages)| messages).sum()
    }

    /// Number of submissions that wait.
    pub fn len(&self) -> usize {
        self.totals.submissions
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn is_over_limit(&self) -> bool {
        self.totals.submissions > self.limits.submissions || self.totals.bytes > self.limits.bytes
    }

    /// Takes the newest of the least urgent submissions of the organization with the largest share;
    /// on a tie, of the organization that came last.
    fn shed(&mut self, last: Id<Organization>) -> Option<T> {
        let shares = self.totals.shares.iter();
        let (largest, _) = shares.max_by_key(|(it, bytes)| (**bytes, **it == last))?;
        let largest = *largest;
        for (priority, turns) in self.priorities.iter_mut().rev() {
            if let Some((size, submission)) = turns.pop_newest(largest) {
                self.totals.remove(largest, *priority, size);
                return Some(submission);
            }
        }
        None
    }
}

impl Totals {
    fn add(&mut self, organization: Id<Organization>, priority: Priority, size: Size) {
        self.submissions += 1;
        self.bytes += size.bytes;
        *self.messages.entry(priority).or_default() += size.messages;
        *self.shares.entry(organization).or_default() += size.bytes;
    }

    fn remove(&mut self, organization: Id<Organization>, priority: Priority, size: Size) {
        self.submissions -= 1;
        self.bytes -= size.bytes;
        *self.messages.entry(priority).or_default() -= size.messages;
        let share = self.shares.entry(organization).or_default();
        *share -= size.bytes;
        if *share == 0 {
            self.shares.remove(&organization);
        }
    }
}

#[cfg(test)]
mod tests;
