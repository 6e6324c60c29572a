//! The rules of the sweep.

use std::sync::Mutex;

use domain::messaging::report::Report;
use ports::{messaging::callbacks::MatchedReport, shared::store::StoreError};

use super::*;
use crate::shared::fixtures::away;

/// Stored reports, as a store returns them.
#[derive(Default)]
struct Shelf {
    kept: Vec<MatchedReport>,
    reads: usize,
}

impl Shelf {
    /// A shelf with `many` reports, each on a message of its own.
    fn of(many: usize) -> Arc<Mutex<Self>> {
        let kept = (0..many).map(|_| kept(Id::new_in(NOW, tenant()), confirmed())).collect();
        Self::with(kept)
    }

    fn with(mut kept: Vec<MatchedReport>) -> Arc<Mutex<Self>> {
        kept.sort_by_key(|kept| kept.id);
        Arc::new(Mutex::new(Self { kept, reads: 0 }))
    }

    fn read(&mut self, last: Option<Id<MatchedReport>>, limit: usize) -> Vec<MatchedReport> {
        self.reads += 1;
        let later = self.kept.iter().filter(|kept| last.is_none_or(|last| kept.id > last));
        later.take(limit).cloned().collect()
    }
}

fn kept(message: Id<Message>, event: DeliveryEvent) -> MatchedReport {
    MatchedReport {
        id: Id::new(NOW),
        report: Report { message, provider: Some("first".into()), event },
    }
}

fn repository(shelf: &Arc<Mutex<Shelf>>) -> MockCallbackRepository {
    let mut repository = MockCallbackRepository::new();
    let shown = Arc::clone(shelf);
    let matched = repository.expect_matched();
    matched.returning(move |_, last, limit| Ok(shown.lock().unwrap().read(last, limit)));
    let emptied = Arc::clone(shelf);
    repository.expect_forget().returning(move |ids| {
        emptied.lock().unwrap().kept.retain(|kept| !ids.contains(&kept.id));
        Ok(())
    });
    repository
}

/// A store in which every message is sent, except where `instead` returns an error.
fn all_sent(
    instead: impl Fn(Id<Message>) -> Option<StoreError> + Send + 'static,
) -> (MockJobs, Arc<Mutex<Vec<Step>>>) {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let mut jobs = MockJobs::new();
    jobs.expect_find().returning(move |id| match instead(id) {
        Some(error) => Err(error),
        None => Ok(Some(Message { id, ..sent_by("first") })),
    });
    let written = Arc::clone(&steps);
    jobs.expect_record().returning(move |step| {
        written.lock().unwrap().push(step);
        Ok(Recorded::Done)
    });
    (jobs, steps)
}

async fn sweep(shelf: &Arc<Mutex<Shelf>>, jobs: MockJobs) -> Result<(), StoreError> {
    callbacks(Ok(by_reference()), jobs, repository(shelf)).sweep().await
}

#[tokio::test]
async fn a_sweep_goes_on_until_all_is_applied_and_forgotten() {
    let shelf = Shelf::of(1_234);
    let (jobs, steps) = all_sent(|_| None);

    sweep(&shelf, jobs).await.unwrap();

    assert_eq!(steps.lock().unwrap().len(), 1_234);
    let shelf = shelf.lock().unwrap();
    assert_eq!((shelf.kept.len(), shelf.reads), (0, 4), "three pages, and an empty one");
}

#[tokio::test]
async fn a_sweep_leaves_more_than_ten_thousand_reports_to_the_next() {
    let shelf = Shelf::of(10_001);

    sweep(&shelf, all_sent(|_| None).0).await.unwrap();
    assert_eq!(shelf.lock().unwrap().kept.len(), 1);

    sweep(&shelf, all_sent(|_| None).0).await.unwrap();
    assert_eq!(shelf.lock().unwrap().kept.len(), 0);
}

#[tokio::test]
async fn a_sweep_without_a_match_reads_once() {
    let shelf = Shelf::of(0);

    sweep(&shelf, MockJobs::new()).await.unwrap();

    assert_eq!(shelf.lock().unwrap().reads, 1);
}

#[tokio::test]
async fn the_reports_on_a_message_are_applied_in_order() {
    let message = sent_by("first");
    let failure = domain::messaging::delivery::Failure::new(
        domain::messaging::delivery::FailureCode::Undelivered,
        "no",
    );
    let rejected = DeliveryEvent::Rejected { at: NOW, failure };
    let first = kept(message.id, rejected);
    let later = Id::new(NOW + TimeDelta::milliseconds(1));
    let second = MatchedReport { id: later, ..kept(message.id, confirmed()) };
    let (shelf, ids) = (Shelf::with(vec![second, first]), message.id);
    let found = Arc::new(Mutex::new(message));
    let mut jobs = MockJobs::new();
    let shown = Arc::clone(&found);
    jobs.expect_find().with(eq(ids)).returning(move |_| Ok(Some(shown.lock().unwrap().clone())));
    let moved = Arc::clone(&found);
    jobs.expect_record().once().returning(move |step| {
        *moved.lock().unwrap() = step.into_message();
        Ok(Recorded::Done)
    });

    sweep(&shelf, jobs).await.unwrap();

    assert!(found.lock().unwrap().delivery.failure().is_some(), "the first that is final stands");
    assert_eq!(shelf.lock().unwrap().kept, []);
}

#[tokio::test]
async fn a_report_that_cannot_be_applied_stays_and_delays_no_other() {
    let shelf = Shelf::of(1_000);
    let bad = shelf.lock().unwrap().kept[0].clone();
    let broken = bad.report.message;
    let (jobs, steps) = all_sent(move |id| {
        (id == broken).then(|| StoreError::Internal("it contradicts itself".into()))
    });

    sweep(&shelf, jobs).await.unwrap();

    assert_eq!(steps.lock().unwrap().len(), 999);
    assert_eq!(shelf.lock().unwrap().kept, [bad]);
}

#[tokio::test]
async fn a_sweep_stops_while_the_store_is_unavailable() {
    let shelf = Shelf::of(1_000);
    let (jobs, steps) = all_sent(|_| Some(away()));

    assert!(sweep(&shelf, jobs).await.is_err());

    let shelf = shelf.lock().unwrap();
    assert_eq!((shelf.kept.len(), shelf.reads), (1_000, 1));
    assert!(steps.lock().unwrap().is_empty());
}
