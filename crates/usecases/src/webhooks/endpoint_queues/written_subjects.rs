//! Subjects of the events that this process has written.

use std::{collections::HashSet, mem};

use domain::shared::id::Id;

use super::queue::Subject;

/// Number of subjects after which those before them are forgotten.
const GENERATION: usize = 1 << 15;

/// Latest subjects, in two generations of which the older one is forgotten as a whole.
#[derive(Default)]
pub(super) struct WrittenSubjects {
    recent: HashSet<Id<Subject>>,
    older: HashSet<Id<Subject>>,
}

impl WrittenSubjects {
    /// Adds a subject. Returns true if it was there.
    pub(super) fn add(&mut self, subject: Id<Subject>) -> bool {
        if !self.recent.insert(subject) {
            return true;
        }
        let was_there = self.older.contains(&subject);
        if self.recent.len() >= GENERATION {
            self.older = mem::take(&mut self.recent);
        }
        was_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_subjects_are_known_and_those_long_before_are_forgotten() {
        let mut subjects = WrittenSubjects::default();
        let subject = |number: usize| -> Id<Subject> { format!("{number:032x}").parse().unwrap() };

        assert!((0..GENERATION).all(|number| !subjects.add(subject(number))));
        assert!(subjects.add(subject(0)));
        assert!((GENERATION..3 * GENERATION).all(|number| !subjects.add(subject(number))));

        assert!(subjects.add(subject(3 * GENERATION - 1)));
        assert!(!subjects.add(subject(1)));
    }
}
