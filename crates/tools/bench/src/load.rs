//! The load generator. In a closed loop each connection asks again once it was answered; in an open
//! one requests are due at a steady pace, however slow the answers are. Latencies of the latter
//! count from the moment at which a request was due, so that a stall counts for all who had to wait
//! for it (no coordinated omission); they are exact to a millisecond.

use std::{
    cell::{Cell, RefCell},
    io::Error,
    net::SocketAddr,
    rc::Rc,
    thread,
    time::{Duration, Instant},
};

use hdrhistogram::Histogram;
use tokio::{runtime::Builder, task::LocalSet, time::sleep_until};

use crate::http::{Connection, Request};

/// The longest latency that is told apart, in microseconds.
const LONGEST: u64 = 60_000_000;

/// What to do to the service.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) address: SocketAddr,
    /// Sent in turn.
    pub(crate) requests: Vec<Request>,
    pub(crate) connections: usize,
    pub(crate) pace: Pace,
    pub(crate) duration: Duration,
}

/// When the next request is sent.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// When the last one was answered.
    Closed,
    /// So many times a second.
    Open(f64),
    /// When the last one was answered, and each request once.
    Once,
}

/// What came of it.
pub(crate) struct Measured {
    pub(crate) answered: u64,
    /// Answers other than 200 to 299, and connections that broke.
    pub(crate) failed: u64,
    /// Those of them that say that the service has too much to do, and when to ask again.
    pub(crate) put_off: u64,
    pub(crate) elapsed: Duration,
    /// In microseconds.
    latency: Histogram<u64>,
}

impl Measured {
    /// What was measured, unless something was refused: refusals are quick.
    pub(crate) fn without_failures(&self) -> Result<&Self, Error> {
        match self.failed {
            0 => Ok(self),
            failed => Err(Error::other(format!("{failed} requests failed"))),
        }
    }
}

impl Load {
    /// Runs it, on a thread of its own.
    pub(crate) async fn run(self) -> Result<Measured, Error> {
        let (done, result) = tokio::sync::oneshot::channel();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let _ = done
                .send(runtime.and_then(|it| it.block_on(LocalSet::new().run_until(self.drive()))));
        });
        result.await.unwrap_or_else(|_| Err(Error::other("the load generator ended")))
    }

    async fn drive(self) -> Result<Measured, Error> {
        let mut connections = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            connections.push(Connection::open(self.address).await?);
        }
        let began = Instant::now();
        let shared = Rc::new(Shared {
            began,
            next: Cell::new(0),
            failed: Cell::new(0),
            put_off: Cell::new(0),
            latency: RefCell::new(Histogram::new_with_max(LONGEST, 3).map_err(Error::other)?),
            load: self,
        });
        let tasks: Vec<_> = connections
            .into_iter()
            .map(|connection| tokio::task::spawn_local(Rc::clone(&shared).ask(connection)))
            .collect();
        for task in tasks {
            task.await?;
        }
        let elapsed = began.elapsed();
        let latency = shared.latency.borrow().clone();
        let (failed, put_off) = (shared.failed.get(), shared.put_off.get());
        Ok(Measured { answered: latency.len(), failed, put_off, elapsed, latency })
    }
}

/// What the connections of a load have in common.
struct Shared {
    load: Load,
    began: Instant,
    next: Cell<u32>,
    failed: Cell<u64>,
    put_off: Cell<u64>,
    latency: RefCell<Histogram<u64>>,
}

impl Shared {
    async fn ask(self: Rc<Self>, mut connection: Connection) {
        while self.began.elapsed() < self.load.duration {
            let number = self.next.get();
            self.next.set(number + 1);
            let since = match self.load.pace {
                Pace::Once if number as usize >= self.load.requests.len() => return,
                Pace::Closed | Pace::Once => Instant::now(),
                Pace::Open(per_second) => {
                    let due = self.began + Duration::from_secs_f64(f64::from(number) / per_second);
                    sleep_until(due.into()).await;
                    due
                }
            };
            let request = &self.load.requests[number as usize % self.load.requests.len()];
            match connection.call(request).await {
                Ok(answer) if (200..300).contains(&answer.status) => {
                    let micros = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
                    self.latency.borrow_mut().saturating_record(micros);
                }
                Ok(answer) => {
                    self.failed.set(self.failed.get() + 1);
                    if answer.status == 503 && answer.has_retry_after {
                        self.put_off.set(self.put_off.get() + 1);
                    }
                }
                Err(_) => {
                    self.failed.set(self.failed.get() + 1);
                    return;
                }
            }
        }
    }
}

impl Measured {
    /// Answers per second.
    pub(crate) fn rate(&self) -> f64 {
        crate::report::number(self.answered) / self.elapsed.as_secs_f64()
    }

    /// The latency below which that share of the answers came, in milliseconds.
    pub(crate) fn latency(&self, quantile: f64) -> f64 {
        crate::report::number(self.latency.value_at_quantile(quantile)) / 1_000.0
    }
}
