//! Turns of organizations.

use std::collections::{HashMap, VecDeque};

use crate::{identity::organization::Organization, shared::id::Id};

/// Number of empty queues kept for reuse.
const SPARE: usize = 64;

/// Items of organizations that take turns, so that none waits behind the many items of another.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    waiting: HashMap<Id<Organization>, VecDeque<T>>,
    turn: VecDeque<Id<Organization>>,
    /// Empty queues of organizations that have no more items.
    spare: Vec<VecDeque<T>>,
    len: usize,
}

impl<T> Turns<T> {
    pub(crate) fn empty() -> Self {
        Self { waiting: HashMap::new(), turn: VecDeque::new(), spare: Vec::new(), len: 0 }
    }

    /// Number of items that wait.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Puts an item behind the others of its organization.
    pub(crate) fn push(&mut self, organization: Id<Organization>, item: T) {
        let spare = &mut self.spare;
        let empty = || spare.pop().unwrap_or_default();
        let waiting = self.waiting.entry(organization).or_insert_with(empty);
        if waiting.is_empty() {
            self.turn.push_back(organization);
        }
        waiting.push_back(item);
        self.len += 1;
    }

    /// Takes the next item and those right behind it that belong to it, up to the `limit` for it.
    pub(crate) fn pop_group(
        &mut self,
        limit: impl Fn(&T) -> usize,
        belongs: impl Fn(&T, &T) -> bool,
    ) -> Option<Vec<T>> {
        let organization = self.turn.pop_front()?;
        let waiting = self.waiting.get_mut(&organization)?;
        let first = waiting.pop_front()?;
        let limit = limit(&first);
        let mut group = vec![first];
        while group.len() < limit
            && waiting.front().is_some_and(|next| belongs(&group[0], next))
            && let Some(next) = waiting.pop_front()
        {
            group.push(next);
        }
        self.end_turn(organization);
        self.len -= group.len();
        Some(group)
    }

    /// Takes the next item.
    pub(crate) fn pop(&mut self) -> Option<(Id<Organization>, T)> {
        let organization = self.turn.pop_front()?;
        let item = self.waiting.get_mut(&organization)?.pop_front()?;
        self.end_turn(organization);
        self.len -= 1;
        Some((organization, item))
    }

    /// Takes the newest item of an organization.
    pub(crate) fn pop_newest(&mut self, organization: Id<Organization>) -> Option<T> {
        let waiting = self.waiting.get_mut(&organization)?;
        let item = waiting.pop_back()?;
        self.len -= 1;
        if waiting.is_empty() {
            self.forget_empty();
        }
        Some(item)
    }

    /// Takes out, for each organization, the first items that are due.
    pub(crate) fn take_out(
        &mut self,
        is_due: impl Fn(&T) -> bool,
        mut taken: impl FnMut(Id<Organization>, T),
    ) {
        for (organization, waiting) in &mut self.waiting {
            while waiting.front().is_some_and(&is_due)
                && let Some(item) = waiting.pop_front()
            {
                taken(*organization, item);
                self.len -= 1;
            }
        }
        self.forget_empty();
    }

    /// Ends the turn of an organization, which waits for the next one if it has more items.
    fn end_turn(&mut self, organization: Id<Organization>) {
        if self.waiting.get(&organization).is_some_and(|waiting| !waiting.is_empty()) {
            self.turn.push_back(organization);
        } else if let Some(empty) = self.waiting.remove(&organization)
            && self.spare.len() < SPARE
        {
            self.spare.push(empty);
        }
    }

    fn forget_empty(&mut self) {
        self.waiting.retain(|_, waiting| !waiting.is_empty());
        let waiting = &self.waiting;
        self.turn.retain(|organization| waiting.contains_key(organization));
    }
}
