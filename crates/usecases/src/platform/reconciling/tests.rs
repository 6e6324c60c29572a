//! Rules of reconciliations, over mocks.

use std::sync::Mutex;

use domain::{
    messaging::{
        delivery::{Delivery, DeliveryEvent, FailureCode, Status},
        job::{JobConcluded, Step},
        message::Message,
        outcome::LookUp,
    },
    platform::reconciliation::{Position, Stopped},
    shared::category::Category,
};
use ports::{
    messaging::messages::Recorded,
    platform::reconciliations::Taken,
    shared::mock::{
        MockClock, MockJobs, MockMessagingProvider, MockReconciliations,
        MockScheduledMessageRepository,
    },
};

use super::*;
use crate::{
    providers::provider_registry::{ConfiguredProvider, Providers},
    shared::fixtures::{NOW, clock, delivering, failure, job, provider, queued, tenant, with},
};

const SINCE: DateTime<Utc> = NOW;

/// Time of the command, an hour after the restored time.
fn later() -> DateTime<Utc> {
    NOW + TimeDelta::hours(1)
}

/// Writes of a reconciliation, in their order.
#[derive(Default)]
struct Written {
    ended_validity: Vec<Vec<Position>>,
    steps: Vec<Step>,
    released: usize,
    saved: Vec<Reconciliation>,
}

/// Reconciles one message about which the only provider gives this answer, and returns the result with what
/// was written.
async fn reconciled(message: Message, answer: LookUp) -> (Reconciliation, Written) {
    let written = Arc::new(Mutex::new(Written::default()));
    let mut first = MockMessagingProvider::new();
    first.expect_look_up().once().return_once(|_| answer);
    let configured = ConfiguredProvider {
        provider: provider("first", 1, TimeDelta::minutes(10)),
        adapter: Arc::new(first),
    };
    let providers = Providers::new(vec![configured], Arc::new(MockMessagingProvider::new()), None);
    let clock: Arc<dyn Clock> = Arc::new(MockClock::at(later()));
    let deliveries = delivering(Arc::new(jobs(&written)), Arc::new(providers), Arc::clone(&clock));
    let mut scheduled = MockScheduledMessageRepository::new();
    scheduled.expect_release_due().once().returning(|| Ok(0));
    let reconciling = Reconciling::new(ReconcilingDeps {
        reconciliations: Arc::new(restored(vec![job(message, 0)], &written)),
        scheduled: Arc::new(scheduled),
        deliveries: Deliveries::new(deliveries),
        clock,
    });

    let reconciliation = reconciling.reconcile(SINCE, None).await.unwrap();

    let written = std::mem::take(&mut *written.lock().unwrap());
    assert_eq!(written.saved.last(), Some(&reconciliation));
    (reconciliation, written)
}

/// Jobs that note what is written to them.
fn jobs(written: &Arc<Mutex<Written>>) -> MockJobs {
    let mut jobs = MockJobs::new();
    let noted = Arc::clone(written);
    jobs.expect_record().returning(move |step| {
        noted.lock().unwrap().steps.push(step);
        Ok(Recorded::Done)
    });
    let noted = Arc::clone(written);
    jobs.expect_release().returning(move |jobs| {
        noted.lock().unwrap().released += jobs.len();
        Ok(())
    });
    jobs
}

/// A restored database with jobs, which no instance uses.
fn restored(jobs: Vec<Job>, written: &Arc<Mutex<Written>>) -> MockReconciliations {
    let mut database = unused(None);
    database.expect_newest_message().returning(|| Ok(Some(SINCE)));
    database
        .expect_stop_senders()
        .once()
        .returning(|_| Ok(Stopped { paused_campaigns: 2, ..Stopped::default() }));
    let waiting = Mutex::new(jobs);
    database.expect_take().returning(move |_, _, _| {
        let jobs = std::mem::take(&mut *waiting.lock().unwrap());
        let last = jobs.last().map(|job| (job.message.organization, job.message.id));
        Ok(Taken { jobs, last })
    });
    let noted = Arc::clone(written);
    database.expect_end_validity().returning(move |messages, now| {
        assert_eq!(now, later());
        let mut noted = noted.lock().unwrap();
        assert!(noted.steps.is_empty(), "the validity ends before the step");
        noted.ended_validity.push(messages.to_vec());
        Ok(())
    });
    let noted = Arc::clone(written);
    database.expect_save().returning(move |reconciliation| {
        noted.lock().unwrap().saved.push(reconciliation.clone());
        Ok(())
    });
    database
}

/// A database that no instance uses, with this reconciliation.
fn unused(known: Option<Reconciliation>) -> MockReconciliations {
    let mut database = MockReconciliations::new();
    database.expect_find().returning(move |_| Ok(known.clone()));
    database.expect_running_instances().returning(|_| Ok(0));
    database
}

/// Result of a reconciliation of a database on which nothing is written.
async fn refused(database: MockReconciliations) -> Result<Reconciliation, ReconcileError> {
    let providers = Providers::new(Vec::new(), Arc::new(MockMessagingProvider::new()), None);
    let deliveries = delivering(Arc::new(MockJobs::new()), Arc::new(providers), clock());
    let reconciling = Reconciling::new(ReconcilingDeps {
        reconciliations: Arc::new(database),
        scheduled: Arc::new(MockScheduledMessageRepository::new()),
        deliveries: Deliveries::new(deliveries),
        clock: Arc::new(MockClock::at(later())),
    });
    reconciling.reconcile(SINCE, None).await
}

