//! Counts of codes, the evidence from them, and alerts.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::{
        actor::{Actor, RequestId},
        organization::Organization,
        traffic::{CodeShare, Evidence, OperatorRange, TrafficAlert, Windows},
        user::User,
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{country::Country, id::Id},
};
use ports::platform::traffic::{
    TrafficAlertRepository, TrafficCounts, TrafficRulesRepository, TrafficWatchStore,
};

use crate::World;

const RANGE: OperatorRange = OperatorRange::stored(23_324);

fn share(codes: u64, delivered: u64) -> CodeShare {
    CodeShare { codes, delivered }
}

fn counted(organization: Id<Organization>, codes: u64, delivered: u64) -> TrafficCounts {
    TrafficCounts {
        codes: vec![(organization, RANGE, share(codes, delivered))],
        arrivals: vec![(organization, Country::GH, delivered)],
    }
}

/// Moves the counts of organizations and of operator ranges into the past.
async fn age(world: &World, hours: i32) {
    for table in ["traffic_hours", "traffic_range_hours"] {
        world.sql(&format!("UPDATE {table} SET hour = hour - interval '{hours} hours'")).await;
    }
}

fn clock_time() -> DateTime<Utc> {
    ports::shared::clock::Clock::now(&app::clock::SystemClock)
}

fn alert(organization: Id<Organization>, stops: bool) -> TrafficAlert {
    let found_at = clock_time();
    TrafficAlert {
        id: Id::new_in(found_at, organization),
        organization,
        range: RANGE,
        found_at,
        evidence: Evidence { recent: share(80, 12), ..Evidence::default() },
        stopped_until: stops.then(|| found_at + TimeDelta::hours(1)),
        lifted_at: None,
        lifted_by: None,
    }
}

#[tokio::test]
async fn evidence_counts_recent_and_normal_codes_of_own_and_others() {
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    for (organization, codes, delivered) in [(own, 300, 290), (other, 500, 480)] {
        world.store.add(&counted(organization, codes, delivered)).await.unwrap();
    }
    age(&world, 24).await;
    for (organization, codes, delivered) in [(own, 30, 3), (other, 70, 69), (own, 30, 2)] {
        world.store.add(&counted(organization, codes, delivered)).await.unwrap();
    }

    let windows = Windows::at(clock_time());
    let evidence = world.store.evidence(own, RANGE, windows).await.unwrap();

    assert_eq!(evidence.recent, share(60, 5));
    assert_eq!(evidence.normal, share(300, 290));
    assert_eq!(evidence.others, share(70, 69));
    assert_eq!(evidence.others_normal, share(500, 480));
    let suspects = world.store.suspects(windows, 10).await.unwrap();
    assert_eq!(suspects, [(own, RANGE)]);
}

#[tokio::test]
async fn one_instance_judges_the_counts_each_minute() {
    let world = World::alone().await;

    let begun = tokio::join!(world.store.begin_judging(), world.store.begin_judging());

    assert_ne!(begun.0.unwrap(), begun.1.unwrap());
    assert!(!world.store.begin_judging().await.unwrap());
}

#[tokio::test]
async fn a_country_is_usual_after_three_days_with_deliveries() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let today = "(now() AT TIME ZONE 'UTC')::date";
    for ago in 1..=3 {
        world.store.add(&counted(organization, 1, 1)).await.unwrap();
        let rules = world.store.rules(organization).await.unwrap();
        assert!(rules.usual.is_empty(), "today is day {ago}");
        let move_on = format!("UPDATE traffic_days SET day = day - {ago} WHERE day = {today}");
        world.sql(&move_on).await;
    }
    assert_eq!(world.store.rules(organization).await.unwrap().usual, [Country::GH]);
}

#[tokio::test]
async fn a_daily_alert_is_notified_again_when_it_stops_traffic() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let keys = async || {
        let query = "SELECT key FROM notices WHERE organization_id = $1 ORDER BY created_at";
        let rows = world.client().await.query(query, &[&organization.uuid()]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect::<Vec<String>>()
    };
    let first = alert(organization, false);
    let notice = format!("traffic-notice-{}", first.id);
    for raised in [&first, &alert(organization, false)] {
        world.store.raise(raised).await.unwrap();
        assert_eq!(keys().await, [notice.as_str()]);
    }
    assert!(world.store.rules(organization).await.unwrap().stops.is_empty());

    let stopping = alert(organization, true);
    world.store.raise(&stopping).await.unwrap();
    world.store.raise(&alert(organization, false)).await.unwrap();

    let stop = format!("traffic-stop-{}", first.id);
    assert_eq!(keys().await, [notice, stop]);
    let kept = world.store.last_alert(organization, RANGE).await.unwrap().unwrap();
    let seconds = |at: Option<DateTime<Utc>>| at.map(|at| at.timestamp());
    assert_eq!(seconds(kept.stopped_until), seconds(stopping.stopped_until));
    let stops = world.store.rules(organization).await.unwrap().stops;
    assert_eq!((stops.len(), stops[0].recent), (1, share(80, 12)));
}

#[tokio::test]
async fn a_stop_is_lifted_once_with_an_audit_line() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let raised = alert(organization, true);
    world.store.raise(&raised).await.unwrap();
    let user: Id<User> = Id::new(clock_time());
    let lifted =
        TrafficAlert { lifted_at: Some(raised.found_at), lifted_by: Some(user), ..raised.clone() };
    let entry = || AuditEntry {
        id: Id::new_in(clock_time(), organization),
        organization,
        at: raised.found_at,
        actor: Actor { user, request: RequestId::new("r"), is_impersonating: false },
        action: AuditAction::TrafficStopLifted,
        resource_type: "TRAFFIC_ALERT",
        resource: raised.id.uuid(),
        details: [].into(),
    };

    assert!(world.store.lift(&lifted, &entry()).await.unwrap());
    assert!(!world.store.lift(&lifted, &entry()).await.unwrap());

    let kept = TrafficAlertRepository::find(&world.store, organization, raised.id).await.unwrap();
    assert_eq!(kept.unwrap().lifted_by, Some(user));
    assert!(world.store.rules(organization).await.unwrap().stops.is_empty());
    let lines = "SELECT count(*) FROM audit_log WHERE action = 'traffic_stop.lifted'";
    let lines: i64 = world.client().await.query_one(lines, &[]).await.unwrap().get(0);
    assert_eq!(lines, 1);
}
