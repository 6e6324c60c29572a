//! Calls of webhook endpoints by this instance: one task reads due deliveries, has them called and
//! writes the results, and none of these waits for another.

mod store_work;
mod waker;

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::webhooks::webhook::{CallFailure, CallOutcome, WebhookCallResult};
use futures_util::FutureExt;
use ports::{
    shared::{
        clock::Clock,
        random::Random,
        signals::{DueWork, WakeSignal},
        traces::Tracer,
    },
    webhooks::{calls::WebhookCaller, webhook_queue::WebhookQueue},
};
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{Instant, sleep_until, timeout, timeout_at},
};
use usecases::webhooks::endpoint_queues::{CallTicket, EndpointQueues};

pub use self::waker::WebhookWaker;
use self::{
    store_work::{Done, StoreWork},
    waker::Woken,
};

/// Time for which results, and due deliveries, gather before they are written, and read, together.
const GATHERING: Duration = Duration::from_millis(20);
/// Shortest interval between searches of all leased endpoints for those that are to be read.
const SEARCHING: Duration = Duration::from_millis(5);
/// Most results in one write, and number of results that need not gather any longer.
const WRITTEN_AT_ONCE: usize = 1_000;
const ENOUGH: usize = 250;
/// Interval between looks at endpoints that back off or are idle.
const TIDYING: Duration = Duration::from_millis(250);
/// Pause after the store failed.
const STORE_PAUSE: Duration = Duration::from_secs(1);
/// Time for calls in flight when this instance stops. Another instance repeats a call that is cut
/// short, under the same identifier.
const LAST_CALLS: Duration = Duration::from_secs(3);
const LAST_WRITES: Duration = Duration::from_secs(5);

/// Dependencies of a [`WebhookPool`].
pub struct WebhookDeps {
    /// Queue that leases endpoints and returns their due deliveries.
    pub queue: Arc<dyn WebhookQueue>,
    /// Caller of the endpoints.
    pub caller: Arc<dyn WebhookCaller>,
    /// Waker for pending events.
    pub waker: Arc<WebhookWaker>,
    /// Signal that wakes the instance that has leased the endpoints.
    pub wake_signal: Arc<dyn WakeSignal>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of the jitter of retries.
    pub random: Arc<dyn Random>,
    /// Tracer of the calls.
    pub tracer: Tracer,
}

/// Pool that calls the endpoints.
pub struct WebhookPool {
    deps: WebhookDeps,
    queues: EndpointQueues,
    calls: JoinSet<(CallTicket, WebhookCallResult)>,
    store: StoreWork,
    read_at: Instant,
    searched_at: Instant,
    /// True if something happened to an endpoint since the last search.
    has_news: bool,
    written_at: Instant,
    tidied_at: Instant,
    closing: Arc<Closing>,
}

/// Handle that ends a pool and waits for its end.
#[derive(Debug, Default)]
pub struct Closing {
    begins: Notify,
    ended: Notify,
}

impl Closing {
    /// Ends the calls. Calls in flight have a few seconds.
    pub async fn close(&self) {
        self.begins.notify_one();
        let limit = LAST_CALLS + 2 * LAST_WRITES;
        if timeout(limit, self.ended.notified()).await.is_err() {
            tracing::warn!("calls of webhook endpoints did not end; their leases will");
        }
    }
}

impl WebhookPool {
    /// Creates a pool that begins when it is run.
    pub fn new(deps: WebhookDeps) -> Self {
        let now = Instant::now();
        Self {
            store: StoreWork::new(Arc::clone(&deps.queue)),
            deps,
            queues: EndpointQueues::default(),
            calls: JoinSet::new(),
            read_at: now,
            searched_at: now,
            has_news: true,
            written_at: now,
            tidied_at: now,
            closing: Arc::default(),
        }
    }

    /// Returns the handle that closes the pool.
    pub fn closing(&self) -> Arc<Closing> {
        Arc::clone(&self.closing)
    }

    /// Calls endpoints until the pool is closed.
    pub async fn run(mut self) {
        let closing = Arc::clone(&self.closing);
        loop {
            self.start_calls();
            self.start_store_work();
            let next = self.next_look();
            tokio::select! {
                () = closing.begins.notified() => break,
                Some(called) = self.calls.join_next() => self.finish(called.ok()),
                done = self.store.done() => self.take(done),
                () = self.deps.waker.woken() => self.wake_queues(),
                () = sleep_until(next) => {}
            }
            while let Some(called) = self.calls.try_join_next() {
                self.finish(called.ok());
            }
        }
        self.end().await;
        closing.ended.notify_one();
    }

    fn start_calls(&mut self) {
        let now = self.deps.clock.now();
        while let Some(ticket) = self.queues.next_call(now) {
            let caller = Arc::clone(&self.deps.caller);
            self.calls.spawn(async move {
                let called = AssertUnwindSafe(caller.call(&ticket.call)).catch_unwind().await;
                let result = called.unwrap_or_else(|_| {
                    tracing::error!("calling a webhook endpoint panicked");
                    let outcome = CallOutcome::Failed(CallFailure::Broken);
                    WebhookCallResult { outcome, took: TimeDelta::zero() }
                });
                (ticket, result)
            });
        }
    }

