//! The rules of the delivery log.

use domain::{
    identity::organization::Role,
    shared::{category::Category, channel::Channel},
};
use ports::shared::mock::MockDeliveryLogRepository;

use super::*;
use crate::shared::fixtures::{member, queued, tenant};

/// Reads an export of a log that answers with parts of these lengths. Returns the messages, and the
/// number of lines requested each time. Every call must begin where the one before ended.
async fn export(lengths: &[usize]) -> (Vec<Message>, Vec<usize>) {
    let filter = LogFilter { channel: Some(Channel::Sms), ..LogFilter::default() };
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut before = None;
    let mut repository = MockDeliveryLogRepository::new();
    for length in lengths {
        let part = vec![queued(Category::Transactional); *length];
        let (expected, limits) = (before, Arc::clone(&asked));
        before = part.last().map(|message| message.id);
        repository.expect_older().once().return_once(move |organization, wanted, before, limit| {
            assert_eq!((organization, wanted, before), (tenant(), filter, expected));
            limits.lock().unwrap().push(limit);
            Ok(part)
        });
    }

    let logs = DeliveryLogs::new(Arc::new(repository));
    let mut export = logs.export(&member(Role::Viewer), filter).unwrap();
    let mut lines = Vec::new();
    loop {
        let part = export.next().await.unwrap();
        if part.is_empty() {
            break;
        }
        lines.extend(part);
    }
    assert!(export.next().await.unwrap().is_empty(), "the end stays the end");
    let asked = asked.lock().unwrap().clone();
    (lines, asked)
}

#[tokio::test]
async fn an_export_continues_where_its_last_part_ended() {
    let (lines, asked) = export(&[EXPORT_STEP, EXPORT_STEP, 3]).await;
    assert_eq!(lines.len(), 2 * EXPORT_STEP + 3);
    assert_eq!(asked, [EXPORT_STEP; 3], "a part that is not full is the last");
}

#[tokio::test]
async fn an_export_of_full_parts_ends_with_an_empty_one() {
    let (lines, asked) = export(&[EXPORT_STEP, 0]).await;
    assert_eq!((lines.len(), asked.len()), (EXPORT_STEP, 2));
}
