//! The workers of this instance: they take what was just accepted over, claim what waits longer,
//! and hand both to providers.

mod waiting;

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{
    job::Job,
    lane::{Lane, Line},
    message::Message,
};
use futures_util::FutureExt;
use ports::{
    clock::Clock,
    health::{WorkerProbe, WorkerStats},
    messages::{ClaimLimits, Jobs, LineLimit, LocalQueue},
};
use tokio::{sync::Notify, time::timeout};
use usecases::{
    deliveries::{Deliveries, Patience, Worked},
    providers::Providers,
};

use self::waiting::Waiting;
use crate::supervisor::{Supervisor, TaskEnded};

/// How many jobs of one lane may wait in memory. What finds no room has to be claimed, which costs
/// more, so a burst should find it.
const LANE_CAPACITY: usize = 16_384;
/// How many due jobs are claimed at a time.
const CLAIM: usize = 1_024;
/// How few jobs of a line must wait here before more are claimed.
const FEW: usize = 256;
/// How many jobs are claimed of a line that this instance does not know.
const OTHERS: usize = 64;
/// How often the store is looked through for due jobs, bell or no bell.
const POLL: Duration = Duration::from_millis(500);
/// How long to wait after the store failed.
const PAUSE: Duration = Duration::from_secs(1);
/// How often it is looked whether a provider that could not be called can be now.
const TICK: Duration = Duration::from_millis(20);
/// How often jobs that have waited here for too long are looked for.
const TIDY: Duration = Duration::from_secs(5);
/// How long a worker rests that found nobody to call.
const REST: Duration = Duration::from_millis(5);

/// The jobs in the hands of this instance, and who works on them.
pub struct DeliveryPool {
    waiting: Mutex<Waiting>,
    work: Notify,
    bell: Notify,
    closing: AtomicBool,
    /// Whether there may be more due jobs in the store.
    is_more: AtomicBool,
    /// Whether all that waits here waits for providers.
    is_blocked: AtomicBool,
    providers: Arc<Providers>,
    clock: Arc<dyn Clock>,
    workers: usize,
}

/// The tasks of a running [`DeliveryPool`].
pub struct RunningPool {
    pool: Arc<DeliveryPool>,
    jobs: Arc<dyn Jobs>,
    tasks: Supervisor,
}

