//! Registry of providers and their states.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    providers::{
        breaker::Breaker,
        provider::{Provider, Route, WithoutReport},
        provider_state::{Demotion, ProviderState, ReportCounts},
    },
    shared::channel::Channel,
};
use ports::providers::provider::{HealthEvent, HealthEventKind, ProviderRecord, ProviderRegistry};
use tokio::sync::{Mutex, MutexGuard};

use crate::{World, minutes, now};

/// Tests of providers take turns, because all providers of a database are declared together.
static TURN: Mutex<()> = Mutex::const_new(());

/// A world whose only providers are those that the test declares.
async fn alone() -> (World, MutexGuard<'static, ()>) {
    let turn = TURN.lock().await;
    let world = World::new().await;
    world
        .sql("TRUNCATE provider_health, provider_states, provider_minutes, providers CASCADE")
        .await;
    (world, turn)
}

fn provider(name: &str) -> Provider {
    let anywhere = Route { country: None, priority: 100 };
    let ghana = Route { country: Some("GH".parse().unwrap()), priority: 10 };
    Provider {
        name: name.into(),
        kind: "simulated",
        channel: Channel::Sms,
        routes: vec![ghana, anywhere],
        report_timeout: minutes(10),
        without_report: WithoutReport::default(),
    }
}

async fn declared(world: &World, names: &[&str]) -> Vec<ProviderRecord> {
    let providers: Vec<_> = names.iter().map(|name| provider(name)).collect();
    world.store.declare(&providers, now()).await.unwrap();
    world.store.list().await.unwrap()
}

async fn state(world: &World, name: &str) -> Option<ProviderState> {
    let states = world.store.states().await.unwrap();
    states.into_iter().find(|(known, _)| known == name).map(|(_, state)| state)
}

fn event(kind: HealthEventKind, status: &str, at: DateTime<Utc>) -> HealthEvent {
    let latency = (kind == HealthEventKind::Check).then(|| TimeDelta::milliseconds(42));
    HealthEvent { kind, status: status.into(), message: format!("{status}, why"), latency, at }
}

fn open(until: DateTime<Utc>) -> ProviderState {
    ProviderState { breaker: Breaker::Open { until, times: 3 }, demotion: 0 }
}

#[tokio::test]
async fn declared_providers_are_listed_and_others_become_inactive() {
    let (world, _turn) = alone().await;

    let both = declared(&world, &["b", "a"]).await;
    let names = |records: &[ProviderRecord]| {
        records.iter().map(|it| (it.provider.name.clone(), it.is_active)).collect::<Vec<_>>()
    };
    assert_eq!(names(&both), [("a".into(), true), ("b".into(), true)]);
    let a = &both[0].provider;
    assert_eq!((a.kind.as_str(), a.channel.as_str()), ("simulated", "SMS"));
    assert_eq!(a.routes, [("GH".to_owned(), 10), ("*".to_owned(), 100)]);
    assert_eq!((both[0].state, &both[0].last_check), (ProviderState::default(), &None));

    let one = declared(&world, &["a"]).await;
    assert_eq!(names(&one), [("a".into(), true), ("b".into(), false)]);
    let again = declared(&world, &["b"]).await;
    assert_eq!(names(&again), [("a".into(), false), ("b".into(), true)]);
    let ids = |records: &[ProviderRecord]| records.iter().map(|it| it.id).collect::<Vec<_>>();
    assert_eq!(ids(&again), ids(&both), "a provider that comes back is the same");
    assert_eq!(names(&declared(&world, &[]).await), [("a".into(), false), ("b".into(), false)]);
}

#[tokio::test]
async fn the_state_of_a_breaker_is_stored_with_its_reason() {
    let (world, _turn) = alone().await;
    let id = declared(&world, &["a"]).await[0].id;
    assert_eq!(state(&world, "a").await, None);

    let (opened, state_then) = (event(HealthEventKind::Breaker, "OPEN", now()), open(now()));
    world.store.note_breaker("a", state_then, &opened).await.unwrap();
    assert_eq!(state(&world, "a").await, Some(state_then));
    assert_eq!(world.store.list().await.unwrap()[0].state, state_then);

    let closed = event(HealthEventKind::Breaker, "CLOSED", now() + minutes(1));
    world.store.note_breaker("a", ProviderState::default(), &closed).await.unwrap();
    assert_eq!(state(&world, "a").await, None);
    assert_eq!(world.store.history(id).await.unwrap(), [closed, opened]);
}

#[tokio::test]
async fn checks_are_kept_and_the_latest_is_shown() {
    let (world, _turn) = alone().await;
    let id = declared(&world, &["a"]).await[0].id;
    let looks = [
        event(HealthEventKind::Check, "UP", now()),
        event(HealthEventKind::Check, "DOWN", now() + minutes(1)),
    ];
    for look in &looks {
        world.store.note_check(id, look).await.unwrap();
    }
    let later = event(HealthEventKind::Breaker, "OPEN", now() + minutes(2));
    world.store.note_breaker("a", open(now()), &later).await.unwrap();

    assert_eq!(world.store.list().await.unwrap()[0].last_check, Some(looks[1].clone()));
    let [first, second] = looks;
    assert_eq!(world.store.history(id).await.unwrap(), [later, second, first]);
}

