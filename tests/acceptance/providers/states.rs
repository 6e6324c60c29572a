//! Provider states that instances share: breakers, and providers that fall silent.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use acceptance::{Caller, Tenant, until};
use adapters_postgres::PgStore;
use adapters_providers::Simulated;
use app::{clock::SystemClock, report_relay::ReportRelay};
use chrono::TimeDelta;
use futures_util::future::{join, join_all};
use ports::shared::{clock::Clock, nobody::Nobody};
use serde_json::Value;
use usecases::providers::provider_registry::{Providers, SharedStates};

use crate::providers::{
    failover::{attempts, id_of},
    vendor::{Installation, Mood, Vendor, provider, sms},
};

/// Slightly longer than instances take to share a provider state.
const NEWS: Duration = Duration::from_millis(1_300);
/// Slightly longer than the first open period of a breaker.
const REST: Duration = Duration::from_millis(3_200);

/// Starts two vendors, and an installation that prefers the first.
async fn two(more: &str) -> (Vendor, Vendor, Installation) {
    let (first, second) = (Vendor::start().await, Vendor::start().await);
    let service = Installation::start(&[
        provider("first", "africas-talking", &first.url(), 1).with(more),
        provider("second", "africas-talking", &second.url(), 15).with(more),
    ])
    .await;
    (first, second, service)
}

async fn send(caller: &Caller) -> Value {
    caller.post("/messages/send", sms()).await.data(201).clone()
}

/// Returns the first provider, as its page shows it.
async fn first_of(tenant: &Tenant<'_>) -> Value {
    let owner = tenant.owner();
    let id = id_of(owner.get("/providers").await.data(200), "first");
    owner.get(&format!("/providers/{id}")).await.data(200).clone()
}

/// Waits until the first provider is shown with that status and returns it.
async fn until_first_is(status: &str, tenant: &Tenant<'_>) -> Value {
    let is_shown = async || first_of(tenant).await["status"] == status;
    until(&format!("the first provider is {status}"), is_shown).await;
    first_of(tenant).await
}

/// Returns status and reason of a provider's events of one kind, newest first.
fn events<'p>(provider: &'p Value, kind: &str) -> Vec<(&'p str, &'p str)> {
    let history = provider["healthHistory"].as_array().unwrap().iter();
    let text = |event: &'p Value, key: &str| event[key].as_str().unwrap();
    let events = history.filter(|event| event["event"] == kind);
    events.map(|event| (text(event, "status"), text(event, "message"))).collect()
}

