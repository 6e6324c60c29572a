//! Rules of parts that cannot be written.

use std::sync::Mutex;

use domain::{
    audience::import::{Chunk, Delimiter, Encoding, Layout},
    messaging::job::Lease,
};
use ports::{
    audience::imports::LeasedUndo,
    shared::mock::{MockImportQueue, MockUndoQueue},
};

use super::*;
use crate::shared::fixtures::{away, clock, tenant};

const ONE_ROW: &str = "0244123456\n";
const TWO_ROWS: &str = "0244123457\n0244123458\n";

fn chunk(number: u32, text: &str) -> Chunk {
    Chunk { number, first_row: 2, rows: 1, bytes: text.as_bytes().to_vec() }
}

fn leased(failures: u32) -> LeasedChunk {
    let id = tenant().uuid();
    let header = vec!["phone".to_owned()];
    LeasedChunk {
        import: id.into(),
        organization: tenant(),
        kind: ImportKind::Contacts,
        layout: Layout {
            delimiter: Delimiter::Comma,
            encoding: Encoding::Utf8,
            labels: header.clone(),
            header,
        },
        chunk: chunk(0, ONE_ROW),
        next: None,
        consent: None,
        failures,
        lease: Lease(id),
    }
}

/// Queue with one part that failed that many times before.
fn queue(failures: u32) -> MockImportQueue {
    let mut queue = MockImportQueue::new();
    queue.expect_claim().once().returning(move || Ok(Some(leased(failures))));
    queue
}

async fn work(queue: MockImportQueue) {
    let work = ImportWork::new(Arc::new(queue), Arc::new(no_undo()), Bounds::none(), clock(), None);
    assert!(work.work_once().await.unwrap());
}

fn no_undo() -> MockUndoQueue {
    let mut undos = MockUndoQueue::new();
    undos.expect_claim_undo().returning(|| Ok(None));
    undos
}

fn no_part() -> MockImportQueue {
    let mut queue = MockImportQueue::new();
    queue.expect_claim().returning(|| Ok(None));
    queue
}

fn taken() -> StoreError {
    StoreError::Conflict { constraint: "contacts_phone_key".into() }
}

fn refused() -> StoreError {
    StoreError::Internal("invalid page in block 7".into())
}

#[tokio::test]
async fn a_part_with_a_write_conflict_is_repeated_at_once() {
    let mut queue = queue(0);
    let results = Mutex::new(vec![Ok(()), Err(taken()), Err(taken())]);
    queue.expect_write_contacts().times(3).returning(move |_, rows| {
        assert_eq!(rows.len(), 1);
        results.lock().unwrap().pop().unwrap()
    });
    work(queue).await;
}

/// Processes claimed parts one after the other, and returns the numbers of rows that were written.
async fn rows_written(parts: Vec<LeasedChunk>) -> Vec<usize> {
    let written = Arc::new(Mutex::new(Vec::new()));
    let turns = parts.len();
    let parts = Mutex::new(parts.into_iter());
    let mut queue = MockImportQueue::new();
    queue.expect_claim().returning(move || Ok(parts.lock().unwrap().next()));
    let record = Arc::clone(&written);
    queue.expect_write_contacts().returning(move |_, rows| {
        record.lock().unwrap().push(rows.len());
        Ok(())
    });
    let spawn: Spawn = Arc::new(|work: Box<dyn FnOnce() + Send>| work());
    let (queue, undos) = (Arc::new(queue), Arc::new(no_undo()));
    let work = ImportWork::new(queue, undos, Bounds::none(), clock(), Some(spawn));
    for _ in 0..turns {
        assert!(work.work_once().await.unwrap());
    }
    let written = written.lock().unwrap();
    written.clone()
}

#[tokio::test]
async fn a_part_that_was_read_ahead_is_not_read_again() {
    let first = LeasedChunk { next: Some(chunk(1, TWO_ROWS)), ..leased(0) };
    let second = LeasedChunk { chunk: chunk(1, ""), ..leased(0) };
    assert_eq!(rows_written(vec![first, second]).await, [1, 2]);
}

#[tokio::test]
async fn rows_that_were_read_ahead_are_those_of_no_other_part() {
    let first = LeasedChunk { next: Some(chunk(1, TWO_ROWS)), ..leased(0) };
    let later = LeasedChunk { chunk: chunk(2, ONE_ROW), ..leased(0) };
    assert_eq!(rows_written(vec![first, later]).await, [1, 1]);
}

#[tokio::test]
async fn a_failed_part_is_retried_with_growing_delays() {
    for (failures, seconds) in [(0, 1), (3, 8), (40, 300)] {
        let mut queue = queue(failures);
        queue.expect_write_contacts().once().returning(|_, _| Err(away()));
        queue.expect_put_off().once().returning(move |_, delay| {
            assert_eq!(delay, TimeDelta::seconds(seconds));
            Ok(())
        });
        work(queue).await;
    }
}

#[tokio::test]
async fn a_part_refused_too_often_fails_the_import() {
    let mut queue = queue(TRIES - 1);
    queue.expect_write_contacts().once().returning(|_, _| Err(refused()));
    queue.expect_fail().once().withf(|_, reason| reason == GIVEN_UP).returning(|_, _| Ok(()));
    work(queue).await;
}

#[tokio::test]
async fn a_panic_in_a_part_does_not_stop_the_worker() {
    let mut queue = queue(0);
    queue.expect_write_contacts().once().returning(|_, _| panic!("it fell over"));
    queue.expect_put_off().once().returning(|_, _| Ok(()));
    work(queue).await;
}

#[tokio::test]
async fn the_worker_is_idle_without_a_part() {
    let work =
        ImportWork::new(Arc::new(no_part()), Arc::new(no_undo()), Bounds::none(), clock(), None);
    assert!(!work.work_once().await.unwrap());
}

#[tokio::test]
async fn a_failed_part_of_an_undo_is_retried_with_growing_delays() {
    for (failures, seconds) in [(0, 1), (3, 8), (40, 300)] {
        let id = tenant().uuid();
        let undo =
            LeasedUndo { import: id.into(), organization: tenant(), failures, lease: Lease(id) };
        let mut undos = MockUndoQueue::new();
        undos.expect_claim_undo().once().returning(move || Ok(Some(undo)));
        undos.expect_undo_part().once().returning(|_| Err(refused()));
        undos.expect_put_off_undo().once().returning(move |_, delay| {
            assert_eq!(delay, TimeDelta::seconds(seconds));
            Ok(())
        });
        let work =
            ImportWork::new(Arc::new(no_part()), Arc::new(undos), Bounds::none(), clock(), None);
        assert!(work.work_once().await.unwrap(), "more may be left");
    }
}
