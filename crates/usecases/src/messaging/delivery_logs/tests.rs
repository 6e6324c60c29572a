//! The rules of the delivery log.

use domain::{
    identity::{organization::Role, scope::Scope},
    shared::{category::Category, channel::Channel},
};
use ports::shared::mock::MockDeliveryLogRepository;

use super::*;
use crate::shared::fixtures::{clock, member, program, queued, tenant};

/// Number of messages of a part, and true if more parts follow.
type Length = (usize, bool);

/// Reads an export of a log that answers with these parts. Returns the messages, and the number of
/// lines requested each time. Every call must begin where the one before ended.
async fn export(parts: &[Length]) -> (Vec<Message>, Vec<usize>) {
    let request = LogRequest { channel: Some(Channel::Sms), ..LogRequest::default() };
    let filter = LogFilter { channel: Some(Channel::Sms), ..LogFilter::default() };
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut before = None;
    let mut repository = MockDeliveryLogRepository::new();
    for (length, has_more) in parts {
        let messages = vec![queued(Category::Transactional); *length];
        // A part without messages ends at one that does not fit.
        let last = messages.last().cloned().unwrap_or_else(|| queued(Category::Transactional));
        let (expected, limits) = (before, Arc::clone(&asked));
        let filter = filter.clone();
        before = has_more.then_some(last.id);
        let part = LogPart { messages, next: before };
        repository.expect_older().once().return_once(move |organization, wanted, before, limit| {
            assert_eq!((organization, wanted, before), (tenant(), &filter, expected));
            limits.lock().unwrap().push(limit);
            Ok(part)
        });
    }

    let logs = DeliveryLogs::new(Arc::new(repository), clock());
    let mut export = logs.export(&member(Role::Viewer), &request).unwrap();
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
    let (lines, asked) = export(&[(EXPORT_STEP, true), (EXPORT_STEP, true), (3, false)]).await;
    assert_eq!(lines.len(), 2 * EXPORT_STEP + 3);
    assert_eq!(asked, [EXPORT_STEP; 3]);
}

#[tokio::test]
async fn an_export_does_not_end_at_messages_that_do_not_fit() {
    let (lines, asked) = export(&[(0, true), (2, true), (0, true), (1, false)]).await;
    assert_eq!((lines.len(), asked.len()), (3, 4));
}

#[tokio::test]
async fn an_export_ends_at_its_longest() {
    let (lines, asked) = export(&[(EXPORT_STEP, true); MAX_EXPORT / EXPORT_STEP]).await;
    assert_eq!((lines.len(), asked.len()), (MAX_EXPORT, MAX_EXPORT / EXPORT_STEP));
}

#[tokio::test]
async fn a_key_sees_its_own_mode_only() {
    for is_sandbox in [false, true] {
        let caller =
            program(&["delivery-logs:read"], is_sandbox).opened_by(Scope::DeliveryLogsRead);
        let mut repository = MockDeliveryLogRepository::new();
        repository.expect_older().times(2).returning(move |_, filter, _, _| {
            let own = LogFilter { is_sandbox: Some(is_sandbox), ..LogFilter::default() };
            assert_eq!(LogFilter { from: None, ..filter.clone() }, own);
            Ok(LogPart { messages: vec![], next: None })
        });
        let logs = DeliveryLogs::new(Arc::new(repository), clock());
        let named = |is_sandbox| LogRequest { is_sandbox, ..LogRequest::default() };

        for fitting in [named(None), named(Some(is_sandbox))] {
            assert!(logs.part(&caller, &fitting, None, 20).await.is_ok());
        }
        let other = logs.part(&caller, &named(Some(!is_sandbox)), None, 20).await;
        let Err(Error::Invalid(faults)) = other else { panic!("{other:?}") };
        assert_eq!(faults.fields.into_keys().collect::<Vec<_>>(), ["isSandbox"]);
    }
}

#[tokio::test]
async fn a_first_page_without_matches_says_where_to_look_next() {
    let next = queued(Category::Transactional).id;
    let mut repository = MockDeliveryLogRepository::new();
    repository.expect_page().return_once(|_, _, page| {
        let page = Paged::counted(vec![], page, 0);
        Ok(Paged { is_lower_bound: true, ..page })
    });
    repository
        .expect_older()
        .return_once(move |_, _, _, _| Ok(LogPart { messages: vec![], next: Some(next) }));
    let logs = DeliveryLogs::new(Arc::new(repository), clock());
    let request = LogRequest { provider: Some("rare".into()), ..LogRequest::default() };
    let page = Page::new(None, None).unwrap();

    let beginning = logs.beginning(&member(Role::Viewer), &request, page).await.unwrap();

    assert_eq!((beginning.page.items.len(), beginning.next), (0, Some(next)));
}
