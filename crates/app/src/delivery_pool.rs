//! The workers of this instance: they take what was just accepted over, claim what waits longer,
//! and hand both to providers.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{
    job::Job,
    lane::{Lane, LaneQueue},
};
use ports::{
    health::{Tally, WorkerProbe},
    messages::{Handover, Jobs},
};
use tokio::{sync::Notify, task::JoinSet, time::timeout};
use usecases::deliveries::Deliveries;

/// How many jobs of one lane may wait in memory. What finds no room has to be claimed, which costs
/// more, so a burst should find it.
const LANE_CAPACITY: usize = 16_384;
/// How many due jobs are claimed at a time.
const CLAIM: usize = 512;
/// How few jobs must wait here before more are claimed.
const FEW: usize = 256;
/// How often the store is looked through for due jobs, bell or no bell.
const POLL: Duration = Duration::from_millis(500);
/// How long to wait after the store failed.
const PAUSE: Duration = Duration::from_secs(1);

/// The jobs in the hands of this instance, and who works on them.
pub struct DeliveryPool {
    queue: Mutex<LaneQueue<Job>>,
    work: Notify,
    bell: Notify,
    closing: AtomicBool,
    /// Whether the last claim left due jobs behind.
    is_more: AtomicBool,
    workers: usize,
}

/// The tasks of a running [`DeliveryPool`].
pub struct RunningPool {
    pool: Arc<DeliveryPool>,
    jobs: Arc<dyn Jobs>,
    tasks: JoinSet<()>,
}

impl DeliveryPool {
    /// A pool of `workers`, none of whom works yet.
    pub fn new(workers: usize) -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::new(LaneQueue::new(LANE_CAPACITY)),
            work: Notify::new(),
            bell: Notify::new(),
            closing: AtomicBool::new(false),
            is_more: AtomicBool::new(false),
            workers,
        })
    }

    /// Sets the workers to work on the current runtime.
    pub fn start(self: &Arc<Self>, deliveries: &Deliveries, jobs: Arc<dyn Jobs>) -> RunningPool {
        let mut tasks = JoinSet::new();
        for _ in 0..self.workers {
            tasks.spawn(Arc::clone(self).work(deliveries.clone()));
        }
        if self.workers > 0 {
            tasks.spawn(Arc::clone(self).claim(Arc::clone(&jobs)));
        }
        RunningPool { pool: Arc::clone(self), jobs, tasks }
    }

    async fn work(self: Arc<Self>, deliveries: Deliveries) {
        while !self.is_closing() {
            let group =
                self.queue().pop_group(|job| deliveries.group_limit(job), Deliveries::is_same_call);
            if group.is_empty() {
                // Told between looking and waiting: `Notify` keeps one such word.
                self.work.notified().await;
                continue;
            }
            let left = self.queue().len();
            if left > 0 {
                self.work.notify_one();
            }
            if left < FEW && self.is_more.swap(false, Ordering::AcqRel) {
                self.bell.notify_one();
            }
            for delivered in deliveries.deliver_group(group).await {
                if let Err(error) = delivered {
                    tracing::warn!(%error, "a job waits until its lease ends");
                }
            }
        }
        // The word that ended this worker ends the next one too.
        self.work.notify_one();
    }

    async fn claim(self: Arc<Self>, jobs: Arc<dyn Jobs>) {
        while !self.is_closing() {
            if self.queue().len() < FEW {
                match jobs.claim(CLAIM).await {
                    Ok(claimed) => {
                        self.is_more.store(claimed.len() == CLAIM, Ordering::Release);
                        self.take_claimed(claimed, &*jobs).await;
                    }
                    Err(error) => {
                        tracing::warn!(%error, "due jobs cannot be claimed");
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
            let _ = timeout(POLL, self.bell.notified()).await;
        }
    }

    async fn take_claimed(&self, claimed: Vec<Job>, jobs: &dyn Jobs) {
        let refused = self.offer(claimed);
        if let Err(error) = jobs.release(&refused).await {
            tracing::warn!(%error, "jobs wait until their leases end");
        }
    }

    fn queue(&self) -> MutexGuard<'_, LaneQueue<Job>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }
}

impl RunningPool {
    /// Lets the workers finish what they are at, for `patience` at the most, and gives back what
    /// waits.
    pub async fn stop(mut self, patience: Duration) {
        self.pool.closing.store(true, Ordering::Release);
        self.pool.work.notify_one();
        self.pool.bell.notify_one();
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(patience, all).await.is_err() {
            tracing::warn!("some messages are still with their providers; their leases will end");
            self.tasks.abort_all();
        }
        let waiting: Vec<Job> = {
            let mut queue = self.pool.queue();
            std::iter::from_fn(|| queue.pop()).collect()
        };
        let count = waiting.len();
        match timeout(patience, self.jobs.release(&waiting)).await {
            Ok(Ok(())) => tracing::info!(given_back = count, "the workers have ended"),
            _ => tracing::warn!(count, "jobs were not given back; their leases will end"),
        }
    }
}

impl Handover for DeliveryPool {
    fn room(&self, lane: Lane) -> usize {
        if self.workers == 0 || self.is_closing() { 0 } else { self.queue().room(lane) }
    }

    fn offer(&self, jobs: Vec<Job>) -> Vec<Job> {
        if self.workers == 0 || self.is_closing() {
            return jobs;
        }
        let mut queue = self.queue();
        let refused = jobs
            .into_iter()
            .filter_map(|job| queue.push(job.message.lane, job.message.organization, job).err())
            .collect();
        drop(queue);
        self.work.notify_one();
        refused
    }

    fn ring(&self) {
        self.bell.notify_one();
    }
}

/// The workers of this instance, as [`ports::health`] wants to see them.
pub struct Workers {
    /// How many there are.
    pub count: usize,
    /// What they do.
    pub deliveries: Deliveries,
}

impl WorkerProbe for Workers {
    fn tally(&self) -> Tally {
        Tally {
            workers: self.count as u64,
            completed: self.deliveries.completed(),
            failed: self.deliveries.failed(),
        }
    }
}
