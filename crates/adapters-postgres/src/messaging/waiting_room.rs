//! Waiting rooms: entries that cannot be written yet wait separately, so that all others continue,
//! and one task tries them again until they are written or have waited too long.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use domain::{identity::organization::Organization, shared::id::Id};
use tokio::{
    sync::mpsc::{self, error::TrySendError},
    time::{Instant, sleep},
};

use crate::shared::task::Task;

/// Waiting entry, with its deadline if it has one.
pub(super) struct Expiring<E> {
    pub(super) entry: E,
    pub(super) until: Option<Instant>,
}

/// Rules of a waiting room, and writer of its entries. The task of the room looks at all of them,
/// gives up those that are too late, retries those that are ready, and helps the others.
#[async_trait]
pub(super) trait Retrier: Send + 'static {
    type Entry: Send + Sync + 'static;

    /// Maximum number of groups of entries that wait until the task takes them.
    const CAPACITY: usize;
    /// Maximum weight of all waiting entries.
    const MAX_WEIGHT: usize = usize::MAX;
    /// Number of waiting entries at which no further group is taken.
    const MANY: usize = usize::MAX;
    /// Maximum wait of an entry.
    const TIMEOUT: Option<Duration>;
    /// Pause after entries were tried in vain.
    const PAUSE: Duration;

    fn organization(entry: &Self::Entry) -> Id<Organization>;

    fn weight(_: &Self::Entry) -> usize {
        1
    }

    /// Takes out the entries that are ready to be tried.
    async fn look(
        &mut self,
        waiting: &mut Vec<Expiring<Self::Entry>>,
    ) -> Vec<Expiring<Self::Entry>> {
        std::mem::take(waiting)
    }

    /// Answers entries that have waited too long.
    async fn give_up(&mut self, late: Vec<Self::Entry>) {
        drop(late);
    }

    /// Divides entries into batches that are tried one after another.
    fn batches(ready: Vec<Self::Entry>) -> Vec<Vec<Self::Entry>> {
        vec![ready]
    }

    /// Tries a batch, and returns the entries that have to wait on.
    async fn retry(&mut self, batch: Vec<Self::Entry>) -> Vec<Self::Entry>;

    /// Does what entries need that wait on, if any, and returns true if they need no pause.
    async fn help(&mut self, _: &[Expiring<Self::Entry>]) -> bool {
        false
    }
}

/// Sender to a waiting room.
pub(super) struct WaitingRoom<R: Retrier> {
    queue: mpsc::Sender<Vec<Expiring<R::Entry>>>,
    occupancy: Arc<Mutex<Occupancy>>,
}

impl<R: Retrier> WaitingRoom<R> {
    /// Creates an empty room, and its task under a name. The task ends when the room is dropped and
    /// empty.
    pub(super) fn new(name: &'static str, retrier: R) -> (Self, Task) {
        let (queue, arriving) = mpsc::channel(R::CAPACITY);
        let occupancy = Arc::<Mutex<Occupancy>>::default();
        let retries = Retries { retrier, occupancy: Arc::clone(&occupancy), waiting: Vec::new() };
        (Self { queue, occupancy }, Task::new(name, retries.run(arriving)))
    }

    /// Separates entries of organizations that already have some in the room from all others.
    pub(super) fn divert(&self, entries: Vec<R::Entry>) -> (Vec<R::Entry>, Vec<R::Entry>) {
        let occupancy = lock(&self.occupancy);
        if occupancy.entries.is_empty() {
            return (Vec::new(), entries);
        }
        let is_waiting = |it: &R::Entry| occupancy.entries.contains_key(&R::organization(it));
        entries.into_iter().partition(is_waiting)
    }

    /// Adds a group of entries, or returns it if there is no room.
    pub(super) fn try_add(&self, group: Vec<R::Entry>) -> Vec<R::Entry> {
        if group.is_empty() {
            return group;
        }
        let sizes = sizes::<R>(&group);
        let added: usize = sizes.iter().map(|(_, weight)| weight).sum();
        // Locked until the group counts, or the task could take it and discount it before.
        let mut occupancy = lock(&self.occupancy);
        if occupancy.weight.saturating_add(added) > R::MAX_WEIGHT {
            return group;
        }
        match self.queue.try_send(expiring::<R>(group)) {
            Ok(()) => {
                occupancy.add(&sizes);
                Vec::new()
            }
            Err(TrySendError::Full(group) | TrySendError::Closed(group)) => entries(group),
        }
    }

