//! Rules of the work on exports.

use std::sync::Mutex;

use domain::{
    messaging::{
        delivery_log::csv,
        job::Lease,
        log_export::MAX_STORED,
        message::{MaskedTexts, Message},
    },
    shared::{category::Category, listed_text::MAX_LISTED_TEXT},
};
use ports::{
    messaging::{
        delivery_logs::LogPart,
        log_exports::{Appended, ExportedLines, LeasedLogExport},
    },
    shared::mock::MockLogExportQueue,
};

use super::*;
use crate::shared::fixtures::{away, queued};

type Written = Arc<Mutex<Vec<ExportedLines>>>;

/// Export of which that many parts are written, and as many attempts have failed.
fn leased(parts: u32, failures: u32) -> LeasedLogExport {
    let position = (parts > 0).then(|| queued(Category::Transactional).id);
    let lease = Lease(Id::<LogExport>::new_in(NOW, tenant()).uuid());
    LeasedLogExport {
        organization: tenant(),
        id: Id::new_in(NOW, tenant()),
        filter: LogFilter::of_status(Status::Failed),
        position,
        parts,
        stored: 0,
        failures,
        lease,
    }
}

/// Queue that hands out an export once, and keeps what is appended to it.
fn queue(export: &LeasedLogExport, appended: Appended) -> (MockLogExportQueue, Written) {
    let mut queue = queue_of(export);
    let written = Written::default();
    let kept = Arc::clone(&written);
    queue.expect_append().once().returning(move |_, lines, most| {
        assert_eq!(most, MAX_STORED);
        kept.lock().unwrap().push(lines.clone());
        Ok(appended)
    });
    (queue, written)
}

fn queue_of(export: &LeasedLogExport) -> MockLogExportQueue {
    let mut queue = MockLogExportQueue::new();
    let export = export.clone();
    queue.expect_claim().once().return_once(|| Ok(Some(export)));
    queue
}

/// Log that answers with these parts, the first one after `position`.
fn log(export: &LeasedLogExport, parts: Vec<LogPart>) -> MockDeliveryLogRepository {
    let mut log = MockDeliveryLogRepository::new();
    let mut expected = export.position;
    for part in parts {
        let (filter, after) = (export.filter.clone(), expected);
        expected = part.next;
        log.expect_older().once().return_once(move |organization, wanted, before, _| {
            assert_eq!((organization, wanted, before), (tenant(), &filter, after));
            Ok(part)
        });
    }
    log
}

fn part(messages: Vec<Message>, has_more: bool) -> LogPart {
    let next = has_more.then(|| queued(Category::Transactional).id);
    LogPart { messages, next }
}

async fn work(queue: MockLogExportQueue, log: MockDeliveryLogRepository) {
    let work = LogExportWork::new(Arc::new(queue), Arc::new(log));
    assert!(work.work_once().await.unwrap());
}

fn only(written: &Written) -> ExportedLines {
    let written = written.lock().unwrap();
    let [lines] = &written[..] else { panic!("{written:?}") };
    lines.clone()
}

#[tokio::test]
async fn a_file_begins_with_the_header_and_ends_with_the_oldest_message() {
    let export = leased(0, 0);
    let (newer, older) = (queued(Category::Transactional), queued(Category::Transactional));
    let parts = vec![part(vec![newer.clone()], true), part(vec![older.clone()], false)];
    let (queue, written) = queue(&export, Appended::Done);

    work(queue, log(&export, parts)).await;

    let text = csv::header() + &csv::line(newer) + &csv::line(older);
    assert_eq!(only(&written), ExportedLines { parts: vec![text], rows: 2, next: None });
}

#[tokio::test]
async fn a_turn_goes_on_after_the_last_one_and_ends_when_it_has_read_enough() {
    let export = leased(3, 0);
    let mut long = queued(Category::Transactional);
    Arc::make_mut(&mut long.draft).body = "a".repeat(MAX_LISTED_TEXT.into());
    let enough = part(vec![long; 61], true);
    let next = enough.next;
    let (queue, written) = queue(&export, Appended::Done);

    work(queue, log(&export, vec![part(Vec::new(), true), enough])).await;

    let lines = only(&written);
    assert_eq!((lines.rows, lines.next), (61, next));
    assert!(!lines.parts.concat().contains("internalMessageId"));
}

#[tokio::test]
async fn a_turn_ends_although_few_messages_fit() {
    let export = leased(1, 0);
    let mut log = MockDeliveryLogRepository::new();
    log.expect_older().returning(|_, _, _, _| Ok(part(Vec::new(), true)));
    let (queue, written) = queue(&export, Appended::Done);

    work(queue, log).await;

    let lines = only(&written);
    assert_eq!((lines.rows, lines.parts.len(), lines.next.is_some()), (0, 0, true));
}

#[tokio::test]
async fn codes_are_masked_whoever_asked() {
    let export = leased(1, 0);
    let mut code = queued(Category::Otp);
    let draft = Arc::make_mut(&mut code.draft);
    draft.body = "Your code is 492817".into();
    draft.masked =
        Some(MaskedTexts { subject: None, body: "Your code is ••••••".into() });
    let (queue, written) = queue(&export, Appended::Done);

    work(queue, log(&export, vec![part(vec![code], false)])).await;

    let text = only(&written).parts.concat();
    assert!(text.contains("Your code is ••••••") && !text.contains("492817"), "{text}");
}

#[tokio::test]
async fn an_export_that_is_too_large_fails() {
    let export = leased(1, 0);
    let (mut queue, _) = queue(&export, Appended::TooLarge);
    queue
        .expect_fail()
        .once()
        .with(eq(export.clone()), eq(LogExportFailure::TooLarge))
        .returning(|_, _| Ok(()));

    work(queue, log(&export, vec![part(Vec::new(), false)])).await;
}

#[tokio::test]
async fn lines_that_cannot_be_written_are_tried_again_and_at_last_given_up() {
    for (failures, is_last) in [(0, false), (18, false), (19, true)] {
        let export = leased(1, failures);
        let mut queue = queue_of(&export);
        if is_last {
            let given_up = eq(LogExportFailure::GivenUp);
            queue.expect_fail().once().with(always(), given_up).returning(|_, _| Ok(()));
        } else {
            queue.expect_put_off().once().returning(|_, _| Ok(()));
        }
        let mut log = MockDeliveryLogRepository::new();
        log.expect_older().returning(|_, _, _, _| Err(away()));

        work(queue, log).await;
    }
}
