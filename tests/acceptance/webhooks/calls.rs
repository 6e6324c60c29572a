//! Webhook calls over real sockets: their order, their retries and their end.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::{Duration, Instant},
};

use acceptance::{Receiver, Reply, Tenant, World, endpoint_at, until, until_some};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

/// Time after which every instance knows a new endpoint.
const CACHE_TIME: Duration = Duration::from_millis(1_500);

/// Inserts an endpoint of an organization at `url`, subscribed to all events.
async fn listen(tenant: &Tenant<'_>, url: &str) {
    tenant.world.sql(&endpoint_at(&tenant.id, url)).await;
    tokio::time::sleep(CACHE_TIME).await;
}

/// Sends that many texts, and returns their identifiers.
async fn send(tenant: &Tenant<'_>, count: usize) -> Vec<String> {
    let message =
        |number| json!({"channel": "SMS", "to": "0241234567", "body": format!("No {number}")});
    let messages: Vec<_> = (0..count).map(message).collect();
    let bulk = json!({"messages": messages, "async": true});
    let answer = tenant.owner().post("/messages/bulk", bulk).await;
    let sent = answer.data(202).as_array().unwrap().clone();
    sent.iter().map(|message| message["id"].as_str().unwrap().to_owned()).collect()
}

/// Returns the statuses of each message, as a receiver got them.
fn statuses(receiver: &Receiver) -> HashMap<String, Vec<String>> {
    let mut published: HashMap<String, Vec<String>> = HashMap::new();
    for call in receiver.received() {
        let id = call.json()["data"]["id"].as_str().unwrap().to_owned();
        published.entry(id).or_default().push(call.status());
    }
    published
}

async fn until_called(receiver: &Receiver, times: usize) {
    let what = format!("a receiver was called {times} times");
    until_some(&what, async || match receiver.received().len() {
        calls if calls >= times => Ok(()),
        calls => Err(format!("{calls} calls")),
    })
    .await;
}

