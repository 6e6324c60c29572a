//! Delivery workers of this instance. They deliver messages accepted here, and jobs claimed from
//! the store.

mod job_queue;
mod local_queue;
mod share;

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, Utc};
use domain::messaging::{
    job::Job,
    priority::{Priority, ProviderQueue},
};
use futures_util::{FutureExt, future::BoxFuture};
use ports::{
    messaging::messages::{ClaimLimits, Jobs, LocalQueue, ProviderQueueLimit},
    platform::health::{WorkerProbe, WorkerStats},
    shared::{clock::Clock, signals::DueWork},
};
use tokio::{sync::Notify, time::timeout};
use usecases::{
    messaging::{
        deliveries::{AdmissionWait, Deliveries, WorkResult},
        holding::Holding,
    },
    providers::provider_registry::Providers,
};

use self::job_queue::JobQueue;
pub use self::share::most_in_flight;
use crate::{
    signals::MessageSignals,
    supervisor::{Supervisor, TaskEnded},
};

/// Most jobs of one priority in memory. The rest must be claimed, which costs more, so there is
/// room for a burst.
const PRIORITY_CAPACITY: usize = 16_384;
/// Most due jobs in one claim.
const CLAIM_LIMIT: usize = 1_024;
/// Number of waiting jobs of a provider queue below which more are claimed.
const LOW_LEVEL: usize = 256;
/// Least number of jobs claimed for a provider queue, even while others wait here: jobs in the
/// store are older.
const SHARE_OF_OLDER: usize = 256;
/// Most jobs claimed for a provider queue that is unknown to this instance.
const UNKNOWN_QUEUE_LIMIT: usize = 64;
/// Interval between claims if nothing wakes the claimer.
const CLAIM_INTERVAL: Duration = Duration::from_millis(500);
/// Interval between claims while more jobs are due than one claim takes.
const NEXT_CLAIM_INTERVAL: Duration = Duration::from_millis(100);
/// Time for which wake-ups from other instances gather before a claim.
const WAKE_PAUSE: Duration = Duration::from_millis(10);
/// Pause after the store failed.
const STORE_PAUSE: Duration = Duration::from_secs(1);
/// Interval between checks whether a blocked provider can be called again.
const BLOCKED_INTERVAL: Duration = Duration::from_millis(20);
/// Interval between looks for jobs that have waited here for too long.
const STALE_INTERVAL: Duration = Duration::from_secs(5);
/// Pause of a worker whose jobs no provider could take.
const WORKER_PAUSE: Duration = Duration::from_millis(5);

/// Jobs leased by this instance, and the workers on them.
pub struct DeliveryPool {
    queue: Mutex<JobQueue>,
    /// Wakes a worker.
    job_ready: Notify,
    /// Wakes the claimer.
    claim_due: Notify,
    is_closing: AtomicBool,
    /// Ends the pauses of all tasks.
    closing: Notify,
    /// True if more due jobs may be in the store.
    may_claim_more: AtomicBool,
    /// True if all jobs here wait for providers.
    is_blocked: AtomicBool,
    providers: Arc<Providers>,
    holding: Option<Holding>,
    signals: Arc<dyn MessageSignals>,
    clock: Arc<dyn Clock>,
    workers: usize,
}

/// Tasks of a running [`DeliveryPool`].
pub struct RunningPool {
    pool: Arc<DeliveryPool>,
    jobs: Arc<dyn Jobs>,
    tasks: Supervisor,
}

