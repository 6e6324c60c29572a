//! Registry of providers and their states.

use chrono::TimeDelta;
use domain::{
    messaging::{delivery::DeliveryEvent, job::ReportApplied, message::Message},
    providers::{
        breaker::Breaker,
        provider::{Provider, Route, WithoutReport},
        provider_state::{Demotion, ProviderState, ReportCounts},
    },
    shared::{channel::Channel, country::Country, money::Money},
};
use ports::{
    messaging::messages::Recorded,
    providers::provider::{HealthEvent, HealthEventKind},
};

use super::{PRICE, Subject, sent, subjects};
use crate::{minutes, now};

fn provider(name: &str) -> Provider {
    Provider {
        name: name.into(),
        kind: "simulated",
        channel: Channel::Sms,
        routes: vec![
            Route { country: Some(Country::GH), priority: 1 },
            Route { country: None, priority: 2 },
        ],
        report_timeout: minutes(10),
        without_report: WithoutReport::default(),
    }
}

fn event(kind: HealthEventKind, status: &str, seconds: i64) -> HealthEvent {
    HealthEvent {
        kind,
        status: status.into(),
        message: "so it was".into(),
        latency: Some(TimeDelta::milliseconds(12)),
        at: now() + TimeDelta::seconds(seconds),
    }
}

/// State of a provider; `None` if it is in order.
async fn state(subject: &Subject, name: &str) -> Option<ProviderState> {
    let states = subject.providers.states().await.unwrap();
    states.into_iter().find(|(known, _)| known == name).map(|(_, state)| state)
}

#[tokio::test]
async fn providers_keep_their_ids_and_undeclared_ones_are_inactive() {
    for subject in subjects(Money::ZERO).await {
        println!("on {}", subject.name);
        let registry = &subject.providers;
        registry.declare(&[provider("b"), provider("a")], now()).await.unwrap();
        let first = registry.list().await.unwrap();
        registry.declare(&[provider("b")], now()).await.unwrap();

        let second = registry.list().await.unwrap();

        let shown: Vec<_> =
            second.iter().map(|it| (it.provider.name.as_str(), it.is_active)).collect();
        assert_eq!(shown, [("a", false), ("b", true)]);
        assert_eq!((first[0].id, first[1].id), (second[0].id, second[1].id));
        let routes = [("GH".to_owned(), 1), ("*".to_owned(), 2)];
        assert_eq!(second[1].provider.routes, routes);
    }
}

#[tokio::test]
async fn the_latest_check_and_the_newest_events_are_shown() {
    for subject in subjects(Money::ZERO).await {
        println!("on {}", subject.name);
        let registry = &subject.providers;
        registry.declare(&[provider("a")], now()).await.unwrap();
        let id = registry.list().await.unwrap()[0].id;
        let checks =
            [event(HealthEventKind::Check, "UP", 1), event(HealthEventKind::Check, "DOWN", 2)];
        for check in &checks {
            registry.note_check(id, check).await.unwrap();
        }
        let opened = event(HealthEventKind::Breaker, "OPEN", 3);
        let open = ProviderState {
            breaker: Breaker::Open { until: now() + minutes(1), times: 1 },
            ..ProviderState::default()
        };
        registry.note_breaker("a", open, &opened).await.unwrap();

        let [first, last] = checks;
        assert_eq!(registry.list().await.unwrap()[0].last_check.as_ref(), Some(&last));
        assert_eq!(registry.history(id).await.unwrap(), [opened, last, first]);
        assert_eq!(state(&subject, "a").await, Some(open));
        let closed = ProviderState::default();
        let shut = event(HealthEventKind::Breaker, "CLOSED", 4);
        registry.note_breaker("a", closed, &shut).await.unwrap();
        assert_eq!(state(&subject, "a").await, None);
    }
}

#[tokio::test]
async fn one_instance_probes_a_provider_after_its_rest() {
    for subject in subjects(Money::ZERO).await {
        println!("on {}", subject.name);
        let registry = &subject.providers;
        registry.declare(&[provider("a")], now()).await.unwrap();
        let until = now() + minutes(1);
        let with = |breaker| ProviderState { breaker, ..ProviderState::default() };
        let open = with(Breaker::Open { until, times: 3 });
        let opened = event(HealthEventKind::Breaker, "OPEN", 0);
        registry.note_breaker("a", open, &opened).await.unwrap();
        let later = now() + minutes(2);
        let probing = with(Breaker::Probing { until: later, times: 3 });

        let begin = async |at| registry.begin_probe("a", probing, at).await.unwrap();
        assert!(!begin(now()).await, "it rests");
        assert!(begin(until).await);
        assert!(!begin(until).await, "another was first");
        assert_eq!(state(&subject, "a").await, Some(probing));
        assert!(begin(later).await, "that one did not come back");
        assert!(!registry.begin_probe("nobody", probing, later).await.unwrap());
    }
}

#[tokio::test]
async fn a_provider_is_demoted_once_per_interval() {
    for subject in subjects(Money::ZERO).await {
        println!("on {}", subject.name);
        let registry = &subject.providers;
        registry.declare(&[provider("a")], now()).await.unwrap();
        for (to, seconds, expected) in [(1, 0, 1), (2, 59, 1), (2, 61, 2)] {
            let demotion = Demotion { to, reason: "silent".into() };
            let event = event(HealthEventKind::Demotion, &to.to_string(), seconds);
            registry.demote("a", &demotion, minutes(1), &event).await.unwrap();
            assert_eq!(state(&subject, "a").await.unwrap().demotion, expected);
        }
        let id = registry.list().await.unwrap()[0].id;
        assert_eq!(registry.history(id).await.unwrap().len(), 2);
    }
}

#[tokio::test]
async fn reports_count_for_the_handover_minute_and_queries_do_not() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        subject.providers.declare(&[provider("first")], now()).await.unwrap();
        let counts = async |at| {
            let stats = subject.providers.report_stats(at).await.unwrap();
            assert_eq!((stats.len(), stats[0].name.as_str()), (1, "first"));
            (stats[0].recent, stats[0].normal)
        };
        subject.accept(&subject.messages(3)).await;
        let jobs = subject.claim().await;
        for (number, job) in jobs.iter().enumerate() {
            let step = sent(job, "first", &number.to_string());
            assert_eq!(subject.record(step).await, Recorded::Done);
        }
        let none = ReportCounts::default();
        let all = ReportCounts { taken: 3, unreported: 3 };
        assert_eq!(counts(now()).await, (none, none), "it is too early to tell");
        assert_eq!(counts(now() + minutes(4)).await, (all, none));

        let message = subject.find(jobs[0].message.id).await;
        let from = message.delivery.status();
        let at = now() + minutes(1);
        let delivery = message.delivery.after(DeliveryEvent::Confirmed { at }).unwrap();
        let message = Message { delivery, ..message };
        let report = ReportApplied { message, from, due_in: None, event: None };
        assert_eq!(subject.record(report).await, Recorded::Done);

        subject.pass(minutes(10)).await;
        let asked = subject.claim().await.remove(0);
        let delivered = asked.message.delivery.after(DeliveryEvent::Confirmed { at }).unwrap();
        assert_eq!(subject.record(asked.conclude(delivered)).await, Recorded::Done);

        let reported = ReportCounts { taken: 3, unreported: 2 };
        assert_eq!(counts(now() + minutes(4)).await, (reported, none));
        assert_eq!(counts(now() + minutes(60)).await, (none, reported));
    }
}