    /// Adds an entry, after waiting for room.
    pub(super) async fn add(&self, entry: R::Entry) {
        let group = vec![entry];
        lock(&self.occupancy).add(&sizes::<R>(&group));
        // Fails only when the task has ended; then the caller gets the error of the lost reply.
        let _ = self.queue.send(expiring::<R>(group)).await;
    }
}

/// Task of a waiting room.
struct Retries<R: Retrier> {
    retrier: R,
    occupancy: Arc<Mutex<Occupancy>>,
    waiting: Vec<Expiring<R::Entry>>,
}

impl<R: Retrier> Retries<R> {
    async fn run(mut self, mut arriving: mpsc::Receiver<Vec<Expiring<R::Entry>>>) {
        loop {
            if self.waiting.is_empty() {
                let Some(group) = arriving.recv().await else { return };
                self.waiting.extend(group);
            }
            while self.waiting.len() < R::MANY
                && let Ok(group) = arriving.try_recv()
            {
                self.waiting.extend(group);
            }
            let ready = self.retrier.look(&mut self.waiting).await;
            self.give_up().await;
            let is_any_done = self.retry(ready).await;
            let is_helped = self.retrier.help(&self.waiting).await;
            if !self.waiting.is_empty() && !is_any_done && !is_helped {
                sleep(R::PAUSE).await;
            }
        }
    }

    async fn give_up(&mut self) {
        let now = Instant::now();
        let (late, waiting): (Vec<_>, Vec<_>) =
            self.waiting.drain(..).partition(|it| it.is_over(now));
        self.waiting = waiting;
        if late.is_empty() {
            return;
        }
        let late = entries(late);
        lock(&self.occupancy).replace(&sizes::<R>(&late), &[]);
        self.retrier.give_up(late).await;
    }

    /// Tries entries once, and returns true if any of them need not wait on. Those that do are the
    /// first of the next time.
    async fn retry(&mut self, ready: Vec<Expiring<R::Entry>>) -> bool {
        if ready.is_empty() {
            return false;
        }
        // The first deadline of an organization is that of all its entries, so that later ones delay none.
        let mut untils = HashMap::new();
        for it in &ready {
            let first = untils.entry(R::organization(&it.entry)).or_insert(it.until);
            *first = (*first).min(it.until);
        }
        let mut is_any_done = false;
        let mut left = Vec::new();
        for batch in R::batches(entries(ready)) {
            let before = sizes::<R>(&batch);
            let waiting = self.retrier.retry(batch).await;
            is_any_done |= waiting.len() < before.len();
            lock(&self.occupancy).replace(&before, &sizes::<R>(&waiting));
            left.extend(waiting);
        }
        let left = left.into_iter().map(|entry| {
            let until = untils.get(&R::organization(&entry)).copied().flatten();
            Expiring { entry, until }
        });
        self.waiting.splice(0..0, left);
        is_any_done
    }
}

impl<E> Expiring<E> {
    /// Lets an entry wait from now on for a time, if that is limited.
    pub(super) fn new(entry: E, timeout: Option<Duration>) -> Self {
        Self { entry, until: timeout.map(|timeout| Instant::now() + timeout) }
    }

    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// Returns entries without their deadlines.
pub(super) fn entries<E>(waiting: Vec<Expiring<E>>) -> Vec<E> {
    waiting.into_iter().map(|it| it.entry).collect()
}

fn expiring<R: Retrier>(group: Vec<R::Entry>) -> Vec<Expiring<R::Entry>> {
    group.into_iter().map(|entry| Expiring::new(entry, R::TIMEOUT)).collect()
}

/// Organization of an entry, and its weight.
type Size = (Id<Organization>, usize);

fn sizes<R: Retrier>(entries: &[R::Entry]) -> Vec<Size> {
    entries.iter().map(|entry| (R::organization(entry), R::weight(entry))).collect()
}

/// Number of waiting entries of each organization, and the weight of all.
#[derive(Default)]
struct Occupancy {
    entries: HashMap<Id<Organization>, usize>,
    weight: usize,
}

impl Occupancy {
    fn add(&mut self, sizes: &[Size]) {
        for (organization, weight) in sizes {
            self.weight += weight;
            *self.entries.entry(*organization).or_default() += 1;
        }
    }

    fn replace(&mut self, before: &[Size], after: &[Size]) {
        self.add(after);
        for (organization, weight) in before {
            self.weight = self.weight.saturating_sub(*weight);
            let left = self.entries.get(organization).copied().unwrap_or_default();
            if left > 1 {
                self.entries.insert(*organization, left - 1);
            } else {
                self.entries.remove(organization);
            }
        }
    }
}

fn lock(occupancy: &Mutex<Occupancy>) -> MutexGuard<'_, Occupancy> {
    occupancy.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
