//! Ledger after a mixed load with a crash in it, as an operator verifies it.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use domain::shared::money::Money;
use serde_json::{Value, json};
use testkit::{Tenant, text_message, until};

use crate::{
    database::Session,
    program::{command, folder, run, serve},
};

const MESSAGES: i64 = 600;
const TOP_UPS: i64 = 40;
const CLIENTS: usize = 8;
/// Number of accepted messages after which the process is killed.
const KILLED_AFTER: i64 = 200;
/// Interval of messages that fail for good.
const FAILING: i64 = 3;

/// Runs `atumpan ledger verify`; returns true if it found nothing wrong, and the line that it
/// printed.
fn verify(folder: &Path) -> (bool, String) {
    let output = run(command(folder).args(["ledger", "verify"]));
    let is_in_order = output.status.success();
    assert!(is_in_order || output.status.code() == Some(1), "{output:?}");
    let said = if is_in_order { output.stdout } else { output.stderr };
    (is_in_order, String::from_utf8(said).unwrap())
}

/// Load that sends each message until it is answered.
struct Load {
    tenants: [Tenant; 2],
    url: Mutex<String>,
    next: AtomicI64,
    accepted: AtomicI64,
}

impl Load {
    async fn run(self: Arc<Self>) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= MESSAGES {
                return;
            }
            let mut message = text_message();
            message["idempotencyKey"] = json!(format!("message-{number}"));
            if number % FAILING == 0 {
                message["to"] = json!("0241230000");
            }
            let tenant = tenant(&self.tenants, number);
            loop {
                let url = self.url.lock().unwrap().clone();
                match tenant.send_message(&url, &message).await {
                    Some((202, _)) => break,
                    Some((503, _)) | None => tokio::time::sleep(Duration::from_millis(50)).await,
                    answer => panic!("{number}: {answer:?}"),
                }
            }
            self.accepted.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Tops wallets up by the simulated gateway. Requests that a crash cut short are repeated.
    async fn top_up(self: Arc<Self>) {
        for number in 0..TOP_UPS {
            let tenant = tenant(&self.tenants, number);
            let body = json!({"amount": 5, "paymentMethod": "card"});
            let begun = self.post(tenant, "/billing/top-up", &body).await;
            let begun: Value = serde_json::from_str(&begun).unwrap();
            let reference = &begun["data"]["reference"];
            let page = format!("/checkout/{}/pay", reference.as_str().unwrap());
            self.post(tenant, &page, &Value::Null).await;
            let body = json!({"reference": reference});
            self.post(tenant, "/billing/verify-payment", &body).await;
        }
    }

    /// Repeats the request until it is answered. The page of the gateway needs no credentials.
    async fn post(&self, tenant: &Tenant, path: &str, body: &Value) -> String {
        loop {
            let url = self.url.lock().unwrap().clone();
            let mut request = tenant.http.post(format!("{url}{path}"));
            if !body.is_null() {
                request = request
                    .bearer_auth(&tenant.token)
                    .header("X-Organization-Id", &tenant.organization)
                    .json(body);
            }
            if let Ok(answer) = request.send().await {
                let status = answer.status().as_u16();
                match answer.text().await {
                    Ok(text) if status == 200 => return text,
                    Ok(text) => assert_eq!(status, 503, "{path}: {text}"),
                    Err(_) => {}
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Returns the next tenant in turn.
fn tenant(tenants: &[Tenant; 2], number: i64) -> &Tenant {
    let [first, second] = tenants;
    if number % 2 == 0 { first } else { second }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_books_are_in_order_after_a_mixed_load_with_a_crash_in_it() {
    let folder = folder();
    let mut program = serve(folder.path());
    let tenants =
        [program.tenant_of("ama@example.com").await, program.tenant_of("kofi@example.com").await];
    let load = Arc::new(Load {
        tenants: tenants.clone(),
        url: Mutex::new(program.url.clone()),
        next: AtomicI64::new(0),
        accepted: AtomicI64::new(0),
    });
    let clients: Vec<_> = (0..CLIENTS).map(|_| tokio::spawn(Arc::clone(&load).run())).collect();
    let paying = tokio::spawn(Arc::clone(&load).top_up());
    until("so many messages are accepted", async || {
        load.accepted.load(Ordering::Relaxed) >= KILLED_AFTER
    })
    .await;
    program.crash();
    program = serve(folder.path());
    load.url.lock().unwrap().clone_from(&program.url);
    // Also while the ledger changes.
    let (is_in_order, line) = verify(folder.path());
    assert!(is_in_order, "{line}");
    for client in clients {
        client.await.unwrap();
    }
    paying.await.unwrap();
    let mut session = Session::with_program_in(folder.path());
    let settled = "SELECT count(*) FROM delivery_logs \
                   WHERE channel = 'SMS' AND status IN ('DELIVERED', 'FAILED')";
    until("all messages have ended", async || session.number(settled) == MESSAGES).await;
    let entered = "SELECT count(*) FROM wallet_credits WHERE is_entered";
    until("all credits are entered", async || session.number(entered) == TOP_UPS + 2).await;

    let (is_in_order, line) = verify(folder.path());
    assert!(is_in_order, "{line}");
    // One wallet belongs to the platform.
    let paid = MESSAGES - MESSAGES / FAILING;
    let total = Money::from_micros(2 * 10_000_000 + TOP_UPS * 5_000_000 - paid * 35_000);
    let entries = session.number("SELECT count(*) FROM ledger_entries");
    let expected = format!("3 wallets, {entries} entries, {total}");
    assert_eq!(line, format!("the ledger is in order: {expected}\n"));

    let counters = run(command(folder.path()).args(["counters", "verify"]));
    assert!(counters.status.success(), "{counters:?}");

    session.run(
        "SET session_replication_role = replica; \
         UPDATE ledger_entries SET amount_micros = amount_micros + 1 WHERE sequence = 2",
    );
    let (is_in_order, line) = verify(folder.path());
    assert!(!is_in_order && line.lines().count() == 1, "{line}");
    let found = "atumpan: the ledger is not in order: organization ";
    assert!(line.starts_with(found), "{line}");
    assert!(line.contains(": entry 2 does not match its hash"), "{line}");
}