impl DeliveryPool {
    /// Creates a pool of `workers` that have not started yet. `holding` is that of their deliveries; `None`
    /// holds no message back.
    pub fn new(
        workers: usize,
        providers: Arc<Providers>,
        holding: Option<Holding>,
        signals: Arc<dyn MessageSignals>,
        clock: Arc<dyn Clock>,
    ) -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::new(JobQueue::new(PRIORITY_CAPACITY)),
            job_ready: Notify::new(),
            claim_due: Notify::new(),
            is_closing: AtomicBool::new(false),
            closing: Notify::new(),
            may_claim_more: AtomicBool::new(false),
            is_blocked: AtomicBool::new(false),
            providers,
            holding,
            signals,
            clock,
            workers,
        })
    }

    /// Starts the workers on the current runtime.
    pub fn start(self: &Arc<Self>, deliveries: &Deliveries, jobs: Arc<dyn Jobs>) -> RunningPool {
        let mut tasks = Supervisor::default();
        for (name, task) in self.tasks(deliveries, &jobs) {
            tasks.spawn(name, task);
        }
        RunningPool { pool: Arc::clone(self), jobs, tasks }
    }

    /// Returns the tasks of the pool with their names.
    pub fn tasks(
        self: &Arc<Self>,
        deliveries: &Deliveries,
        jobs: &Arc<dyn Jobs>,
    ) -> Vec<(&'static str, BoxFuture<'static, ()>)> {
        let mut tasks = Vec::new();
        for _ in 0..self.workers {
            let work = Arc::clone(self).work(deliveries.clone(), Arc::clone(jobs));
            tasks.push(("delivery worker", work.boxed()));
        }
        if self.workers > 0 {
            tasks.push(("job claimer", Arc::clone(self).claim(Arc::clone(jobs)).boxed()));
            let return_stale = Arc::clone(self).return_stale(Arc::clone(jobs));
            tasks.push(("return of stale jobs", return_stale.boxed()));
            tasks.push(("wake-up of workers", Arc::clone(self).wake_blocked().boxed()));
        }
        tasks
    }

    async fn work(self: Arc<Self>, deliveries: Deliveries, jobs: Arc<dyn Jobs>) {
        while !self.is_closing() {
            let group = self.next_group(&deliveries);
            if group.is_empty() {
                // A wake-up in the meantime is not lost: `Notify` keeps one.
                self.job_ready.notified().await;
                continue;
            }
            // Most workers wait at any time, and 5 kB in each of them would stay in memory.
            let delivering = Box::pin(deliveries.deliver_group(group, AdmissionWait::None));
            let Ok(delivered) = AssertUnwindSafe(delivering).catch_unwind().await else {
                tracing::error!("delivering a group of jobs panicked; their leases will end");
                continue;
            };
            let mut waiting = Vec::new();
            for result in delivered {
                match result {
                    Ok(WorkResult::Done(_)) => {}
                    Ok(WorkResult::Waiting(job)) => waiting.push(job),
                    Err(error) => {
                        tracing::warn!(%error, "failed to work on a job; its lease will end");
                    }
                }
            }
            if !waiting.is_empty() {
                self.offer_or_release(waiting, &*jobs).await;
                tokio::time::sleep(WORKER_PAUSE).await;
            }
        }
        // The wake-up that ended this worker ends the next one too.
        self.job_ready.notify_one();
    }

    /// Takes the next jobs that a provider can take now.
    fn next_group(&self, deliveries: &Deliveries) -> Vec<Job> {
        let now = self.clock.now();
        let mut queue = self.queue();
        let group = queue.take(
            |provider_queue| self.providers.queue_capacity(provider_queue, now).wait.is_zero(),
            |job| deliveries.group_limit(job),
        );
        let is_empty = queue.is_empty();
        let Some(first) = group.first() else {
            self.is_blocked.store(!is_empty, Ordering::Release);
            return group;
        };
        let is_low = queue.count(first.message.priority, first.provider_queue) < LOW_LEVEL;
        drop(queue);
        if !is_empty {
            self.job_ready.notify_one();
        }
        if is_low {
            self.claim_more();
        }
        group
    }

    /// Wakes the claimer if there may be more due jobs in the store.
    fn claim_more(&self) {
        if self.may_claim_more.swap(false, Ordering::AcqRel) {
            self.claim_due.notify_one();
        }
    }

    async fn claim(self: Arc<Self>, jobs: Arc<dyn Jobs>) {
        while !self.is_closing() {
            let mut pause = CLAIM_INTERVAL;
            match jobs.claim(&self.claim_limits()).await {
                Ok(claimed) => {
                    self.may_claim_more.store(!claimed.is_empty(), Ordering::Release);
                    if claimed.len() >= SHARE_OF_OLDER {
                        pause = NEXT_CLAIM_INTERVAL;
                    }
                    self.offer_or_release(claimed, &*jobs).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "failed to claim due jobs");
                    self.pause(STORE_PAUSE).await;
                }
            }
            let _ = timeout(pause, self.work_due()).await;
        }
    }

    /// Waits until there may be something to claim.
    async fn work_due(&self) {
        tokio::select! {
            // In a simulation nothing is left to chance.
            biased;
            () = self.claim_due.notified() => {}
            () = self.woken() => {}
        }
    }

    /// Waits until other instances have more jobs than they can take, and this one has few.
    async fn woken(&self) {
        loop {
            self.signals.messages().await;
            tokio::time::sleep(WAKE_PAUSE).await;
            if self.queue().len() < LOW_LEVEL {
                return;
            }
        }
    }

    /// Returns the number of jobs of each provider queue that can be worked on soon.
    fn claim_limits(&self) -> ClaimLimits {
        let now = self.clock.now();
        let queue = self.queue();
        let mut provider_queues = Vec::new();
        for provider_queue in self.providers.provider_queues().chain([ProviderQueue::FREE]) {
            let capacity = self.providers.queue_capacity(provider_queue, now).capacity;
            for priority in Priority::ALL {
                let waiting = queue.count(priority, provider_queue);
                let wanted = CLAIM_LIMIT.saturating_sub(waiting).max(SHARE_OF_OLDER);
                let jobs = wanted.min(capacity.saturating_sub(waiting)).min(queue.room(priority));
                provider_queues.push(ProviderQueueLimit { priority, provider_queue, jobs });
            }
        }
        ClaimLimits { total: CLAIM_LIMIT, provider_queues, unknown_queues: UNKNOWN_QUEUE_LIMIT }
    }

    /// Gives back jobs whose lease would end while they wait, and has expired jobs given up.
    async fn return_stale(self: Arc<Self>, jobs: Arc<dyn Jobs>) {
        while !self.is_closing() {
            let now = self.clock.now();
            let stale = self.queue().take_stale(now);
            let (expired, stale): (Vec<_>, Vec<_>) = stale
                .into_iter()
                .partition(|job| self.provider_queue_now(job, now) == ProviderQueue::FREE);
            self.offer_or_release(expired, &*jobs).await;
            self.release(&stale, &*jobs).await;
            self.pause(STALE_INTERVAL).await;
        }
    }

    /// Wakes a worker from time to time while all jobs here wait for providers.
    async fn wake_blocked(self: Arc<Self>) {
        while !self.is_closing() {
            self.pause(BLOCKED_INTERVAL).await;
            if self.is_blocked.swap(false, Ordering::AcqRel) {
                self.job_ready.notify_one();
            }
        }
    }

    /// Returns the provider queue in which a job waits. A held job needs no provider to be put off,
    /// or to fail.
    fn provider_queue_now(&self, job: &Job, now: DateTime<Utc>) -> ProviderQueue {
        let hold = self.holding.as_ref().and_then(|holding| holding.of(&job.message, now));
        match hold {
            Some(_) => ProviderQueue::FREE,
            None => self.providers.provider_queue_now(job, now),
        }
    }

    async fn offer_or_release(&self, jobs: Vec<Job>, store: &dyn Jobs) {
        let refused = self.offer(jobs);
        self.release(&refused, store).await;
    }

    async fn release(&self, jobs: &[Job], store: &dyn Jobs) {
        for some in jobs.chunks(CLAIM_LIMIT) {
            if let Err(error) = store.release(some).await {
                tracing::warn!(%error, jobs = some.len(), "failed to give jobs back; their leases will end");
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, JobQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `time`, or until the pool closes.
    async fn pause(&self, time: Duration) {
        let closing = self.closing.notified();
        if !self.is_closing() {
            let _ = timeout(time, closing).await;
        }
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Acquire)
    }
}

impl RunningPool {
    /// Waits for the first task to end. No task ends before the pool is stopped.
    pub async fn ended(&mut self) -> TaskEnded {
        self.tasks.ended().await
    }

    /// Lets the workers finish their jobs, for at most `limit`, and gives back waiting jobs.
    /// Returns false if some are still in flight: their leases must be treated as those of a dead
    /// process.
    pub async fn stop(mut self, limit: Duration) -> bool {
        self.pool.is_closing.store(true, Ordering::Release);
        self.pool.closing.notify_waiters();
        self.pool.job_ready.notify_one();
        self.pool.claim_due.notify_one();
        let waiting = self.pool.queue().take_all();
        let count = waiting.len();
        let given_back = timeout(limit, self.pool.release(&waiting, &*self.jobs)).await.is_ok();
        if count > 0 {
            self.pool.signals.signal(DueWork::Messages);
        }
        let have_ended = timeout(limit, self.tasks.all_ended()).await.is_ok();
        if !have_ended {
            tracing::warn!("some messages are still with their providers; their leases will end");
            self.tasks.stop().await;
        }
        let late = self.pool.queue().take_all();
        self.pool.release(&late, &*self.jobs).await;
        tracing::info!(given_back = count + late.len(), "the workers have ended");
        have_ended && given_back
    }
}

/// Probe of the workers of this instance for [`ports::platform::health`].
pub struct Workers {
    /// The workers, with the jobs that wait for them.
    pub pool: Arc<DeliveryPool>,
    /// The use case that the workers run.
    pub deliveries: Deliveries,
}

impl WorkerProbe for Workers {
    fn stats(&self) -> WorkerStats {
        WorkerStats {
            workers: self.pool.workers as u64,
            active: self.pool.queue().len() as u64 + self.deliveries.active(),
            completed: self.deliveries.completed(),
            failed: self.deliveries.failed(),
        }
    }
}

#[cfg(test)]
mod tests;