/// Returns the number of deliveries of an organization that meet the condition.
async fn deliveries(tenant: &Tenant<'_>, condition: &str) -> i64 {
    let id = &tenant.id;
    let query = format!(
        "SELECT count(*) FROM webhook_deliveries WHERE organization_id = '{id}' AND {condition}"
    );
    tenant.world.value(&query).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_each_message_arrive_once_and_in_order() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let receiver = Receiver::taking_everything().await;
    listen(&tenant, &receiver.url).await;

    let sent: HashSet<_> = send(&tenant, 100).await.into_iter().collect();
    let more = send(&tenant, 100).await;

    until("each message is told to be delivered", async || {
        let published = statuses(&receiver);
        published.len() == 200
            && published.values().all(|it| it.last().is_some_and(|it| it == "DELIVERED"))
    })
    .await;
    let published = statuses(&receiver);
    // The report on a message may overtake the answer of its provider.
    for id in sent.iter().chain(&more) {
        assert!(
            published[id] == ["SENT", "DELIVERED"] || published[id] == ["DELIVERED"],
            "{published:?}"
        );
    }
    let calls = receiver.received();
    assert!(calls.len() > 350, "{}", calls.len());
    let ids: HashSet<_> = calls.iter().map(|call| call.id().to_owned()).collect();
    assert_eq!(ids.len(), calls.len());
    let written = i64::try_from(calls.len()).unwrap();
    until("all is written down", async || {
        deliveries(&tenant, "status = 'DELIVERED' AND attempts = 1 AND status_code = 204").await
            == written
    })
    .await;
    let body = calls[0].json();
    assert_eq!(body["id"], calls[0].id());
    assert_eq!(
        (&body["event"], &body["organizationId"]),
        (&json!("message.status.updated"), &json!(tenant.id))
    );
    let message = body["data"]["id"].as_str().unwrap();
    let shown = tenant.owner().get(&format!("/messages/{message}")).await;
    assert_eq!(body["data"]["createdAt"], shown.data(200)["createdAt"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_endpoint_gets_events_from_one_second_after_creation() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let receiver = Receiver::taking_everything().await;
    let endpoint = json!({"url": receiver.url});
    let made = tenant.owner().post("/webhook-endpoints", endpoint).await.data(201).clone();

    let began = Instant::now();
    let mut sent = Vec::new();
    while began.elapsed() < Duration::from_secs(3) {
        sent.extend(send(&tenant, 1).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    let last = sent.pop().unwrap();
    until("the last message is told", async || statuses(&receiver).contains_key(&last)).await;
    let time = |value: &Value| value.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    let begins = time(&made["createdAt"]) + TimeDelta::seconds(1);
    let published = receiver.received();
    assert!(published.iter().all(|call| time(&call.json()["createdAt"]) >= begins));
    assert!(statuses(&receiver).len() < sent.len(), "what happened before is not told");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retry_sends_the_same_bytes_at_the_requested_time() {
    let world = World::shared().await;
    let (one, two) = (world.tenant().await, world.tenant().await);
    let failing =
        Receiver::start(|_, calls| Reply::status(if calls == 0 { 500 } else { 200 })).await;
    let busy = Receiver::start(|_, calls| match calls {
        0 => Reply::status(429).with("retry-after", "9"),
        _ => Reply::status(200),
    })
    .await;
    listen(&one, &failing.url).await;
    listen(&two, &busy.url).await;

    send(&one, 1).await;
    send(&two, 1).await;

    for (receiver, tenant, soonest) in [(&failing, &one, 5), (&busy, &two, 9)] {
        until_called(receiver, 3).await;
        until("all is written down", async || {
            deliveries(tenant, "status = 'DELIVERED'").await == 2
        })
        .await;
        let calls = receiver.received();
        let again = calls.iter().rposition(|call| call.id() == calls[0].id()).unwrap();
        assert_eq!(again, 2, "the second event does not wait for the retry of the first one");
        assert_eq!(calls[again].body, calls[0].body);
        let stamp = |call: usize| calls[call].headers["webhook-timestamp"].parse::<i64>().unwrap();
        assert!(stamp(again) - stamp(0) >= soonest, "{} {}", stamp(0), stamp(again));
        assert_eq!(deliveries(tenant, "attempts = 2").await, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gone_receiver_is_deactivated_and_its_queue_fails() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let receiver = Receiver::start(|_, _| Reply::status(410)).await;
    listen(&tenant, &receiver.url).await;

    send(&tenant, 50).await;

    let reason = format!(
        "SELECT count(*) FROM webhook_endpoints WHERE organization_id = '{}' AND NOT is_active \
         AND deactivation = 'GONE'",
        tenant.id
    );
    until("it is deactivated", async || world.value(&reason).await == 1).await;
    until("nothing waits", async || deliveries(&tenant, "status <> 'FAILED'").await == 0).await;
    assert!(receiver.received().len() <= 4, "{}", receiver.received().len());
    tokio::time::sleep(CACHE_TIME).await;
    let written = tenant.count("outbound_events").await;
    send(&tenant, 1).await;
    until("it is delivered", async || {
        let answer = tenant.owner().get("/delivery-logs?limit=1&status=DELIVERED").await;
        answer.body["pagination"]["total"] == 51
    })
    .await;
    assert_eq!(tenant.count("outbound_events").await, written, "nobody is told");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_secrets_sign_for_a_while_after_a_rotation() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let receiver = Receiver::taking_everything().await;
    listen(&tenant, &receiver.url).await;
    let rotate = |until: &str| {
        format!(
            "UPDATE webhook_endpoints SET previous_secret = 'whsec_NzY1NDMyMTA5ODc2NTQzMjEwOTg3NjU0', \
                previous_secret_until = now() + interval '{until}' WHERE organization_id = '{}'",
            tenant.id
        )
    };
    let signatures = async || {
        let before = receiver.received().len();
        send(&tenant, 1).await;
        until_called(&receiver, before + 2).await;
        let calls = receiver.received();
        calls[before..]
            .iter()
            .map(|call| call.headers["webhook-signature"].split(' ').count())
            .collect::<Vec<_>>()
    };
    assert_eq!(signatures().await, [1, 1]);
    // A change holds from the next read of the endpoint.
    world.sql(&rotate("1 hour")).await;
    until("both secrets sign", async || signatures().await == [2, 2]).await;
    world.sql(&rotate("-1 second")).await;
    until("the newer secret signs alone", async || signatures().await == [1, 1]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_dead_endless_or_redirecting_receivers_delay_no_others() {
    let world = World::start_with(&[("ATUMPAN_RATE_LIMITS", "off")]).await;
    let good = Receiver::taking_everything().await;
    let lured = Receiver::taking_everything().await;
    let elsewhere = lured.url.clone();
    let redirecting =
        Receiver::start(move |_, _| Reply::status(307).with("location", &elsewhere)).await;
    let bad = [
        Receiver::start(|_, _| Reply::status(200).after(Duration::from_secs(10))).await,
        Receiver::start(|_, _| Reply::silence()).await,
        Receiver::start(|_, _| Reply::endless()).await,
        redirecting,
    ];
    let mut tenants = Vec::new();
    for receiver in &bad {
        let tenant = world.tenant().await;
        listen(&tenant, &receiver.url).await;
        send(&tenant, 40).await;
        tenants.push(tenant);
    }
    let dead = world.tenant().await;
    listen(&dead, "http://127.0.0.1:9/").await;
    send(&dead, 40).await;
    for receiver in &bad {
        until_called(receiver, 1).await;
    }
    let honest = world.tenant().await;
    listen(&honest, &good.url).await;

    let began = Instant::now();
    send(&honest, 100).await;
    until_called(&good, 200).await;

    let took = began.elapsed();
    assert!(took < Duration::from_secs(10), "it took {took:?}");
    assert!(statuses(&good).values().all(|statuses| *statuses == ["SENT", "DELIVERED"]));
    assert!(lured.received().is_empty(), "redirects are not followed");
    until("failures are told apart", async || {
        let redirected = deliveries(&tenants[3], "status = 'PENDING' AND status_code = 307").await;
        let unreached = deliveries(&dead, "status = 'PENDING' AND failure = 'NOT_CONNECTED'").await;
        redirected >= 5 && unreached >= 5
    })
    .await;
    // The rest waits without using up attempts.
    assert!(deliveries(&dead, "attempts = 0").await >= 60);
    assert_eq!(deliveries(&dead, "attempts > 2").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_endpoint_is_mailed_about_and_then_deactivated() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    tenant.verify_email().await;
    let receiver = Receiver::start(|_, _| Reply::status(500)).await;
    listen(&tenant, &receiver.url).await;
    send(&tenant, 1).await;
    until_called(&receiver, 2).await;
    let id = &tenant.id;
    let state = |condition: &str| {
        format!(
            "SELECT count(*) FROM webhook_endpoints WHERE organization_id = '{id}' AND {condition}"
        )
    };
    let is = async |condition: &str| world.value(&state(condition)).await == 1;
    until("its failure is noted", async || is("failing_since > now() - interval '1 min'").await)
        .await;
    assert!(is("notified_at IS NULL").await);

    let pass = "UPDATE webhook_endpoints SET failing_since = failing_since - interval '24 h'";
    world.sql(&format!("{pass} WHERE organization_id = '{id}'")).await;
    until("it is noted for the owners", async || is("notified_at IS NOT NULL").await).await;
    let mails = format!(
        "SELECT count(*) FROM delivery_logs WHERE recipient = '{}' AND channel = 'EMAIL' \
         AND subject = 'Your webhook endpoint fails'",
        tenant.email
    );
    until("they are mailed", async || world.value(&mails).await == 1).await;

    let calls = receiver.received().len();
    world
        .sql(&format!(
            "UPDATE webhook_endpoints SET failing_since = now() - interval '5 days', \
                notified_at = now() - interval '4 days' WHERE organization_id = '{id}'; \
             UPDATE webhook_deliveries SET due_at = now() \
             WHERE organization_id = '{id}' AND due_at IS NOT NULL"
        ))
        .await;
    until("it is deactivated", async || is("deactivation = 'FAILING' AND NOT is_active").await)
        .await;
    assert!(receiver.received().len() > calls);
    until("nothing waits", async || deliveries(&tenant, "due_at IS NOT NULL").await == 0).await;
    assert_eq!(world.value(&mails).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sandbox_messages_publish_events_to_endpoints_only() {
    let world = World::shared().await;
    let (published, pending) = (world.tenant().await, world.tenant().await);
    let receiver = Receiver::taking_everything().await;
    listen(&published, &receiver.url).await;
    for tenant in [&published, &pending] {
        let key = tenant.api_key(json!({"name": "trial", "isSandbox": true})).await;
        let text = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true});
        let id = key.post("/messages/send", text).await.data(202)["id"].clone();
        key.message_that_is("DELIVERED", &id).await;
    }

    until_called(&receiver, 2).await;

    assert!(statuses(&receiver).values().all(|statuses| *statuses == ["SENT", "DELIVERED"]));
    assert_eq!(pending.count("outbound_events").await, 0);
    assert_eq!(pending.count("webhook_deliveries").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_instance_sends_the_events_that_a_stopped_one_left() {
    let world = World::start_with(&[("ATUMPAN_RATE_LIMITS", "off")]).await;
    let database = world.database.clone();
    let receiver =
        Receiver::start(|_, _| Reply::status(200).after(Duration::from_millis(100))).await;
    let tenant = world.tenant().await;
    listen(&tenant, &receiver.url).await;
    send(&tenant, 100).await;
    until_called(&receiver, 20).await;
    world.stop().await;
    let published_before = receiver.received().len();
    assert!(published_before < 200, "it stopped too late");

    let _next = World::start_on(database, &[]).await;

    until_called(&receiver, 200).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut calls = BTreeMap::<String, usize>::new();
    for call in receiver.received() {
        *calls.entry(call.id().to_owned()).or_default() += 1;
    }
    assert_eq!(calls.len(), 200);
    assert!(calls.values().all(|times| *times == 1), "what was told is not told again");
}
