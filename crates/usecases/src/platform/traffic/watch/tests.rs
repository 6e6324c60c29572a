//! Rules of stops and alerts.

use chrono::TimeDelta;
use domain::{
    identity::traffic::{CodeShare, Evidence},
    platform::fraud_guard::SettledMessage,
    shared::country::Country,
};
use ports::shared::mock::{MockOrganizationRepository, MockTrafficWatchStore};

use super::*;
use crate::shared::fixtures::{NOW, away, clock, policies, tenant};

const RANGE: OperatorRange = OperatorRange::stored(23_324);
const GOOD: CodeShare = CodeShare { codes: 1_000, delivered: 950 };
const FALLEN: CodeShare = CodeShare { codes: 80, delivered: 12 };

fn watch(store: MockTrafficWatchStore, counter: &TrafficCounter) -> TrafficWatch {
    TrafficWatch::new(TrafficWatchDeps {
        counter: counter.clone(),
        store: Arc::new(store),
        policies: policies(Arc::new(MockOrganizationRepository::new())),
        clock: clock(),
    })
}

fn alert(stopped_until: Option<TimeDelta>) -> TrafficAlert {
    TrafficAlert {
        id: Id::new_in(NOW, tenant()),
        organization: tenant(),
        range: RANGE,
        found_at: NOW,
        evidence: evidence(),
        stopped_until: stopped_until.map(|after| NOW + after),
        lifted_at: None,
        lifted_by: None,
    }
}

fn evidence() -> Evidence {
    Evidence {
        recent: FALLEN,
        normal: GOOD,
        others: GOOD,
        others_normal: GOOD,
        other_organizations: 3,
    }
}

/// Judges an organization whose deliveries fall alone, and returns the new alert, if any.
async fn raised(last: Option<TrafficAlert>) -> Option<TrafficAlert> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut store = MockTrafficWatchStore::new();
    store.expect_begin_judging().returning(|| Ok(true));
    store.expect_suspects().returning(|_, _| Ok(vec![(tenant(), RANGE)]));
    store.expect_last_alert().returning(move |_, _| Ok(last.clone()));
    store.expect_evidence().returning(|_, _, _| Ok(evidence()));
    store.expect_raise().returning(move |alert| {
        sender.send(alert.clone()).unwrap();
        Ok(())
    });
    watch(store, &TrafficCounter::default()).judge().await.unwrap();
    receiver.try_recv().ok()
}

#[tokio::test]
async fn an_organization_that_falls_alone_is_stopped_for_an_hour() {
    let first = raised(None).await.unwrap();
    assert_eq!(first.stopped_until, Some(NOW + STOP));
    assert!(raised(Some(alert(Some(TimeDelta::minutes(5))))).await.is_none(), "it is stopped");
    let again = raised(Some(alert(Some(TimeDelta::minutes(-5))))).await.unwrap();
    assert_eq!(again.stopped_until, Some(NOW + STOP));
}

#[tokio::test]
async fn a_lifted_stop_is_not_repeated_for_a_day() {
    let lifted = |hours| TrafficAlert {
        lifted_at: Some(NOW - TimeDelta::hours(hours)),
        ..alert(Some(TimeDelta::hours(-hours)))
    };
    assert_eq!(raised(Some(lifted(23))).await.unwrap().stopped_until, None);
    assert_eq!(raised(Some(lifted(24))).await.unwrap().stopped_until, Some(NOW + STOP));
}

#[tokio::test]
async fn a_failure_delays_no_other_and_a_minute_is_judged_once() {
    let mut store = MockTrafficWatchStore::new();
    store.expect_begin_judging().once().returning(|| Ok(true));
    store.expect_begin_judging().once().returning(|| Ok(false));
    store.expect_suspects().once().returning(|_, _| Ok(vec![(tenant(), RANGE); 2]));
    store.expect_last_alert().once().returning(|_, _| Err(away()));
    store.expect_last_alert().once().returning(|_, _| Ok(None));
    store.expect_evidence().returning(|_, _, _| Ok(evidence()));
    store.expect_raise().once().returning(|_| Ok(()));
    let watch = watch(store, &TrafficCounter::default());

    watch.judge().await.unwrap();
    watch.judge().await.unwrap();
}

#[tokio::test]
async fn counts_that_fail_to_be_written_are_written_next_time() {
    let counter = TrafficCounter::default();
    let (organization, range, country) = (tenant(), RANGE, Country::GH);
    counter.count(SettledMessage {
        organization,
        range,
        country,
        is_code: true,
        is_delivered: true,
    });
    let mut store = MockTrafficWatchStore::new();
    store.expect_add().once().returning(|_| Err(away()));
    store.expect_add().once().withf(|counts| counts.codes.len() == 1).returning(|_| Ok(()));
    let watch = watch(store, &counter);

    assert!(watch.write().await.is_err());
    watch.write().await.unwrap();
    watch.write().await.unwrap();
}
