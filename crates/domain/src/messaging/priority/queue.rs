//! Queue of jobs in memory.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::{Priority, ProviderQueue, turns::Turns};
use crate::{identity::organization::Organization, shared::id::Id};

/// Number of turns after which the last priority is served once before all others.
pub(crate) const TURNS_OF_THE_LAST: usize = 16;

/// Bounded queue that serves urgent priorities first. In a priority, provider queues take turns,
/// and in each of them organizations do, so that none waits behind the many items of another.
#[derive(Debug)]
pub struct PriorityQueue<T> {
    priorities: BTreeMap<Priority, ProviderQueues<T>>,
    capacity_per_priority: usize,
    turns: usize,
}

#[derive(Debug)]
struct ProviderQueues<T> {
    waiting: HashMap<ProviderQueue, Turns<T>>,
    turn: VecDeque<ProviderQueue>,
    len: usize,
}

/// Key of the queue in which an item waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueKey {
    /// Class of urgency.
    pub priority: Priority,
    /// Provider queue in which it waits.
    pub provider_queue: ProviderQueue,
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
        let len = self.priorities.get(&priority).map_or(0, |provider_queues| provider_queues.len);
        self.capacity_per_priority.saturating_sub(len)
    }

    /// Number of items that wait in a provider queue of a priority.
    pub fn count(&self, priority: Priority, provider_queue: ProviderQueue) -> usize {
        let provider_queues = self.priorities.get(&priority);
        provider_queues
            .and_then(|provider_queues| provider_queues.waiting.get(&provider_queue))
            .map_or(0, Turns::len)
    }

    /// Number of items in each provider queue of each priority that has any, most urgent priority
    /// first.
    pub fn counts(&self) -> impl Iterator<Item = (Priority, ProviderQueue, usize)> {
        self.priorities.iter().flat_map(|(priority, provider_queues)| {
            provider_queues
                .waiting
                .iter()
                .map(|(provider_queue, turns)| (*priority, *provider_queue, turns.len()))
        })
    }

    /// Puts an item behind the others of its organization, or returns it if the priority is full.
    pub fn push(&mut self, key: QueueKey, item: T) -> Result<(), T> {
        if self.room(key.priority) == 0 {
            return Err(item);
        }
        let provider_queues =
            self.priorities.entry(key.priority).or_insert_with(ProviderQueues::empty);
        let turns = provider_queues.waiting.entry(key.provider_queue).or_insert_with(Turns::empty);
        if turns.len() == 0 {
            provider_queues.turn.push_back(key.provider_queue);
        }
        turns.push(key.organization, item);
        provider_queues.len += 1;
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
        mut is_open: impl FnMut(ProviderQueue) -> bool,
        limit: impl Fn(&T) -> usize,
        belongs: impl Fn(&T, &T) -> bool,
    ) -> Vec<T> {
        self.turns = (self.turns + 1) % TURNS_OF_THE_LAST;
        let last = if self.turns == 0 { self.priorities.get_mut(&Priority::Sandbox) } else { None };
        let group = last
            .and_then(|provider_queues| provider_queues.pop_group(&mut is_open, &limit, &belongs));
        if let Some(group) = group {
            return group;
        }
        let priorities = self.priorities.values_mut();
        let mut groups = priorities.filter_map(|provider_queues| {
            provider_queues.pop_group(&mut is_open, &limit, &belongs)
        });
        groups.next().unwrap_or_default()
    }

    /// Takes out, for each organization in each provider queue, the first items that are due.
    pub fn take_out(&mut self, is_due: impl Fn(ProviderQueue, &T) -> bool) -> Vec<T> {
        let mut taken = Vec::new();
        for provider_queues in self.priorities.values_mut() {
            for (provider_queue, turns) in &mut provider_queues.waiting {
                let before = turns.len();
                turns.take_out(|item| is_due(*provider_queue, item), |_, item| taken.push(item));
                provider_queues.len -= before - turns.len();
            }
            provider_queues.waiting.retain(|_, turns| turns.len() > 0);
            let waiting = &provider_queues.waiting;
            provider_queues.turn.retain(|provider_queue| waiting.contains_key(provider_queue));
        }
        taken
    }

    /// Number of items that wait.
    pub fn len(&self) -> usize {
        self.priorities.values().map(|provider_queues| provider_queues.len).sum()
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> ProviderQueues<T> {
    fn empty() -> Self {
        Self { waiting: HashMap::new(), turn: VecDeque::new(), len: 0 }
    }

    fn pop_group(
        &mut self,
        is_open: &mut impl FnMut(ProviderQueue) -> bool,
        limit: &impl Fn(&T) -> usize,
        belongs: &impl Fn(&T, &T) -> bool,
    ) -> Option<Vec<T>> {
        for place in 0..self.turn.len() {
            let provider_queue = self.turn[place];
            if !is_open(provider_queue) {
                continue;
            }
            let turns = self.waiting.get_mut(&provider_queue)?;
            let group = turns.pop_group(limit, belongs)?;
            self.len -= group.len();
            self.turn.remove(place);
            if turns.len() == 0 {
                self.waiting.remove(&provider_queue);
            } else {
                self.turn.push_back(provider_queue);
            }
            return Some(group);
        }
        None
    }
}

#[cfg(test)]
mod tests;
