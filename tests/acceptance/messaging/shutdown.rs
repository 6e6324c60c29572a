//! Shutdown: an instance releases its waiting messages and finishes those in flight.

use std::time::{Duration, Instant};

use acceptance::World;
use serde_json::{Value, json};

use crate::providers::{
    failover::attempts,
    vendor::{Installation, Mood, Vendor, provider},
};

const MESSAGES: usize = 8;
/// Time that the vendor takes for a message.
const SLOW: Duration = Duration::from_millis(400);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_a_stopped_instance_are_sent_with_one_attempt() {
    let vendor = Vendor::start().await;
    vendor.now(Mood::TakesAfter(SLOW));
    let url = vendor.url();
    let only = provider("only", "twilio", &url, 1).with("timeout_ms = 5000");
    let first = Installation::start_with(&[only], &[("ATUMPAN_WORKERS", "1")]).await;
    let tenant = first.world.tenant().await;
    let mut ids: Vec<Value> = Vec::new();
    for number in 0..MESSAGES {
        let text = json!({
            "channel": "SMS", "to": "0241234567", "body": format!("Number {number}"), "async": true,
        });
        let answer = tenant.owner().post("/messages/send", text).await;
        ids.push(answer.data(202)["id"].clone());
    }
    let second = first.another(&[]).await;
    let tenant = tenant.at(&second.world);

    assert!(vendor.calls() < MESSAGES, "some of them still wait");
    first.world.stop().await;

    vendor.now(Mood::Takes);
    let began = Instant::now();
    for id in &ids {
        let sent = tenant.owner().message_that_is("SENT", id).await;
        assert_eq!(attempts(&sent), [("only", "ACCEPTED")]);
    }
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
    assert_eq!(vendor.calls(), MESSAGES, "each was handed over once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_of_a_gone_client_is_finished_before_shutdown() {
    let vendor = Vendor::start().await;
    vendor.now(Mood::TakesAfter(Duration::from_secs(3)));
    let url = vendor.url();
    let only = provider("only", "twilio", &url, 1).with("timeout_ms = 20000");
    let first = Installation::start_with(&[only], &[]).await;
    let tenant = first.world.tenant().await;
    let text = json!({ "channel": "SMS", "to": "0241234567", "body": "Akwaaba" });
    let owner = tenant.owner();
    let sending = owner.post("/messages/send", text);
    let hung_up = async {
        while vendor.calls() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        _ = sending => panic!("the vendor takes longer"),
        () = hung_up => {}
    }
    let database = first.world.database.clone();

    first.world.stop().await;

    let sent = "SELECT count(*) FROM delivery_logs WHERE status = 'SENT'";
    assert_eq!(number(&database, sent).await, 1);
    let left = "SELECT count(*) FROM delivery_jobs WHERE lease IS NOT NULL";
    assert_eq!(number(&database, left).await, 0);
    assert_eq!(vendor.calls(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_promised_mail_is_accepted_before_shutdown() {
    let world = World::start_with(&[("ATUMPAN_WORKERS", "0")]).await;
    world.user("ama@example.com").await;
    let database = world.database.clone();
    let holder = connect(&database).await;
    holder.batch_execute("BEGIN; LOCK TABLE users").await.unwrap();
    let asked = json!({ "email": "ama@example.com" });
    world.post("/auth/forgot-password", asked).await.data(200);

    let release = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        holder.batch_execute("COMMIT").await.unwrap();
    };
    tokio::join!(world.stop(), release);

    let mails = "SELECT count(*) FROM delivery_logs WHERE channel = 'EMAIL'";
    assert_eq!(number(&database, mails).await, 1);
}

async fn connect(database: &str) -> tokio_postgres::Client {
    let connecting = tokio_postgres::connect(database, tokio_postgres::NoTls).await;
    let (client, connection) = connecting.unwrap();
    tokio::spawn(connection);
    client
}

async fn number(database: &str, query: &str) -> i64 {
    connect(database).await.query_one(query, &[]).await.unwrap().get(0)
}
