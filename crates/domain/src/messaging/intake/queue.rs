//! What waits to be accepted.

use std::collections::{BTreeMap, HashMap};

use crate::{
    identity::organization::Organization,
    messaging::priority::{Priority, Turns},
    shared::id::Id,
};

/// A bounded queue in front of what accepts. Urgent priorities go first, and in a priority one organization after
/// the other. When more waits than may, whoever has the most of it loses what it brought last, and the
/// least urgent of that: a flood displaces nobody but itself.
#[derive(Debug)]
pub struct IntakeQueue<T> {
    priorities: BTreeMap<Priority, Turns<(Size, T)>>,
    limits: IntakeLimits,
    totals: Totals,
}

/// How much may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntakeLimits {
    /// How many submissions.
    pub submissions: usize,
    /// How many bytes they may have together.
    pub bytes: usize,
}

/// How large a submission is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// How many messages it has.
    pub messages: usize,
    /// How many bytes it takes in memory, more or less.
    pub bytes: usize,
}

/// How much waits.
#[derive(Debug, Default)]
struct Totals {
    submissions: usize,
    bytes: usize,
    messages: BTreeMap<Priority, usize>,
    /// The bytes of each organization.
    shares: HashMap<Id<Organization>, usize>,
}

impl<T> IntakeQueue<T> {
    /// An empty queue.
    pub fn new(limits: IntakeLimits) -> Self {
        Self { priorities: BTreeMap::new(), limits, totals: Totals::default() }
    }

    /// Puts a submission behind the others of its organization in a priority, and returns what has to go for
    /// it: itself, maybe.
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

    /// Takes submissions of priorities that are admitted, until they have that many `messages`: first one of
    /// each priority, for none may wait for ever, then the most urgent.
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

    /// Takes out what is `due` to go, of each organization what came first.
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

    /// How many messages wait in priorities that are admitted.
    pub fn messages(&self, is_admitted: impl Fn(Priority) -> bool) -> usize {
        let priorities =
            self.totals.messages.iter().filter(|(priority, _)| is_admitted(**priority));
        priorities.map(|(_, messages)| messages).sum()
    }

    /// How many submissions wait.
    pub fn len(&self) -> usize {
        self.totals.submissions
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn is_over_limit(&self) -> bool {
        self.totals.submissions > self.limits.submissions || self.totals.bytes > self.limits.bytes
    }

    /// Takes the newest of the least urgent submissions of the organization with the largest share; among
    /// equals, of the one that came last.
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
