//! Load generator. In a closed loop each connection sends the next request after an answer; in an
//! open loop requests are due at a steady pace, however slow the answers are. Latencies of an open
//! loop count from the time at which a request was due, so that a stall counts for all requests
//! that had to wait (no coordinated omission); they are exact to a millisecond.

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

/// Largest measured latency, in microseconds.
const LONGEST: u64 = 60_000_000;

/// Load on the service.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) address: SocketAddr,
    /// Requests that are sent in turn.
    pub(crate) requests: Vec<Request>,
    pub(crate) connections: usize,
    pub(crate) pace: Pace,
    pub(crate) duration: Duration,
}

/// Time at which the next request is sent.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// After the last answer.
    Closed,
    /// At this rate per second.
    Open(f64),
    /// After the last answer, and each request once.
    Once,
}

/// Result of a load.
pub(crate) struct Measured {
    pub(crate) answered: u64,
    /// Answers other than 200 to 299, and connections that broke.
    pub(crate) failed: u64,
    /// Failed answers that say that the service is overloaded, and when to ask again.
    pub(crate) put_off: u64,
    pub(crate) elapsed: Duration,
    /// Latencies, in microseconds.
    latency: Histogram<u64>,
}

impl Measured {
    /// Returns the measurement; fails if a request was refused, because refusals are quick.
    pub(crate) fn without_failures(&self) -> Result<&Self, Error> {
        match self.failed {
            0 => Ok(self),
            failed => Err(Error::other(format!("{failed} requests failed"))),
        }
    }
}

impl Load {
    /// Runs the load on a thread of its own.
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

/// State that the connections of a load share.
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
    /// Returns the answers per second.
    pub(crate) fn rate(&self) -> f64 {
        crate::report::number(self.answered) / self.elapsed.as_secs_f64()
    }

    /// Returns the latency of the quantile, in milliseconds.
    pub(crate) fn latency(&self, quantile: f64) -> f64 {
        crate::report::number(self.latency.value_at_quantile(quantile)) / 1_000.0
    }
}