impl DeliveryPool {
    /// A pool of `workers`, none of whom works yet.
    pub fn new(workers: usize, providers: Arc<Providers>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self {
            waiting: Mutex::new(Waiting::new(LANE_CAPACITY)),
            work: Notify::new(),
            bell: Notify::new(),
            closing: AtomicBool::new(false),
            is_more: AtomicBool::new(false),
            is_blocked: AtomicBool::new(false),
            providers,
            clock,
            workers,
        })
    }

    /// Sets the workers to work on the current runtime.
    pub fn start(self: &Arc<Self>, deliveries: &Deliveries, jobs: Arc<dyn Jobs>) -> RunningPool {
        let mut tasks = Supervisor::default();
        for _ in 0..self.workers {
            let work = Arc::clone(self).work(deliveries.clone(), Arc::clone(&jobs));
            tasks.spawn("delivery worker", work);
        }
        if self.workers > 0 {
            tasks.spawn("job claimer", Arc::clone(self).claim(Arc::clone(&jobs)));
            tasks.spawn("return of stale jobs", Arc::clone(self).tidy(Arc::clone(&jobs)));
            tasks.spawn("wake-up of workers", Arc::clone(self).tick());
        }
        RunningPool { pool: Arc::clone(self), jobs, tasks }
    }

    async fn work(self: Arc<Self>, deliveries: Deliveries, jobs: Arc<dyn Jobs>) {
        while !self.is_closing() {
            let group = self.next(&deliveries);
            if group.is_empty() {
                // Told between looking and waiting: `Notify` keeps one such word.
                self.work.notified().await;
                continue;
            }
            let delivering = deliveries.deliver_group(group, Patience::None);
            let Ok(delivered) = AssertUnwindSafe(delivering).catch_unwind().await else {
                tracing::error!("delivering a group of jobs panicked; their leases will end");
                continue;
            };
            let mut waiting = Vec::new();
            for worked in delivered {
                match worked {
                    Ok(Worked::Done(_)) => {}
                    Ok(Worked::Waiting(job)) => waiting.push(job),
                    Err(error) => tracing::warn!(%error, "a job waits until its lease ends"),
                }
            }
            if !waiting.is_empty() {
                self.offer_or_release(waiting, &*jobs).await;
                tokio::time::sleep(REST).await;
            }
        }
        // The word that ended this worker ends the next one too.
        self.work.notify_one();
    }

    /// Takes the jobs whose turn it is, of which a provider can be called now.
    fn next(&self, deliveries: &Deliveries) -> Vec<Job> {
        let now = self.clock.now();
        let mut waiting = self.waiting();
        let group = waiting.take(
            |line| self.providers.line_capacity(line, now).wait.is_zero(),
            |job| deliveries.group_limit(job),
        );
        let is_empty = waiting.is_empty();
        let Some(first) = group.first() else {
            self.is_blocked.store(!is_empty, Ordering::Release);
            return group;
        };
        let is_low = waiting.count(first.message.lane, first.line) < FEW;
        drop(waiting);
        if !is_empty {
            self.work.notify_one();
        }
        if is_low && self.is_more.swap(false, Ordering::AcqRel) {
            self.bell.notify_one();
        }
        group
    }

    async fn claim(self: Arc<Self>, jobs: Arc<dyn Jobs>) {
        while !self.is_closing() {
            match jobs.claim(&self.wanted()).await {
                Ok(claimed) => {
                    self.is_more.store(!claimed.is_empty(), Ordering::Release);
                    self.offer_or_release(claimed, &*jobs).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "failed to claim due jobs");
                    tokio::time::sleep(PAUSE).await;
                }
            }
            let _ = timeout(POLL, self.bell.notified()).await;
        }
    }

    /// As many jobs of each line as can be worked on soon.
    fn wanted(&self) -> ClaimLimits {
        let now = self.clock.now();
        let waiting = self.waiting();
        let mut lines = Vec::new();
        for line in self.providers.lines().chain([Line::FREE]) {
            let capacity = self.providers.line_capacity(line, now).capacity.min(CLAIM);
            for lane in Lane::ALL {
                let jobs = capacity.min(waiting.room(lane) + waiting.count(lane, line));
                let jobs = jobs.saturating_sub(waiting.count(lane, line));
                lines.push(LineLimit { lane, line, jobs });
            }
        }
        ClaimLimits { limit: CLAIM, lines, unknown_lines: OTHERS }
    }

    /// Gives back what has waited here for so long that its lease would end, and sees to it that
    /// what has expired is given up.
    async fn tidy(self: Arc<Self>, jobs: Arc<dyn Jobs>) {
        while !self.is_closing() {
            let stale = self.waiting().take_stale(self.clock.now());
            let now = self.clock.now();
            let is_over = |job: &Job| self.providers.line_now(job, now) == Line::FREE;
            let (expired, stale): (Vec<_>, Vec<_>) = stale.into_iter().partition(is_over);
            self.offer_or_release(expired, &*jobs).await;
            self.release(&stale, &*jobs).await;
            tokio::time::sleep(TIDY).await;
        }
    }

    /// Wakes a worker now and then as long as all that waits waits for providers.
    async fn tick(self: Arc<Self>) {
        while !self.is_closing() {
            tokio::time::sleep(TICK).await;
            if self.is_blocked.swap(false, Ordering::AcqRel) {
                self.work.notify_one();
            }
        }
    }

    async fn offer_or_release(&self, jobs: Vec<Job>, store: &dyn Jobs) {
        let refused = self.offer(jobs);
        self.release(&refused, store).await;
    }

    async fn release(&self, jobs: &[Job], store: &dyn Jobs) {
        for some in jobs.chunks(CLAIM) {
            if let Err(error) = store.release(some).await {
                tracing::warn!(%error, jobs = some.len(), "jobs wait until their leases end");
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }
}

impl RunningPool {
    /// Waits for the first task to end, which none does before the pool is stopped.
    pub async fn ended(&mut self) -> TaskEnded {
        self.tasks.ended().await
    }

    /// Lets the workers finish what they are at, for `patience` at the most, and gives back what
    /// waits. False if something is still under way: its leases must be taken for those of a process
    /// that died.
    pub async fn stop(mut self, patience: Duration) -> bool {
        self.pool.closing.store(true, Ordering::Release);
        self.pool.work.notify_one();
        self.pool.bell.notify_one();
        let waiting = self.pool.waiting().take_all();
        let count = waiting.len();
        let given_back = timeout(patience, self.pool.release(&waiting, &*self.jobs)).await.is_ok();
        let have_ended = timeout(patience, self.tasks.all_ended()).await.is_ok();
        if !have_ended {
            tracing::warn!("some messages are still with their providers; their leases will end");
            self.tasks.stop().await;
        }
        let late = self.pool.waiting().take_all();
        self.pool.release(&late, &*self.jobs).await;
        tracing::info!(given_back = count + late.len(), "the workers have ended");
        have_ended && given_back
    }
}

impl LocalQueue for DeliveryPool {
    fn line(&self, message: &Message) -> Line {
        if message.refusal().is_some() { Line::FREE } else { self.providers.line(message) }
    }

    fn room(&self, lane: Lane, line: Line) -> usize {
        if self.workers == 0 || self.is_closing() {
            return 0;
        }
        let capacity = self.providers.line_capacity(line, self.clock.now()).capacity;
        let waiting = self.waiting();
        waiting.room(lane).min(capacity.saturating_sub(waiting.count(lane, line)))
    }

    fn offer(&self, jobs: Vec<Job>) -> Vec<Job> {
        if self.workers == 0 || self.is_closing() {
            return jobs;
        }
        let now = self.clock.now();
        let mut refused = Vec::new();
        let mut waiting = self.waiting();
        for mut job in jobs {
            job.line = LocalQueue::line(self, &job.message);
            let line = self.providers.line_now(&job, now);
            if self.providers.line_capacity(line, now).capacity == 0 {
                refused.push(job);
            } else {
                refused.extend(waiting.push(line, job));
            }
        }
        drop(waiting);
        self.work.notify_one();
        refused
    }

    fn wake(&self) {
        self.is_more.store(true, Ordering::Release);
        let is_low = self.waiting().is_low(FEW);
        if is_low && self.is_more.swap(false, Ordering::AcqRel) {
            self.bell.notify_one();
        }
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
    fn stats(&self) -> WorkerStats {
        WorkerStats {
            workers: self.count as u64,
            completed: self.deliveries.completed(),
            failed: self.deliveries.failed(),
        }
    }
}