fn only_step(written: &mut Written) -> JobConcluded {
    let step = written.steps.pop().unwrap();
    assert!(written.steps.is_empty());
    let Step::JobConcluded(concluded) = step else { panic!("{step:?}") };
    concluded
}

#[tokio::test]
async fn a_message_about_which_nobody_can_be_asked_is_in_doubt_and_never_sent_again() {
    let message = queued(Category::Transactional);
    let id = message.id;

    let (reconciliation, mut written) = reconciled(message, LookUp::Unavailable).await;

    assert_eq!(written.ended_validity, [vec![(tenant(), id)]]);
    let step = only_step(&mut written);
    assert_eq!((step.from, step.message.delivery.status()), (Status::Queued, Status::Pending));
    assert_eq!(step.message.provider.as_deref(), Some("first"));
    assert!(step.message.was_given_to("first", None), "its report will be accepted");
    assert_eq!(step.due_in, Some(TimeDelta::hours(1)), "as long as it is in doubt");
    let found = reconciliation.findings;
    assert_eq!((found.examined, found.in_doubt, found.not_sent), (1, 1, 0));
    assert_eq!(found.in_doubt_by_provider.get("first"), Some(&1));
    assert_eq!(found.stopped.paused_campaigns, 2);
    assert_eq!(reconciliation.finished_at, Some(later()));
}

#[tokio::test]
async fn a_message_that_no_provider_knows_is_left_to_be_sent() {
    let (reconciliation, written) =
        reconciled(queued(Category::Transactional), LookUp::NotFound).await;

    assert_eq!((written.released, written.steps.len()), (1, 0));
    assert!(written.ended_validity.is_empty());
    assert_eq!(reconciliation.findings.not_sent, 1);
}

#[tokio::test]
async fn an_answer_of_the_provider_is_recorded() {
    let confirmed = DeliveryEvent::Confirmed { at: later() };
    let rejected =
        DeliveryEvent::Rejected { at: later(), failure: failure(FailureCode::Undelivered) };
    for (answer, status) in [
        (LookUp::Found(confirmed), Status::Delivered),
        (LookUp::Found(rejected), Status::Failed),
        (LookUp::Waiting, Status::Sent),
    ] {
        for message in [queued(Category::Transactional), sent()] {
            let (reconciliation, mut written) = reconciled(message, answer.clone()).await;

            assert_eq!(only_step(&mut written).message.delivery.status(), status, "{answer:?}");
            let found = reconciliation.findings;
            let counts = [found.delivered, found.failed, found.sent];
            let statuses = [Status::Delivered, Status::Failed, Status::Sent];
            assert_eq!(counts, statuses.map(|it| u64::from(it == status)));
        }
    }
}

fn sent() -> Message {
    with("first", Delivery::Sent { at: NOW })
}

#[tokio::test]
async fn a_database_in_use_is_refused() {
    let mut database = MockReconciliations::new();
    database.expect_find().returning(|_| Ok(None));
    database.expect_running_instances().returning(|_| Ok(2));

    let error = refused(database).await.unwrap_err();

    assert_eq!(error.to_string(), "2 instances use the database: stop them first");
}

#[tokio::test]
async fn a_database_with_later_messages_is_refused() {
    let mut database = unused(None);
    database.expect_newest_message().returning(|| Ok(Some(SINCE + TimeDelta::minutes(2))));

    let error = refused(database).await.unwrap_err();

    assert!(matches!(error, ReconcileError::NotRestored { .. }), "{error}");
}

#[tokio::test]
async fn a_reconciliation_that_has_ended_changes_nothing() {
    let mut ended = Reconciliation::begin(LostTime { since: SINCE, until: later() });
    ended.finished_at = Some(later());
    let mut database = MockReconciliations::new();
    let known = ended.clone();
    database.expect_find().returning(move |_| Ok(Some(known.clone())));

    assert_eq!(refused(database).await.unwrap(), ended);
}

#[tokio::test]
async fn an_interrupted_reconciliation_goes_on_behind_its_position() {
    let message = queued(Category::Transactional);
    let position = Some((message.organization, message.id));
    let mut known = Reconciliation::begin(LostTime { since: SINCE, until: later() });
    (known.position, known.findings.examined) = (position, 7);
    let mut database = unused(Some(known));
    database
        .expect_take()
        .once()
        .withf(move |_, given, _| *given == position)
        .returning(|_, _, _| Ok(Taken { jobs: Vec::new(), last: None }));
    database.expect_save().once().returning(|_| Ok(()));
    let mut scheduled = MockScheduledMessageRepository::new();
    scheduled.expect_release_due().returning(|| Ok(0));
    let providers = Providers::new(Vec::new(), Arc::new(MockMessagingProvider::new()), None);
    let deliveries = delivering(Arc::new(MockJobs::new()), Arc::new(providers), clock());
    let reconciling = Reconciling::new(ReconcilingDeps {
        reconciliations: Arc::new(database),
        scheduled: Arc::new(scheduled),
        deliveries: Deliveries::new(deliveries),
        clock: Arc::new(MockClock::at(later())),
    });

    let reconciliation = reconciling.reconcile(SINCE, None).await.unwrap();

    assert_eq!(reconciliation.findings.examined, 7);
    assert_eq!(reconciliation.finished_at, Some(later()));
}