#[tokio::test]
async fn changes_leave_out_checks_that_found_what_the_one_before_found() {
    let (world, _turn) = alone().await;
    let id = declared(&world, &["a"]).await[0].id;
    let began = now();
    let check = |status, minute| event(HealthEventKind::Check, status, began + minutes(minute));
    for look in [check("UP", 0), check("UP", 1), check("DOWN", 3), check("DOWN", 4)] {
        world.store.note_check(id, &look).await.unwrap();
    }
    let opened = event(HealthEventKind::Breaker, "OPEN", began + minutes(2));
    world.store.note_breaker("a", open(began), &opened).await.unwrap();
    let changes = async |since| world.store.changes(id, since).await.unwrap();

    let all = [check("DOWN", 3), opened, check("UP", 0)];
    assert_eq!(changes(began).await, all);
    assert_eq!(changes(began + minutes(2)).await, all[..2]);
    assert_eq!(changes(began + minutes(4)).await, [check("DOWN", 4)], "the first that is shown");
}

#[tokio::test]
async fn one_instance_takes_the_probe_of_a_provider() {
    let (world, _turn) = alone().await;
    declared(&world, &["a"]).await;
    let until = now() + minutes(1);
    let probing = ProviderState {
        breaker: Breaker::Probing { until: until + minutes(1), times: 3 },
        demotion: 0,
    };
    let probe = |at| world.store.begin_probe("a", probing, at);

    assert!(!probe(until).await.unwrap(), "nothing is held against it");
    let opened = event(HealthEventKind::Breaker, "OPEN", now());
    world.store.note_breaker("a", open(until), &opened).await.unwrap();
    assert!(!probe(now()).await.unwrap(), "it rests");
    let (one, other) = tokio::join!(probe(until), probe(until));
    assert_ne!(one.unwrap(), other.unwrap());
    assert_eq!(state(&world, "a").await, Some(probing));
    assert!(probe(until + minutes(1)).await.unwrap(), "the first never came back");
}

#[tokio::test]
async fn a_provider_is_demoted_once_per_interval() {
    let (world, _turn) = alone().await;
    let id = declared(&world, &["a"]).await[0].id;
    let demote = async |to: u16, at| {
        let demotion = Demotion { to, reason: "silent".into() };
        let event = event(HealthEventKind::Demotion, &to.to_string(), at);
        world.store.demote("a", &demotion, TimeDelta::seconds(50), &event).await.unwrap();
        state(&world, "a").await.unwrap_or_default().demotion
    };

    assert_eq!(demote(1, now()).await, 1);
    assert_eq!(demote(2, now() + TimeDelta::seconds(30)).await, 1, "another instance just did");
    assert_eq!(demote(2, now() + minutes(1)).await, 2);
    let opened = event(HealthEventKind::Breaker, "OPEN", now() + minutes(1));
    world.store.note_breaker("a", open(now()), &opened).await.unwrap();
    let both = ProviderState { demotion: 2, ..open(now()) };
    assert_eq!(state(&world, "a").await, Some(both), "a breaker leaves the demotion alone");
    world.store.note_breaker("a", ProviderState::default(), &opened).await.unwrap();
    assert_eq!(demote(0, now() + minutes(2)).await, 0);
    let events = world.store.history(id).await.unwrap();
    let moves = events.iter().filter(|event| event.kind == HealthEventKind::Demotion);
    assert_eq!(moves.map(|event| event.status.as_str()).collect::<Vec<_>>(), ["0", "2", "1"]);
}

#[tokio::test]
async fn missing_reports_are_counted_recently_and_normally() {
    let (world, _turn) = alone().await;
    declared(&world, &["a", "b", "gone"]).await;
    declared(&world, &["a", "b"]).await;
    let rows = [
        // Too new for reports.
        ("a", "10 seconds", 0, 1_000, 0),
        ("a", "119 seconds", 0, 1_000, 0),
        // Recent, in two shards.
        ("a", "2 minutes 1 second", 0, 40, 10),
        ("a", "7 minutes", 1, 60, 20),
        // Neither recent nor old.
        ("a", "10 minutes", 0, 7, 7),
        ("a", "2 hours", 0, 100, 90),
        ("a", "20 hours", 3, 100, 80),
        // Too old.
        ("a", "25 hours", 0, 5_000, 0),
        ("gone", "3 minutes", 0, 100, 0),
    ];
    let now = now();
    let rows = rows.map(|(name, age, shard, taken, reported)| {
        format!("('{name}', timestamptz '{now}' - interval '{age}', {shard}, {taken}, {reported})")
    });
    world.sql(&format!("INSERT INTO provider_minutes VALUES {}", rows.join(","))).await;

    let mut stats = world.store.report_stats(now).await.unwrap();

    stats.sort_by(|left, right| left.name.cmp(&right.name));
    let report_counts = |taken, unreported| ReportCounts { taken, unreported };
    assert_eq!(stats.len(), 2);
    assert_eq!((stats[0].name.as_str(), stats[0].demotion), ("a", 0));
    assert_eq!(
        (stats[0].recent, stats[0].normal),
        (report_counts(100, 70), report_counts(200, 30))
    );
    assert_eq!(
        (stats[1].recent, stats[1].normal),
        (ReportCounts::default(), ReportCounts::default())
    );
}