    fn finish(&mut self, called: Option<(CallTicket, WebhookCallResult)>) {
        // Only a task that was cancelled returns nothing.
        let Some((ticket, result)) = called else { return };
        let (now, jitter) = (self.deps.clock.now(), self.deps.random.fraction());
        self.deps.tracer.export(ticket.call.span(result, now));
        self.queues.finish(&ticket, result, now, jitter);
        self.has_news = true;
    }

    fn start_store_work(&mut self) {
        let now = Instant::now();
        if !self.store.is_reading() && now >= self.read_at.max(self.searched_at) {
            self.searched_at = now + SEARCHING;
            self.has_news = false;
            let requests = self.queues.requests(self.deps.clock.now());
            if !requests.is_empty() {
                self.read_at = now + GATHERING;
                self.store.read(requests);
            }
        }
        let is_enough = self.queues.unwritten() >= ENOUGH || now >= self.written_at;
        if !self.store.is_writing() && is_enough && self.queues.unwritten() > 0 {
            self.written_at = now + GATHERING;
            let (attempts, changes) = self.queues.to_write(WRITTEN_AT_ONCE);
            self.store.write(attempts, changes);
        }
        if now >= self.tidied_at {
            self.tidied_at = now + TIDYING;
            let idle = self.queues.tidy(self.deps.clock.now());
            self.store.give_back(idle);
        }
        self.store.keep_leases(now);
    }

    /// Returns the time of the next work, if nothing happens before.
    fn next_look(&self) -> Instant {
        let write_at = Some(self.written_at)
            .filter(|_| self.queues.unwritten() > 0 && !self.store.is_writing());
        // Deliveries requested during a read are read afterwards.
        let read_at = Some(self.read_at.max(self.searched_at))
            .filter(|_| self.has_news && !self.store.is_reading());
        let soonest = [write_at, read_at, self.store.next_look()].into_iter().flatten().min();
        soonest.map_or(self.tidied_at, |at| at.min(self.tidied_at))
    }

    fn wake_queues(&mut self) {
        let Woken { fresh, organizations, held, .. } = self.deps.waker.take();
        let now = self.deps.clock.now();
        self.has_news = true;
        for fresh in fresh {
            let organization = fresh.key.organization;
            if !self.queues.hand_over(fresh, now) {
                self.store.lease(organization);
            }
        }
        for organization in organizations {
            if !self.queues.wake(organization) {
                self.store.lease(organization);
            }
        }
        for organization in held {
            self.queues.wake(organization);
        }
    }

    fn take(&mut self, done: Done) {
        let now = self.deps.clock.now();
        self.has_news = true;
        match done {
            Done::Read(requests, Ok(read)) => self.queues.take(&requests, read, now),
            Done::Read(requests, Err(error)) => {
                tracing::warn!(%error, "failed to read what is due to webhook endpoints");
                self.queues.not_read(&requests);
                self.read_at = Instant::now() + STORE_PAUSE;
            }
            Done::Written(attempts, _, Ok(())) => self.queues.written(&attempts, now),
            Done::Written(attempts, changes, Err(error)) => {
                let count = attempts.len();
                tracing::warn!(%error, attempts = count, "failed to write webhook attempts down");
                self.queues.not_written(attempts, changes);
                self.written_at = Instant::now() + STORE_PAUSE;
            }
            Done::Looked(Ok(look)) => self.queues.lease(&look.leased, now),
            Done::Leased(wanted, Ok(leased)) => {
                self.queues.lease(&leased, now);
                for organization in wanted {
                    let is_leased = leased.iter().any(|key| key.organization == organization);
                    if !is_leased && !self.queues.wake(organization) {
                        // Another instance has leased them, if there are any.
                        self.deps.wake_signal.signal(DueWork::WebhookEvents(organization));
                    }
                }
            }
            Done::GivenBack(_, Ok(())) | Done::Renewed(Ok(())) => {}
            Done::GivenBack(idle, Err(error)) => {
                tracing::warn!(%error, "failed to give webhook endpoints back");
                // They are still leased, so they are taken up again.
                self.queues.lease(&idle, now);
            }
            Done::Looked(Err(error)) | Done::Leased(_, Err(error)) => {
                tracing::warn!(%error, "failed to lease webhook endpoints");
            }
            Done::Renewed(Err(error)) => {
                tracing::warn!(%error, "failed to renew the leases of webhook endpoints");
            }
        }
    }

    /// Waits briefly for calls in flight, writes their results, and gives the endpoints back.
    async fn end(mut self) {
        let end = Instant::now() + LAST_CALLS;
        while let Ok(Some(called)) = timeout_at(end, self.calls.join_next()).await {
            self.finish(called.ok());
        }
        self.calls.abort_all();
        let end = Instant::now() + LAST_WRITES;
        // A write in flight may fail, and its results come back then.
        while let Ok(Some(done)) = timeout_at(end, self.store.last_done()).await {
            self.take(done);
        }
        let (attempts, changes) = self.queues.to_write(usize::MAX);
        if let Err(error) = self.deps.queue.record(&attempts, &changes).await {
            let attempts = attempts.len();
            tracing::warn!(%error, attempts, "failed to write webhook attempts down; they are made again");
        }
        if let Err(error) = self.deps.queue.give_all_back().await {
            tracing::warn!(%error, "failed to give webhook endpoints back; their leases will end");
        }
    }
}
