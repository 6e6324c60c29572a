//! Clients that send to three instances until each message is accepted.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Tenant, is_long, text_message};
use tokio::time::sleep;

/// Interval of requests that wait for their outcome, and of those with many messages.
const SYNCHRONOUS: usize = 5;
const BULK: usize = 7;
const BULK_MESSAGES: usize = 20;

/// Milliseconds of a client's pause between two requests, in short and whole.
const PAUSES: [u64; 2] = [75, 0];

/// Messages that clients send, and those that were accepted.
pub(super) struct Load {
    tenant: Tenant,
    /// Addresses of the instances. A killed instance is called nevertheless.
    pub(super) urls: Mutex<Vec<String>>,
    next: AtomicUsize,
    is_over: AtomicBool,
    accepted: Mutex<HashSet<String>>,
}

impl Load {
    pub(super) fn new(tenant: &Tenant, urls: Vec<String>) -> Arc<Self> {
        Arc::new(Self {
            tenant: tenant.clone(),
            urls: Mutex::new(urls),
            next: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            accepted: Mutex::default(),
        })
    }

    /// Lets each client finish its current request and end.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Returns the identifiers in all responses.
    pub(super) fn accepted(&self) -> HashSet<String> {
        self.accepted.lock().unwrap().clone()
    }

    /// Runs one client.
    pub(super) async fn run(self: Arc<Self>) {
        let pause = Duration::from_millis(PAUSES[usize::from(is_long())]);
        while !self.is_over.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let (path, body) = request(number);
            let mut turn = number;
            while !self.try_send(turn, path, &body).await {
                // Another instance may have accepted it: the key reveals that.
                turn += 1;
                sleep(Duration::from_millis(50)).await;
            }
            sleep(pause).await;
        }
    }

    async fn try_send(&self, turn: usize, path: &str, body: &Value) -> bool {
        let url = {
            let urls = self.urls.lock().unwrap();
            urls[turn % urls.len()].clone()
        };
        let answer = self.tenant.at(&url).try_call(Method::POST, path, Some(body)).await;
        let Ok(answer) = answer else { return false };
        match answer.status {
            200..=202 => {
                let data = &answer.body["data"];
                let logs = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
                let ids = logs.iter().map(|log| log["id"].as_str().unwrap().to_owned());
                self.accepted.lock().unwrap().extend(ids);
                true
            }
            // No instance can take it now, or the first request with that key is still being worked
            // on.
            503 | 409 => false,
            status => panic!("{status}: {}", answer.text),
        }
    }
}

fn request(number: usize) -> (&'static str, Value) {
    let key = format!("request-{number}");
    if number.is_multiple_of(BULK) {
        let mut message = text_message();
        message.as_object_mut().unwrap().remove("async");
        let messages = vec![message; BULK_MESSAGES];
        let body = json!({"messages": messages, "async": true, "idempotencyKey": key});
        return ("/messages/bulk", body);
    }
    let mut message = text_message();
    message["async"] = json!(!number.is_multiple_of(SYNCHRONOUS));
    message["idempotencyKey"] = json!(key);
    ("/messages/send", message)
}
