//! Tasks that send failed messages again.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        delivery::FailureCode,
        delivery_log::{LogFilter, LogRequest},
        message::Message,
        resend::{ResendStatus, ResendTask},
    },
    shared::id::Id,
};
use ports::messaging::{
    messages::Intake,
    resends::{LeasedResend, ResendEnd, ResendProgress, ResendQueue, ResendRepository},
};

use super::intake_fixture::{IntakeFixture, PRICE};
use crate::now;

/// An organization with `count` failed messages of an event, the oldest of which has another failure
/// code, and their identifiers, newest first.
async fn failed(count: usize) -> (IntakeFixture, Vec<Id<Message>>) {
    let fixture = IntakeFixture::open(PRICE * 100).await;
    let messages: Vec<_> = (0..count).map(|_| fixture.message()).collect();
    fixture.intake.accept(fixture.submission(&messages)).await.unwrap();
    let mut ids: Vec<_> = messages.iter().map(|message| message.id).collect();
    ids.sort_unstable();
    fixture
        .world
        .sql(&format!(
            "UPDATE delivery_logs SET status = 'FAILED', failed_at = now(), error_message = '', \
                event = 'parcel', metadata = '{{\"order\": \"4711\", \"shop\": \"1\"}}', \
                error_code = CASE WHEN id = '{}' THEN 'NO_ROUTE' ELSE 'UNDELIVERED' END \
             WHERE organization_id = '{}'",
            ids[0], fixture.organization
        ))
        .await;
    ids.reverse();
    (fixture, ids)
}

fn task(fixture: &IntakeFixture, until: DateTime<Utc>) -> ResendTask {
    let request = LogRequest {
        from: Some(until - TimeDelta::days(1)),
        event: Some("parcel".into()),
        error_code: Some(FailureCode::Undelivered),
        is_sandbox: Some(false),
        metadata: [("order".to_owned(), "4711".to_owned())].into(),
        ..LogRequest::default()
    };
    ResendTask {
        id: Id::new_in(now(), fixture.organization),
        organization: fixture.organization,
        filter: request.failures(until).unwrap(),
        status: ResendStatus::Queued,
        failure: None,
        count: 4,
        is_capped: false,
        resent: 0,
        skipped: 0,
        created_at: now(),
        completed_at: None,
    }
}

async fn claim(fixture: &IntakeFixture) -> LeasedResend {
    ResendQueue::claim(&fixture.world.store).await.unwrap().unwrap()
}

async fn found(fixture: &IntakeFixture, task: &ResendTask) -> ResendTask {
    let found = fixture.world.store.find_task(task.organization, task.id).await.unwrap();
    found.unwrap()
}

#[tokio::test]
async fn a_task_walks_back_over_the_failed_messages_that_fit() {
    let (fixture, ids) = failed(5).await;
    let store = &fixture.world.store;
    let task = task(&fixture, now() + TimeDelta::minutes(1));
    let counted = store.count(task.organization, &task.filter).await.unwrap();
    assert_eq!(counted.groups.iter().map(|group| group.messages).sum::<u64>(), 4);
    assert!(!counted.is_capped);
    let other = LogFilter { event: Some("login".into()), ..task.filter.clone() };
    assert!(store.count(task.organization, &other).await.unwrap().groups.is_empty());
    assert!(store.begin(&task, 1).await.unwrap());
    let another = ResendTask { id: Id::new_in(now(), task.organization), ..task.clone() };
    assert!(!store.begin(&another, 1).await.unwrap());

    let leased = claim(&fixture).await;
    assert_eq!(leased.task.filter.error_code, task.filter.error_code);
    assert_eq!(leased.task.filter.metadata, task.filter.metadata);
    let part = store.next(&leased, 3).await.unwrap();
    assert_eq!(part.messages.iter().map(|it| it.id).collect::<Vec<_>>(), ids[..3]);
    assert_eq!(part.last, Some(ids[2]));
    store.advance(&leased, ids[2], ResendProgress { resent: 2, skipped: 1 }).await.unwrap();

    let leased = claim(&fixture).await;
    let part = store.next(&leased, 3).await.unwrap();
    assert_eq!(part.messages.iter().map(|it| it.id).collect::<Vec<_>>(), [ids[3]]);
    assert_eq!(part.last, None);
    let progress = ResendProgress { resent: 0, skipped: 1 };
    store.end(&leased, progress, ResendEnd::Completed).await.unwrap();

    let ended = found(&fixture, &task).await;
    assert_eq!((ended.status, ended.count), (ResendStatus::Completed, 4));
    assert_eq!((ended.resent, ended.skipped), (2, 2));
    assert_eq!(ResendQueue::claim(store).await.unwrap(), None);
}

#[tokio::test]
async fn the_newest_tasks_of_an_organization_come_first() {
    let (fixture, _) = failed(1).await;
    let store = &fixture.world.store;
    let until = now() + TimeDelta::minutes(1);
    let tasks: Vec<_> = [0, 1, 2]
        .map(|seconds| ResendTask {
            id: Id::new_in(now() + TimeDelta::seconds(seconds), fixture.organization),
            ..task(&fixture, until)
        })
        .into();
    for task in &tasks {
        assert!(store.begin(task, 3).await.unwrap());
    }

    let newest = store.newest_tasks(fixture.organization, 2).await.unwrap();

    let ids: Vec<_> = newest.iter().map(|task| task.id).collect();
    assert_eq!(ids, [tasks[2].id, tasks[1].id]);
    let (other, _) = failed(1).await;
    assert_eq!(store.newest_tasks(other.organization, 2).await.unwrap(), []);
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_records_nothing() {
    let (fixture, ids) = failed(2).await;
    let store = &fixture.world.store;
    let task = task(&fixture, now() + TimeDelta::minutes(1));
    store.begin(&task, 1).await.unwrap();
    let lost = claim(&fixture).await;
    fixture.world.sql("UPDATE resend_tasks SET due_at = now()").await;
    let leased = claim(&fixture).await;
    assert_ne!(leased.lease, lost.lease);

    let progress = ResendProgress { resent: 1, skipped: 0 };
    store.advance(&lost, ids[0], progress).await.unwrap();
    store.end(&lost, progress, ResendEnd::Completed).await.unwrap();

    let kept = found(&fixture, &task).await;
    assert_eq!((kept.status, kept.resent), (ResendStatus::Processing, 0));
    store.put_off(&leased, TimeDelta::zero()).await.unwrap();
    assert_eq!(claim(&fixture).await.position, leased.position);
}
