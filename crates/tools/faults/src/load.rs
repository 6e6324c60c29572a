//! Clients that send messages through all faults, and repeat unanswered requests under the same
//! key.

use std::{
    collections::{BTreeMap, HashSet},
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::{StatusCode, header::RETRY_AFTER};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::{
    failure::Result,
    system::until,
    tenant::{Request, Tenant, request},
};

/// Longest time of an answer. The service answers within six seconds even if its database hangs.
pub(crate) const ANSWER: Duration = Duration::from_secs(20);
/// Pause of a client before it repeats a request.
const AGAIN: Duration = Duration::from_millis(50);
/// Longest time until all clients have their last answers.
const LAST_ANSWERS: Duration = Duration::from_secs(120);

/// Requests of the clients.
#[derive(Clone, Copy)]
pub(crate) struct Demand {
    pub(crate) clients: usize,
    /// Pause of each client after an answer.
    pub(crate) pause: Duration,
    /// True if some of the messages are valid for a few minutes only.
    pub(crate) has_codes: bool,
}

/// Running clients.
pub(crate) struct Load {
    shared: Arc<Shared>,
    clients: JoinSet<()>,
}

/// Results of a load.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers {
    /// Accepted messages, by the provider's names for them.
    pub(crate) accepted: HashSet<String>,
    /// Unexpected answers, with their numbers.
    pub(crate) odd: BTreeMap<String, u64>,
    /// Start of the latest accepted request.
    begun: Option<Instant>,
    /// Time of the last acceptance, and longest time between two.
    last: Option<Instant>,
    longest_gap: Duration,
}

struct Shared {
    http: reqwest::Client,
    tenants: Vec<Tenant>,
    services: Vec<SocketAddr>,
    demand: Demand,
    next: AtomicU64,
    is_ending: AtomicBool,
    answers: Mutex<Answers>,
}

impl Load {
    pub(crate) fn start(
        http: reqwest::Client,
        tenants: Vec<Tenant>,
        services: Vec<SocketAddr>,
        demand: Demand,
    ) -> Self {
        let shared = Arc::new(Shared {
            http,
            tenants,
            services,
            demand,
            next: AtomicU64::new(0),
            is_ending: AtomicBool::new(false),
            answers: Mutex::default(),
        });
        let clients = (0..demand.clients).map(|client| Arc::clone(&shared).work(client)).collect();
        Self { shared, clients }
    }

    /// Waits until a request that began after `since` is accepted, and returns the time that this
    /// took.
    pub(crate) async fn accepted_after(&self, since: Instant, limit: Duration) -> Result<Duration> {
        until("a request is accepted again", limit, async || {
            Ok(self.shared.answers().begun.is_some_and(|begun| begun >= since))
        })
        .await?;
        Ok(since.elapsed())
    }

    /// Measures the longest time between two acceptances, from now on.
    pub(crate) fn watch_gaps(&self) {
        let mut answers = self.shared.answers();
        (answers.last, answers.longest_gap) = (Some(Instant::now()), Duration::ZERO);
    }

    pub(crate) fn longest_gap(&self) -> Duration {
        self.shared.answers().longest_gap
    }

    /// Lets every client finish its requests.
    pub(crate) async fn end(&mut self) -> Result<Answers> {
        self.shared.is_ending.store(true, Ordering::Relaxed);
        let ended = async { while self.clients.join_next().await.is_some() {} };
        tokio::time::timeout(LAST_ANSWERS, ended)
            .await
            .map_err(|_| format!("{} clients wait for an answer", self.clients.len()))?;
        Ok(self.shared.answers().clone())
    }
}

impl Shared {
    async fn work(self: Arc<Self>, client: usize) {
        let mut attempt = client;
        while !self.is_ending.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let request = request(number, self.demand.has_codes);
            // The same organization for the same key.
            let tenant = usize::try_from(number).unwrap_or_default() % self.tenants.len();
            while !self.ask(&request, &self.tenants[tenant], attempt).await {
                attempt += 1;
                tokio::time::sleep(AGAIN).await;
            }
            tokio::time::sleep(self.demand.pause).await;
        }
    }

    /// Sends a request; returns true if the answer need not be asked for again.
    async fn ask(&self, request: &Request, tenant: &Tenant, attempt: usize) -> bool {
        let began = Instant::now();
        let service = self.services[attempt % self.services.len()];
        let call = self.http.post(format!("http://{service}{}", request.path)).json(&request.body);
        let answer = match call.header("X-API-Key", &tenant.key).send().await {
            Ok(answer) => answer,
            Err(error) => {
                if error.is_timeout() {
                    self.note(format!("no answer in {ANSWER:?}"));
                }
                return false;
            }
        };
        let (status, has_retry_after) =
            (answer.status(), answer.headers().contains_key(RETRY_AFTER));
        // The connection may break during an answer.
        let Ok(body) = answer.json::<Value>().await else { return false };
        match status {
            StatusCode::CREATED | StatusCode::ACCEPTED => self.accept(&body["data"], began),
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS if has_retry_after => {
                return false;
            }
            StatusCode::CONFLICT if body["error"]["code"] == "IDEMPOTENCY_IN_PROGRESS" => {
                return false;
            }
            StatusCode::SERVICE_UNAVAILABLE => self.note("503 without Retry-After".to_owned()),
            status => self.note(format!("{status}: {}", body["error"])),
        }
        // A request answered with an error of the service may have been accepted.
        !status.is_server_error()
    }

    fn accept(&self, data: &Value, began: Instant) {
        let mut answers = self.answers();
        let one = std::slice::from_ref(data);
        for message in data.as_array().map_or(one, Vec::as_slice) {
            if let Some(id) = message["internalMessageId"].as_str() {
                answers.accepted.insert(id.to_owned());
            }
        }
        let now = Instant::now();
        answers.begun = answers.begun.max(Some(began));
        if let Some(last) = answers.last.replace(now) {
            answers.longest_gap = answers.longest_gap.max(now - last);
        }
    }

    fn note(&self, answer: String) {
        *self.answers().odd.entry(answer).or_default() += 1;
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