#[tokio::test]
async fn instances_share_a_breaker_and_only_one_probes() {
    let (first, second, service) = two("timeout_ms = 2000").await;
    let other = service.another(&[]).await;
    let tenant = service.world.tenant().await;
    let elsewhere = tenant.at(&other.world);
    let (here, there) = (tenant.owner(), elsewhere.owner());

    first.now(Mood::Refuses);
    for _ in 0..5 {
        assert_eq!(send(&here).await["provider"], "second");
    }
    let opened = Instant::now();
    tokio::time::sleep(NEWS).await;
    assert_eq!(attempts(&send(&there).await), [("second", "ACCEPTED")]);
    assert!(opened.elapsed() < Duration::from_secs(3), "the machine is too slow to tell");
    assert_eq!(first.calls(), 5, "the other instance leaves it alone");
    assert_eq!(first_of(&elsewhere).await["status"], "DOWN");

    first.now(Mood::TakesAfter(Duration::from_millis(500)));
    tokio::time::sleep(REST.saturating_sub(opened.elapsed())).await;
    let both = (0..8).map(|number| if number % 2 == 0 { &here } else { &there });
    let sent = join_all(both.map(send)).await;
    assert_eq!(first.calls(), 6, "one message of one instance probes");
    let probes = sent.iter().filter(|message| message["provider"] == "first");
    assert_eq!(probes.count(), 1);
    assert_eq!(second.calls(), 5 + 1 + 7);

    for caller in [&here, &there] {
        let is_back = async || attempts(&send(caller).await) == [("first", "ACCEPTED")];
        until("the first takes messages", is_back).await;
    }
    let shown = first_of(&elsewhere).await;
    assert_eq!(shown["status"], "UP");
    let (closed, opened) = match events(&shown, "BREAKER").as_slice() {
        [closed, opened] => (*closed, *opened),
        events => panic!("{events:?}"),
    };
    assert_eq!(closed, ("CLOSED", "it takes messages"));
    assert_eq!(opened.0, "OPEN");
    assert!(opened.1.starts_with("PROVIDER_UNAVAILABLE: "), "{}", opened.1);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_new_instance_avoids_a_broken_provider_at_once() {
    let (first, _second, service) = two("timeout_ms = 500").await;
    let tenant = service.world.tenant().await;
    first.now(Mood::Refuses);
    for _ in 0..5 {
        send(&tenant.owner()).await;
    }
    // The second open period is long enough for a start.
    tokio::time::sleep(REST).await;
    assert_eq!(attempts(&send(&tenant.owner()).await)[0], ("first", "NOT_ACCEPTED"));
    let opened = Instant::now();

    let other = service.another(&[]).await;
    let sent = send(&tenant.at(&other.world).owner()).await;

    assert!(opened.elapsed() < 2 * REST, "the machine is too slow to tell");
    assert_eq!(attempts(&sent), [("second", "ACCEPTED")]);
    assert_eq!(first.calls(), 6);
}

/// Judges silent providers at that time, as one more instance.
async fn judge(service: &Installation, seconds_from_now: i64) {
    let registry = PgStore::connect(&service.world.database, 1).unwrap();
    let (relay, _outlet) = ReportRelay::new();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let sandbox = Simulated::new(Arc::new(relay), Arc::clone(&clock), Duration::ZERO);
    let sharing =
        SharedStates { registry: Arc::new(registry), change_broadcaster: Arc::new(Nobody) };
    let providers = Providers::new(Vec::new(), Arc::new(sandbox), Some(sharing));
    let now = clock.now() + TimeDelta::seconds(seconds_from_now);
    providers.states().judge(now).await.unwrap();
}

/// Counts messages as accepted that long ago, and some of them as reported.
async fn took(service: &Installation, ago: &str, taken: u32, reported: u32) {
    service
        .world
        .sql(&format!(
            "INSERT INTO provider_minutes (provider, minute, shard, taken, reported) \
             VALUES ('first', date_trunc('minute', now() - interval '{ago}'), 0, {taken}, {reported})"
        ))
        .await;
}

#[tokio::test]
async fn a_silent_provider_is_demoted_stepwise_until_it_reports() {
    let (first, second, service) = two("timeout_ms = 500").await;
    let tenant = service.world.tenant().await;
    let owner = tenant.owner();
    took(&service, "2 hours", 200, 190).await;
    let mut messages = join_all((0..25).map(|_| send(&owner))).await;
    assert_eq!((first.calls(), second.calls()), (25, 0));

    // Every second judgement comes too soon.
    for at in [130, 150, 190, 210] {
        judge(&service, at).await;
    }
    let silent = until_first_is("DEGRADED", &tenant).await;
    let reason = "100 % of 25 messages have no report yet; 5 % is normal";
    assert_eq!(events(&silent, "DEMOTION"), [("2", reason), ("1", reason)]);
    until("two steps behind, it is behind the second", async || {
        let message = send(&owner).await;
        let is_second = message["provider"] == "second";
        if !is_second {
            messages.push(message);
        }
        is_second
    })
    .await;

    for message in &messages {
        let reference = message["attempts"][0]["providerMessageId"].as_str().unwrap();
        service.report("first", reference, "Success").await.data(200);
    }
    judge(&service, 250).await;
    let is_first = async || send(&owner).await["provider"] == "first";
    until("one step behind, it is still before the second", is_first).await;
    assert_eq!(first_of(&tenant).await["status"], "DEGRADED", "one step at a time");
    judge(&service, 310).await;

    let well = until_first_is("UP", &tenant).await;
    let moves = events(&well, "DEMOTION");
    assert_eq!(moves.len(), 4, "{moves:?}");
    for (step, (status, reason)) in ["0", "1"].iter().zip(&moves) {
        assert_eq!(step, status);
        assert!(reason.ends_with("% without a report is normal again"), "{reason}");
    }
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn concurrent_instances_demote_a_silent_provider_once() {
    let (_first, _second, service) = two("timeout_ms = 500").await;
    let tenant = service.world.tenant().await;
    took(&service, "2 hours", 200, 190).await;
    for minutes in 2..6 {
        took(&service, &format!("{minutes} minutes"), 50, 10).await;
    }

    // Each instance judges when it starts.
    let (one, other) = Box::pin(join(service.another(&[]), service.another(&[]))).await;
    until_first_is("DEGRADED", &tenant).await;
    join_all((0..4).map(|_| judge(&service, 0))).await;

    for world in [&one.world, &other.world] {
        let shown = until_first_is("DEGRADED", &tenant.at(world)).await;
        let moves = events(&shown, "DEMOTION");
        assert_eq!(moves.len(), 1, "{moves:?}");
        assert_eq!(moves[0].0, "1");
        assert!(moves[0].1.starts_with("80 % of "), "{}", moves[0].1);
    }
}
