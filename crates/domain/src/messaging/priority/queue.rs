//! The queue of jobs in memory.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::{Line, Priority, turns::Turns};
use crate::{identity::organization::Organization, shared::id::Id};

/// How often the last priority is served before all others.
pub(crate) const TURNS_OF_THE_LAST: usize = 16;

/// A bounded queue that serves urgent priorities first and, inside a priority, one line after the other and
/// in it one organization after the other, so that nobody waits behind another's many.
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

/// Where an item waits: the queue is parted by these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueKey {
    /// How urgent it is.
    pub priority: Priority,
    /// What it waits for.
    pub line: Line,
    /// Whose it is.
    pub organization: Id<Organization>,
}

impl<T> PriorityQueue<T> {
    /// An empty queue that holds at most `capacity_per_priority` items in each priority.
    pub fn new(capacity_per_priority: usize) -> Self {
        Self { priorities: BTreeMap::new(), capacity_per_priority, turns: 0 }
    }

    /// How many more items `priority` takes.
    pub fn room(&self, priority: Priority) -> usize {
        let len = self.priorities.get(&priority).map_or(0, |lines| lines.len);
        self.capacity_per_priority.saturating_sub(len)
    }

    /// How many items wait in a line of a priority.
    pub fn count(&self, priority: Priority, line: Line) -> usize {
        let lines = self.priorities.get(&priority);
        lines.and_then(|lines| lines.waiting.get(&line)).map_or(0, Turns::len)
    }

    /// How many items wait, in each line of each priority in which any do, the most urgent priority first.
    pub fn counts(&self) -> impl Iterator<Item = (Priority, Line, usize)> {
        self.priorities.iter().flat_map(|(priority, lines)| {
            lines.waiting.iter().map(|(line, turns)| (*priority, *line, turns.len()))
        })
    }

    /// Puts an item at the end of its organization's line, or gives it back when the priority is full.
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

    /// Takes the item whose turn it is.
    pub fn pop(&mut self) -> Option<T> {
        self.pop_group(|_| true, |_| 1, |_, _| false).pop()
    }

    /// Takes the item whose turn it is among the lines that are open, with those right behind it that
    /// belong to it: as many as `limit` allows for it at the most. Together they take one turn.
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

    /// Takes out, of each organization in each line, the first items that are `due` to go.
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

    /// How many items wait.
    pub fn len(&self) -> usize {
        self.priorities.values().map(|lines| lines.len).sum()
    }

    /// Whether nothing waits.
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
