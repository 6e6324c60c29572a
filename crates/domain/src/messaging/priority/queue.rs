//! Queue of jobs in memory.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::{Line, Priority, turns::Turns};
use crate::{identity::organization::Organization, shared::id::Id};

/// Number of turns after which the last priority is served once before all others.
pub(crate) const TURNS_OF_THE_LAST: usize = 16;

/// Bounded queue that serves urgent priorities first. In a priority, provider queues take turns,
/// and in each of them organizations do, so that none waits behind the many items of another.
#[derive(Debug)]
pub struct PriorityQueue<T> {
    priorities: BTreeMap<Priority, Lines<T>>,
    capacity_per_priority: usize,
    turns: usize,
}

#[derive(Debug)]
struct Lines<T> {
    waiting: HashMap<Line, Turns<T>>,
    turn: VecDeque<Line>,
    len: usize,
}

/// Key of the queue in which an item waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueKey {
    /// Class of urgency.
    pub priority: Priority,
    /// Provider queue in which it waits.
    pub line: Line,
    /// Organization that owns it.
    pub organization: Id<Organization>,
}

impl<T> PriorityQueue<T> {
    /// Creates an empty queue that holds at most `capacity_per_priority` items in each priority.
    pub fn new(capacity_per_priority: usize) -> Self {
        Self { priorities: BTreeMap::new(), capacity_per_priority, turns: 0 }
    }

    /// Number of further items that `priority` takes.
    pub fn room(&self, priority: Priority) -> usize {
        let len = self.priorities.get(&priority).map_or(0, |lines| lines.len);
        self.capacity_per_priority.saturating_sub(len)
    }

    /// Number of items that wait in a provider queue of a priority.
    pub fn count(&self, priority: Priority, line: Line) -> usize {
        let lines = self.priorities.get(&priority);
        lines.and_then(|lines| lines.waiting.get(&line)).map_or(0, Turns::len)
    }

    /// Number of items in each provider queue of each priority that has any, most urgent priority
    /// first.
    pub fn counts(&self) -> impl Iterator<Item = (Priority, Line, usize)> {
        self.priorities.iter().flat_map(|(priority, lines)| {
            lines.waiting.iter().map(|(line, turns)| (*priority, *line, turns.len()))
        })
    }

    /// Puts an item behind the others of its organization, or returns it if the priority is full.
    pub fn push(&mut self, key: QueueKey, item: T) -> Result<(), T> {
        if self.room(key.priority) == 0 {
            return Err(item);
        }
        let lines = self.priorities.entry(key.priority).or_insert_with(Lines::empty);
        let turns = lines.waiting.entry(key.line).or_insert_with(Turns::empty);
        if turns.len() == 0 {
            lines.turn.push_back(key.line);
        }
        turns.push(key.organization, item);
        lines.len += 1;
        Ok(())
    }

    /// Takes the next item.
    pub fn pop(&mut self) -> Option<T> {
        self.pop_group(|_| true, |_| 1, |_, _| false).pop()
    }

    /// Takes the next item of the open provider queues and those right behind it that belong to it,
    /// up to the `limit` for it. Together they take one turn.
    pub fn pop_group(
        &mut self,
        mut is_open: impl FnMut(Line) -> bool,
        limit: impl Fn(&T) -> usize,
        belongs: impl Fn(&T, &T) -> bool,
    ) -> Vec<T> {
        self.turns = (self.turns + 1) % TURNS_OF_THE_LAST;
        let last = if self.turns == 0 { self.priorities.get_mut(&Priority::Sandbox) } else { None };
        let group = last.and_then(|lines| lines.pop_group(&mut is_open, &limit, &belongs));
        if let Some(group) = group {
            return group;
        }
        let priorities = self.priorities.values_mut();
        let mut groups =
            priorities.filter_map(|lines| lines.pop_group(&mut is_open, &limit, &belongs));
        groups.next().unwrap_or_default()
    }

    /// Takes out, for each organization in each provider queue, the first items that are due.
    pub fn take_out(&mut self, is_due: impl Fn(Line, &T) -> bool) -> Vec<T> {
        let mut taken = Vec::new();
        for lines in self.priorities.values_mut() {
            for (line, turns) in &mut lines.waiting {
                let before = turns.len();
                turns.take_out(|item| is_due(*line, item), |_, item| taken.push(item));
                lines.len -= before - turns.len();
            }
            lines.waiting.retain(|_, turns| turns.len() > 0);
            let waiting = &lines.waiting;
            lines.turn.retain(|line| waiting.contains_key(line));
        }
        taken
    }

    /// Number of items that wait.
    pub fn len(&self) -> usize {
        self.priorities.values().map(|lines| lines.len).sum()
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Lines<T> {
    fn empty() -> Self {
        Self { waiting: HashMap::new(), turn: VecDeque::new(), len: 0 }
    }

    fn pop_group(
        &mut self,
        is_open: &mut impl FnMut(Line) -> bool,
        limit: &impl Fn(&T) -> usize,
        belongs: &impl Fn(&T, &T) -> bool,
    ) -> Option<Vec<T>> {
        for place in 0..self.turn.len() {
            let line = self.turn[place];
            if !is_open(line) {
                continue;
            }
            let turns = self.waiting.get_mut(&line)?;
            let group = turns.pop_group(limit, belongs)?;
            self.len -= group.len();
            self.turn.remove(place);
            if turns.len() == 0 {
                self.waiting.remove(&line);
            } else {
                self.turn.push_back(line);
            }
            return Some(group);
        }
        None
    }
}

#[cfg(test)]
mod tests;
