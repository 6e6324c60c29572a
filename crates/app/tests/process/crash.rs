//! Crashes lose no accepted message, and debit none twice.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use testkit::Tenant;

use crate::program::{command, folder, serve_with};

const MESSAGES: usize = 1_000;
const CLIENTS: usize = 16;
/// Numbers of responses after which the process is killed, one per crash.
const KILLED_AFTER: [usize; 2] = [150, 450];
const PRICE: f64 = 0.035;
const CREDIT: f64 = 100.0;

/// Load that sends each message until it is answered, through crashes and restarts.
struct Load {
    tenant: Tenant,
    url: Mutex<String>,
    next: AtomicUsize,
    accepted: Mutex<HashSet<String>>,
}

impl Load {
    async fn run(self: Arc<Self>) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= MESSAGES {
                return;
            }
            // The key makes it harmless to repeat a request whose response was lost.
            let key = format!("message-{number}");
            while !self.try_send(&key).await {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    async fn try_send(&self, key: &str) -> bool {
        let url = self.url.lock().unwrap().clone();
        let Some((status, answer)) = self.tenant.send(&url, key).await else { return false };
        assert!(status == 202 || status == 503, "{status}: {answer}");
        if status == 202 {
            let id = answer["data"]["id"].as_str().unwrap().to_owned();
            self.accepted.lock().unwrap().insert(id);
        }
        status == 202
    }

    fn accepted(&self) -> usize {
        self.accepted.lock().unwrap().len()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killing_the_process_amid_a_thousand_messages_loses_none_and_debits_none_twice() {
    let folder = folder();
    let start = || {
        let mut command = command(folder.path());
        serve_with(command.env("ATUMPAN_TRIAL_CREDIT_GHS", "100"))
    };
    let mut program = start();
    let tenant = program.tenant().await;
    let load = Arc::new(Load {
        tenant: tenant.clone(),
        url: Mutex::new(program.url.clone()),
        next: AtomicUsize::new(0),
        accepted: Mutex::default(),
    });
    let clients: Vec<_> = (0..CLIENTS).map(|_| tokio::spawn(Arc::clone(&load).run())).collect();

    for after in KILLED_AFTER {
        while load.accepted() < after {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        program.crash();
        program = start();
        load.url.lock().unwrap().clone_from(&program.url);
    }
    for client in clients {
        client.await.unwrap();
    }

    assert_eq!(load.accepted(), MESSAGES);
    let began = Instant::now();
    while tenant.count(&program, "DELIVERED").await < MESSAGES as u64 {
        assert!(began.elapsed() < Duration::from_secs(60), "some message has no end");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    for status in ["QUEUED", "PENDING", "SENT", "FAILED"] {
        assert_eq!(tenant.count(&program, status).await, 0, "{status}");
    }
    #[expect(clippy::cast_precision_loss, reason = "a thousand is exact")]
    let spent = MESSAGES as f64 * PRICE;
    assert!((tenant.balance(&program).await - (CREDIT - spent)).abs() < 1e-6);
}
