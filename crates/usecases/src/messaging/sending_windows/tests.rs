//! The rules of changes to sending windows.

use domain::{
    messaging::sending_window::Weekday,
    shared::{category::Category, country::Country},
};
use mockall::Sequence;
use ports::shared::{
    mock::{MockAuditLog, MockHeldCampaigns, MockSendingWindowRepository},
    nobody::Nobody,
    store::StoreError,
};

use super::*;
use crate::shared::fixtures::{NOW, administrator, away, clock, organizations_suspended};

fn request() -> SendingWindowRequest {
    SendingWindowRequest {
        country: Some(Country::GH),
        category: Some(Category::Marketing),
        weekdays: Some(Weekday::ALL.to_vec()),
        opens: Some("08:00".parse().unwrap()),
        closes: Some("19:00".parse().unwrap()),
        utc_offset: None,
        source: Some("the law".into()),
        is_active: Some(true),
    }
}

fn window() -> SendingWindow {
    request().window(NOW).unwrap()
}

fn sending_windows(
    repository: MockSendingWindowRepository,
    audit_log: MockAuditLog,
) -> SendingWindows {
    let mut campaigns = MockHeldCampaigns::new();
    campaigns.expect_held().returning(|| Ok(Vec::new()));
    let repository = Arc::new(repository);
    let organizations = Arc::new(organizations_suspended(&[]));
    let (windows, campaigns) = (Arc::clone(&repository), Arc::new(campaigns));
    let holding = Holding::new(windows, campaigns, organizations, Arc::new(Nobody));
    SendingWindows::new(repository, Arc::new(audit_log), holding, clock())
}

#[tokio::test]
async fn a_change_is_audited_before_it_is_made() {
    let mut order = Sequence::new();
    let (mut repository, mut audit_log) = (MockSendingWindowRepository::new(), MockAuditLog::new());
    let present = window();
    let found = present.clone();
    repository.expect_find().return_once(move |_| Ok(Some(found)));
    let line = audit_log.expect_record().once().in_sequence(&mut order);
    line.returning(|entry| {
        assert_eq!((entry.organization, &entry.actor), (PLATFORM, &administrator().actor()));
        assert_eq!(entry.action, AuditAction::SendingWindowUpdated);
        assert_eq!(entry.details["isActive"], "false");
        Ok(())
    });
    let expected = SendingWindow { is_active: false, ..present.clone() };
    let changed = expected.clone();
    let update = repository.expect_update().once().in_sequence(&mut order);
    update.withf(move |window| *window == changed).returning(|_| Ok(true));
    repository.expect_active().once().in_sequence(&mut order).returning(|| Ok(Vec::new()));

    let changes = SendingWindowRequest { is_active: Some(false), ..Default::default() };
    let windows = sending_windows(repository, audit_log);
    let updated = windows.update(&administrator(), present.id, changes, Faults::default()).await;

    assert_eq!(updated.unwrap(), expected);
}

#[tokio::test]
async fn a_change_that_cannot_be_audited_is_not_made() {
    let mut repository = MockSendingWindowRepository::new();
    repository.expect_find().returning(|_| Ok(Some(window())));
    let mut audit_log = MockAuditLog::new();
    audit_log.expect_record().times(3).returning(|_| Err(away()));
    let windows = sending_windows(repository, audit_log);
    let (id, none) = (window().id, Faults::default);
    let closed = SendingWindowRequest { is_active: Some(false), ..Default::default() };

    for refused in [
        windows.create(&administrator(), request(), none()).await.map(|_| ()),
        windows.update(&administrator(), id, closed, none()).await.map(|_| ()),
        windows.delete(&administrator(), id).await,
    ] {
        let is_away = matches!(refused, Err(Error::Store(StoreError::Unavailable(_))));
        assert!(is_away, "{refused:?}");
    }
}

#[tokio::test]
async fn a_change_without_effect_is_not_audited() {
    let mut repository = MockSendingWindowRepository::new();
    repository.expect_find().returning(|_| Ok(Some(window())));
    let windows = sending_windows(repository, MockAuditLog::new());

    let same = SendingWindowRequest { is_active: Some(true), ..Default::default() };
    let kept =
        windows.update(&administrator(), window().id, same, Faults::default()).await.unwrap();

    assert!(kept.is_active);
}
