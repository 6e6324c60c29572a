//! Webhooks through crashes, and on two instances.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use testkit::{Received, Receiver, Reply, Tenant, until};

use crate::{
    database::{self, Session},
    program::{command, serve_with},
};

const MESSAGES: usize = 250;
/// Numbers of calls after which the process is killed, one per crash.
const KILLED_AFTER: [usize; 2] = [100, 300];
const TIMEOUT: Duration = Duration::from_secs(120);

/// Starts a receiver that takes all calls, after a moment.
pub(crate) async fn receiver() -> Receiver {
    Receiver::start(|_, _| Reply::status(204).after(Duration::from_millis(5))).await
}

/// Returns a statement that creates an endpoint there, subscribed to all events.
pub(crate) fn endpoint(tenant: &Tenant, receiver: &Receiver) -> String {
    format!(
        "INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, created_at) \
         VALUES ('{id}', uuid_v7_in(now(), '{id}'), '{url}', \
            'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3', now() - interval '1 day', now())",
        id = tenant.organization,
        url = receiver.url,
    )
}

/// Waits until that number of different events has come.
async fn until_notified(receiver: &Receiver, events: usize) {
    let began = Instant::now();
    loop {
        let calls = receiver.received();
        let told: HashSet<_> = calls.iter().map(Received::id).collect();
        if told.len() >= events {
            return;
        }
        assert!(began.elapsed() < TIMEOUT, "{} of {events} were told", told.len());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killing_the_process_amid_deliveries_loses_none_and_makes_up_no_identifier() {
    let receiver = receiver().await;
    let (folder, database) = database::shared().await;
    let mut session = Session::open(database.url());
    let start = || {
        let mut command = command(folder.path());
        command.env("DATABASE_URL", database.url()).env("ATUMPAN_TRIAL_CREDIT_GHS", "100");
        serve_with(&mut command)
    };
    let mut program = start();
    let tenant = program.tenant().await;
    session.run(&endpoint(&tenant, &receiver));
    // By then every instance has read the endpoint.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    for number in 0..MESSAGES {
        tenant.send_until_accepted(&program.url, &format!("message-{number}")).await;
    }
    for after in KILLED_AFTER {
        until_notified(&receiver, after).await;
        program.crash();
        program = start();
    }

    until("every message is delivered", async || {
        session.number("SELECT count(*) FROM delivery_logs WHERE status <> 'DELIVERED'") == 0
    })
    .await;
    until("all is written down", async || {
        session.number("SELECT count(*) FROM webhook_deliveries WHERE status <> 'DELIVERED'") == 0
    })
    .await;
    let calls = receiver.received();
    let mut bodies: HashMap<String, &str> = HashMap::new();
    for call in &calls {
        assert_eq!(call.json()["id"], call.id());
        let first = bodies.entry(call.id().to_owned()).or_insert(&call.body);
        assert_eq!(*first, call.body, "the same bytes each time");
    }
    let told: HashSet<String> = bodies.into_keys().collect();
    let happened = session.run("SELECT id FROM outbound_events");
    assert_eq!(told, happened.into_iter().collect());
    // If the process was killed during the call for a message, the provider reports its delivery at
    // once.
    let delivered =
        "SELECT count(*) FROM outbound_events WHERE data::json ->> 'status' = 'DELIVERED'";
    assert_eq!(session.number(delivered), i64::try_from(MESSAGES).unwrap());
    assert!(told.len() > 2 * MESSAGES - 50, "{}", told.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_publish_each_message_in_order_and_once() {
    let receiver = receiver().await;
    let (folder, database) = database::shared().await;
    let mut session = Session::open(database.url());
    let start = || {
        let mut command = command(folder.path());
        serve_with(command.env("DATABASE_URL", database.url()))
    };
    let both = [start(), start()];
    let tenant = both[0].tenant().await;
    session.run(&endpoint(&tenant, &receiver));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    for number in 0..100 {
        let url = &both[number % 2].url;
        tenant.send_until_accepted(url, &format!("message-{number}")).await;
    }

    until_notified(&receiver, 200).await;

    let mut told: HashMap<String, Vec<String>> = HashMap::new();
    for call in receiver.received() {
        let body = call.json();
        let text = |name: &str| body["data"][name].as_str().unwrap().to_owned();
        told.entry(text("id")).or_default().push(text("status"));
    }
    assert_eq!(told.len(), 100);
    assert!(told.values().all(|statuses| *statuses == ["SENT", "DELIVERED"]), "{told:?}");
}
