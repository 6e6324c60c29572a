//! Signed reports of a provider, which repeats each until the service has it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;
use tokio::{
    sync::{Semaphore, mpsc, mpsc::UnboundedSender},
    task::{JoinHandle, JoinSet},
};

use super::taken::Taken;

const KEY: &[u8] = b"0123456789abcdef01234567";
/// Time in which a network delivers.
const DELAY: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(200);
const CALLS_AT_A_TIME: usize = 32;

/// Reports to be made on a message, in this order.
pub(super) struct Told {
    pub(super) id: String,
    pub(super) statuses: &'static [&'static str],
}

/// Reporter that works until it is dropped.
pub(super) struct Reporter {
    queue: UnboundedSender<Told>,
    urls: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

/// Common state of the calls.
struct Caller {
    http: reqwest::Client,
    urls: Arc<Mutex<Vec<String>>>,
    taken: Arc<Taken>,
    calls: Semaphore,
}

impl Reporter {
    pub(super) fn start(http: reqwest::Client, taken: Arc<Taken>) -> Self {
        let (queue, mut reports) = mpsc::unbounded_channel();
        let urls = Arc::<Mutex<Vec<String>>>::default();
        let calls = Semaphore::new(CALLS_AT_A_TIME);
        let caller = Arc::new(Caller { http, urls: Arc::clone(&urls), taken, calls });
        let task = tokio::spawn(async move {
            let mut open = JoinSet::new();
            while let Some(report) = reports.recv().await {
                open.spawn(Arc::clone(&caller).report(report));
                while open.try_join_next().is_some() {}
            }
        });
        Self { queue, urls, task }
    }

    pub(super) fn queue(&self) -> UnboundedSender<Told> {
        self.queue.clone()
    }

    pub(super) fn report_to(&self, urls: Vec<String>) {
        *self.urls.lock().unwrap_or_else(PoisonError::into_inner) = urls;
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Caller {
    async fn report(self: Arc<Self>, told: Told) {
        for (number, status) in told.statuses.iter().enumerate() {
            tokio::time::sleep(DELAY).await;
            let mut attempt = 0;
            while !self.try_report(&told.id, number, status, attempt).await {
                attempt += 1;
                tokio::time::sleep(PAUSE).await;
            }
            self.taken.acknowledge(&told.id, number);
        }
    }

    async fn try_report(&self, message: &str, number: usize, status: &str, attempt: usize) -> bool {
        let url = {
            let urls = self.urls.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(url) = urls.get(attempt % urls.len().max(1)) else { return false };
            url.clone()
        };
        // The semaphore is never closed.
        let _call = self.calls.acquire().await;
        let body = json!({"message": message, "status": status}).to_string();
        let id = format!("{message}-{number}");
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(KEY) else { return false };
        let digest = mac.chain_update(format!("{id}.{at}.{body}")).finalize().into_bytes();
        let request = self.http.post(url).header("webhook-id", id).header("webhook-timestamp", at);
        let signature = format!("v1,{}", BASE64_STANDARD.encode(digest));
        let answer = request.header("webhook-signature", signature).body(body).send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }
}

/// Returns the secret that signs reports.
pub(super) fn secret() -> String {
    format!("whsec_{}", BASE64_STANDARD.encode(KEY))
}
