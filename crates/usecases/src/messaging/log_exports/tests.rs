//! Rules of exports of the delivery log.

mod work;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::{organization::Role, scope::Scope},
    messaging::{
        delivery::Status,
        delivery_log::LogFilter,
        log_export::{LogExportFailure, LogFile},
    },
};
use mockall::predicate::{always, eq};
use ports::shared::mock::{MockDeliveryLogRepository, MockLogExportRepository};

use super::*;
use crate::shared::fixtures::{NOW, clock, member, program, tenant};

/// Operations over a repository, and a member who may call them.
fn exports(repository: MockLogExportRepository) -> (LogExports, Caller) {
    let logs = DeliveryLogs::new(Arc::new(MockDeliveryLogRepository::new()), clock());
    (LogExports::new(Arc::new(repository), logs, clock()), member(Role::Developer))
}

fn export(caller: &Caller, state: LogExportState) -> LogExport {
    LogExport {
        id: Id::new_in(NOW, tenant()),
        organization: tenant(),
        created_by: caller.user().unwrap(),
        filter: LogFilter::default(),
        state,
        rows: 0,
        created_at: NOW,
    }
}

/// State with a file of two parts that is kept until that time.
fn ready(kept_until: DateTime<Utc>) -> LogExportState {
    LogExportState::Ready(LogFile { bytes: 4, parts: 2, kept_until })
}

/// Repository in which everybody finds an export in that state.
fn holding(state: LogExportState) -> MockLogExportRepository {
    let mut repository = MockLogExportRepository::new();
    let export = export(&member(Role::Developer), state);
    repository.expect_find().returning(move |_, _, _| Ok(Some(export.clone())));
    repository
}

#[tokio::test]
async fn an_export_is_of_what_the_log_shows_at_that_time() {
    let mut repository = MockLogExportRepository::new();
    repository.expect_begin().once().returning(|_| Ok(()));
    let (exports, caller) = exports(repository);
    let request = LogRequest {
        status: Some(Status::Failed),
        event: Some("parcel".into()),
        ..LogRequest::default()
    };

    let begun = exports.begin(&caller, &request).await.unwrap();

    assert_eq!(begun.filter, request.filter(NOW).unwrap());
    assert_eq!((begun.created_by, begun.rows), (caller.user().unwrap(), 0));
    assert_eq!((begun.state, begun.created_at), (LogExportState::Preparing, NOW));
}

#[tokio::test]
async fn a_limit_is_a_refusal_of_its_own() {
    for (full, code) in [
        (NoRoomForLogExport::Preparing, "TOO_MANY_LOG_EXPORTS"),
        (NoRoomForLogExport::Kept, "LOG_EXPORT_LIMIT_REACHED"),
    ] {
        let mut repository = MockLogExportRepository::new();
        repository.expect_begin().returning(move |_| Err(LogExportError::NoRoom(full)));
        let (exports, caller) = exports(repository);

        let refused = exports.begin(&caller, &LogRequest::default()).await.unwrap_err();

        assert_eq!(refused.code(), code);
    }
}

#[tokio::test]
async fn a_key_neither_begins_nor_sees_exports() {
    let (exports, _) = exports(MockLogExportRepository::new());
    let key = program(&["delivery-logs:read"], false).opened_by(Scope::DeliveryLogsRead);
    let id = Id::new_in(NOW, tenant());

    for refused in [
        exports.begin(&key, &LogRequest::default()).await.map(drop),
        exports.get(&key, id).await.map(drop),
        exports.list(&key).await.map(drop),
        exports.download(&key, id).await.map(drop),
        exports.delete(&key, id).await,
    ] {
        assert_eq!(refused.unwrap_err().code(), "FORBIDDEN");
    }
}

#[tokio::test]
async fn an_export_is_looked_for_among_those_of_the_caller() {
    let mut repository = MockLogExportRepository::new();
    let id = Id::new_in(NOW, tenant());
    let caller = member(Role::Developer);
    let user = caller.user().unwrap();
    let is_own = (eq(tenant()), eq(user), eq(id));
    repository.expect_find().with(is_own.0, is_own.1, is_own.2).returning(|_, _, _| Ok(None));
    repository.expect_delete().with(is_own.0, is_own.1, is_own.2).returning(|_, _, _| Ok(false));
    repository.expect_list().with(is_own.0, is_own.1).returning(|_, _| Ok(Vec::new()));
    let (exports, _) = exports(repository);

    for refused in [
        exports.get(&caller, id).await.map(drop),
        exports.download(&caller, id).await.map(drop),
        exports.delete(&caller, id).await,
    ] {
        assert_eq!(refused.unwrap_err().code(), "NOT_FOUND");
    }
    assert!(exports.list(&caller).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_export_whose_time_is_over_is_gone_before_it_is_purged() {
    let mut repository = holding(ready(NOW));
    let (past, present) = (ready(NOW), ready(NOW + TimeDelta::seconds(1)));
    repository.expect_list().with(always(), always()).returning(move |_, _| {
        Ok([past, present].map(|state| export(&member(Role::Developer), state)).to_vec())
    });
    let (exports, caller) = exports(repository);
    let id = Id::new_in(NOW, tenant());

    assert_eq!(exports.get(&caller, id).await.unwrap_err().code(), "NOT_FOUND");
    let states: Vec<_> =
        exports.list(&caller).await.unwrap().into_iter().map(|export| export.state).collect();
    assert_eq!(states, [present]);
}

#[tokio::test]
async fn only_a_complete_file_is_downloaded() {
    let kept_until = NOW + TimeDelta::hours(1);
    let failure = LogExportFailure::TooLarge;
    for (state, code) in [
        (LogExportState::Preparing, "LOG_EXPORT_NOT_READY"),
        (LogExportState::Failed { failure, kept_until }, "LOG_EXPORT_FAILED"),
    ] {
        let (exports, caller) = exports(holding(state));
        let refused = exports.download(&caller, Id::new_in(NOW, tenant())).await.map(drop);
        assert_eq!(refused.unwrap_err().code(), code);
    }
}

#[tokio::test]
async fn a_download_returns_each_part_once() {
    let mut repository = holding(ready(NOW + TimeDelta::hours(1)));
    for (number, text) in [(0, "a\r\n"), (1, "b")] {
        repository
            .expect_part()
            .once()
            .with(always(), always(), eq(number))
            .returning(move |_, _, _| Ok(Some(text.into())));
    }
    let (exports, caller) = exports(repository);

    let mut file = exports.download(&caller, Id::new_in(NOW, tenant())).await.unwrap();

    assert_eq!(file.bytes(), 4);
    let mut text = Vec::new();
    while let Some(part) = file.next().await.unwrap() {
        text.extend(part);
    }
    assert_eq!(text, b"a\r\nb");
}

#[tokio::test]
async fn a_download_whose_export_is_deleted_meanwhile_fails() {
    let mut repository = holding(ready(NOW + TimeDelta::hours(1)));
    repository.expect_part().returning(|_, _, number| Ok((number == 0).then(|| "a".into())));
    let (exports, caller) = exports(repository);
    let mut file = exports.download(&caller, Id::new_in(NOW, tenant())).await.unwrap();

    assert!(file.next().await.unwrap().is_some());

    assert_eq!(file.next().await.unwrap_err().code(), "NOT_FOUND");
}
