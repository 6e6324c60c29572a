//! Notices: written with their causes, and taken by one instance at a time.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    content::approval::{ApprovalKind, Verdict},
    identity::{
        organization::Organization,
        traffic::{CodeShare, Evidence, OperatorRange, TrafficAlert},
    },
    platform::notice::{DecidedApproval, NoticeCause},
    shared::{id::Id, money::Money},
};
use ports::{
    content::approvals::Settled,
    platform::{
        notices::{DueNotice, NoticeQueue, NoticeResult},
        traffic::TrafficWatchStore,
    },
};

use crate::{
    World,
    content::approvals::{decide, pending},
    minutes, now,
};

const MAKE_DUE: &str = "UPDATE notices SET due_at = now()";

fn alert(organization: Id<Organization>, found_at: DateTime<Utc>) -> TrafficAlert {
    let share = |codes, delivered| CodeShare { codes, delivered };
    TrafficAlert {
        id: Id::new_in(found_at, organization),
        organization,
        range: OperatorRange::stored(23_324),
        found_at,
        evidence: Evidence {
            recent: share(80, 12),
            normal: share(1_000, 950),
            others: share(300, 290),
            others_normal: share(5_000, 4_900),
            other_organizations: 3,
        },
        stopped_until: Some(found_at + TimeDelta::hours(1)),
        lifted_at: None,
        lifted_by: None,
    }
}

async fn take(world: &World) -> Vec<DueNotice> {
    world.store.take_due(minutes(2), 10).await.unwrap()
}

async fn number(world: &World, query: &str) -> i64 {
    world.client().await.query_one(query, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_notice_has_what_its_text_says_about_the_cause() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    world.open_wallet(organization, Money::from_cedis(4)).await;
    world
        .sql(&format!(
            "UPDATE wallets SET low_balance_micros = 5000000 WHERE organization_id = '{organization}'"
        ))
        .await;
    world.store.note_low_balances().await.unwrap();
    let (_, approval) = pending(&world, organization).await;
    assert_eq!(decide(&world, &approval, Verdict::Rejected).await, Settled::Done);
    let alert = alert(organization, now());
    world.store.raise(&alert).await.unwrap();

    let taken = take(&world).await;

    let decided = DecidedApproval {
        requested_by: approval.requested_by,
        kind: ApprovalKind::Template,
        name: approval.name.clone(),
        verdict: Verdict::Rejected,
        comment: Some("seen".into()),
    };
    let (balance, threshold) = (Money::from_cedis(4), Money::from_cedis(5));
    for (key, cause) in [
        ("low-balance-1".to_owned(), NoticeCause::LowBalance { balance, threshold }),
        (format!("approval-{}", approval.id), NoticeCause::Decision(decided)),
        (format!("traffic-stop-{}", alert.id), NoticeCause::TrafficAlert(alert.clone())),
    ] {
        let found = taken.iter().find(|notice| notice.key == key).unwrap();
        assert_eq!((found.organization, found.attempt), (organization, 1));
        assert_eq!(found.cause, Some(cause));
    }
    assert_eq!(taken.len(), 3);
}

#[tokio::test]
async fn one_instance_at_a_time_sends_a_notice() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    world.store.raise(&alert(organization, now())).await.unwrap();

    let (one, other) = tokio::join!(take(&world), take(&world));
    let taken = [one, other].concat();
    assert_eq!(taken.len(), 1);
    assert!(take(&world).await.is_empty(), "an instance is about to send it");
    world.sql(MAKE_DUE).await;
    let again = take(&world).await;
    assert_eq!((again.len(), again[0].attempt), (1, 2), "the instance has died");

    world.store.record(&again[0], NoticeResult::Retry(minutes(8))).await.unwrap();
    let waits = "SELECT count(*) FROM notices \
        WHERE status = 'PENDING' AND due_at BETWEEN now() + '7 min' AND now() + '8 min'";
    assert_eq!(number(&world, waits).await, 1);
    // The first instance was slow.
    world.store.record(&taken[0], NoticeResult::Sent).await.unwrap();
    world.store.record(&again[0], NoticeResult::GivenUp).await.unwrap();
    world.sql(MAKE_DUE).await;
    assert!(take(&world).await.is_empty());
    let sent = "SELECT count(*) FROM notices WHERE status = 'SENT' AND ended_at IS NOT NULL";
    assert_eq!(number(&world, sent).await, 1);
}

#[tokio::test]
async fn a_notice_that_cannot_be_read_hides_no_other() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    world.store.raise(&alert(organization, now())).await.unwrap();
    for (key, kind) in [("broken", "LOW_BALANCE"), ("later", "KIND_OF_A_LATER_VERSION")] {
        world
            .sql(&format!(
                "INSERT INTO notices (organization_id, id, kind, key, data) \
                 VALUES ('{organization}', uuid_v7_in(now(), '{organization}'), '{kind}', '{key}', '{{}}')"
            ))
            .await;
    }

    let taken = take(&world).await;

    let is_read = |notice: &&DueNotice| notice.cause.is_some();
    assert_eq!((taken.len(), taken.iter().filter(is_read).count()), (3, 1));
}

#[tokio::test]
async fn a_notice_is_deleted_a_month_after_its_end() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    for (key, status, ended_at) in [
        ("waits", "PENDING", "NULL"),
        ("new", "SENT", "now() - interval '29 days'"),
        ("old", "SENT", "now() - interval '31 days'"),
        ("given-up", "GIVEN_UP", "now() - interval '31 days'"),
    ] {
        world
            .sql(&format!(
                "INSERT INTO notices (organization_id, id, kind, key, data, status, ended_at, created_at) \
                 VALUES ('{organization}', uuid_v7_in(now(), '{organization}'), 'LOW_BALANCE', '{key}', \
                    '{{}}', '{status}', {ended_at}, now() - interval '40 days')"
            ))
            .await;
    }

    world.store.maintain().await.unwrap();

    assert_eq!(number(&world, "SELECT count(*) FROM notices").await, 2);
    let kept = "SELECT count(*) FROM notices WHERE key IN ('waits', 'new')";
    assert_eq!(number(&world, kept).await, 2);
}
