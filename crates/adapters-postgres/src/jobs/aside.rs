//! Steps of organizations of which something is locked by somebody else. They wait by themselves, so
//! that all others go on, and their leases are kept meanwhile: whoever took a message over would send
//! it again.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{id::Id, job::Step, organization::Organization};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};

use super::{Entries, Waiting, Writer, one_step_each, update};
use crate::task::Task;

/// How many steps may be on their way aside before all writing waits.
const MANY: usize = 4_096;
/// How often it is tried to write them.
const PAUSE: Duration = Duration::from_millis(100);
/// How often their leases are renewed.
const RENEWAL: Duration = Duration::from_secs(30);

/// The way aside.
pub(super) struct Aside {
    queue: mpsc::Sender<Waiting>,
    organizations: Organizations,
}

/// Of whom steps wait.
type Organizations = Arc<Mutex<HashSet<Id<Organization>>>>;

impl Aside {
    /// The way aside, and who writes what waits there. The task ends when this is dropped and nothing
    /// waits any more.
    pub(super) fn new(writer: Writer) -> (Self, Task) {
        let (queue, arriving) = mpsc::channel(MANY);
        let organizations = Organizations::default();
        let keeper = Keeper {
            writer,
            organizations: Arc::clone(&organizations),
            late: BTreeMap::new(),
            renewed: Instant::now(),
        };
        let task = Task::new("writer of locked steps", keeper.run(arriving));
        (Self { queue, organizations }, task)
    }

    /// Sends steps of organizations aside of which others wait there, and returns the rest.
    pub(super) async fn divert(&self, entries: Entries) -> Entries {
        let waiting = locked(&self.organizations).clone();
        if waiting.is_empty() {
            return entries;
        }
        let is_waiting = |it: &Waiting| waiting.contains(&it.item.message.organization);
        let (late, rest): (Entries, Entries) = entries.into_iter().partition(is_waiting);
        self.send(late).await;
        rest
    }

    /// Sends steps aside.
    pub(super) async fn send(&self, entries: Entries) {
        for entry in entries {
            locked(&self.organizations).insert(entry.item.message.organization);
            // Fails only when the keeper has ended; then the caller is told by the lost reply.
            let _ = self.queue.send(entry).await;
        }
    }
}

fn locked(organizations: &Organizations) -> MutexGuard<'_, HashSet<Id<Organization>>> {
    organizations.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes what waits aside, organization by organization.
struct Keeper {
    writer: Writer,
    organizations: Organizations,
    late: BTreeMap<Id<Organization>, Entries>,
    renewed: Instant,
}

impl Keeper {
    async fn run(mut self, mut arriving: mpsc::Receiver<Waiting>) {
        loop {
            if self.late.is_empty() {
                let Some(entry) = arriving.recv().await else { return };
                self.keep(entry);
                self.renewed = Instant::now();
            }
            while let Ok(entry) = arriving.try_recv() {
                self.keep(entry);
            }
            if !self.write().await {
                sleep(PAUSE).await;
            }
            if self.renewed.elapsed() >= RENEWAL {
                self.renewed = Instant::now();
                self.renew().await;
            }
        }
    }

    fn keep(&mut self, entry: Waiting) {
        self.late.entry(entry.item.message.organization).or_default().push(entry);
    }

    /// Tries the steps of each organization once, and returns whether any were written.
    async fn write(&mut self) -> bool {
        let mut is_any = false;
        for (organization, entries) in std::mem::take(&mut self.late) {
            let (batch, later) = one_step_each(entries);
            let count = batch.len();
            let mut left = self.writer.write(batch).await;
            is_any |= left.len() < count;
            left.extend(later);
            if left.is_empty() {
                locked(&self.organizations).remove(&organization);
            } else {
                self.late.insert(organization, left);
            }
        }
        is_any
    }

    async fn renew(&self) {
        for entries in self.late.values() {
            let steps: Vec<&Step> =
                entries.iter().map(|it| &it.item).filter(|step| step.lease.is_some()).collect();
            let renewed = async {
                let session = self.writer.store.session().await?;
                update::renew(session.pipeline(), &steps).await
            };
            if let Err(error) = renewed.await {
                tracing::warn!(%error, steps = steps.len(), "failed to renew leases");
            }
        }
    }
}
