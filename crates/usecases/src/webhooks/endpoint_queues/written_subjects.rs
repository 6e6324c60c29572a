//! Subjects of which this process has written the first event.

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
    /// Adds a subject.
    pub(super) fn add(&mut self, subject: Id<Subject>) {
        self.recent.insert(subject);
        if self.recent.len() >= GENERATION {
            self.older = mem::take(&mut self.recent);
        }
    }

    /// True if it was added lately.
    pub(super) fn contains(&self, subject: Id<Subject>) -> bool {
        self.recent.contains(&subject) || self.older.contains(&subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_subjects_are_known_and_those_long_before_are_forgotten() {
        let mut subjects = WrittenSubjects::default();
        let subject = |number: usize| -> Id<Subject> { format!("{number:032x}").parse().unwrap() };

        for number in 0..GENERATION {
            subjects.add(subject(number));
        }
        assert!(subjects.contains(subject(0)) && !subjects.contains(subject(GENERATION)));
        for number in GENERATION..3 * GENERATION {
            subjects.add(subject(number));
        }

        assert!(subjects.contains(subject(3 * GENERATION - 1)));
        assert!(!subjects.contains(subject(0)));
    }
}
