//! Rules of low balance notices.

use std::sync::Mutex;

use domain::shared::money::Money;
use ports::{
    messaging::messages::Submission,
    shared::mock::{MockIntake, MockLowBalances},
};

use super::*;
use crate::shared::fixtures::{
    away,
    notices::{mails, organization_of_all_roles},
    open_intake, tenant,
};

fn change(balance: i64) -> BalanceChange {
    BalanceChange {
        organization: tenant(),
        balance: Money::from_micros(balance),
        threshold: Money::from_cedis(5),
        falls: 2,
    }
}

async fn notify(balances: MockLowBalances, intake: MockIntake) {
    let url = "https://notify.example.com".to_owned();
    let organizations = organization_of_all_roles();
    let notices =
        LowBalanceNotices::new(Arc::new(balances), organizations, Arc::new(mails(intake)), url);
    notices.notify().await.unwrap();
}

fn keys(submissions: &Mutex<Vec<Submission>>) -> Vec<String> {
    let submissions = submissions.lock().unwrap();
    let key = |it: &Submission| it.idempotency.as_ref().unwrap().key.clone();
    submissions.iter().map(key).collect()
}

#[tokio::test]
async fn owners_and_administrators_are_mailed_balance_and_top_up() {
    let (intake, submissions) = open_intake();
    let mut balances = MockLowBalances::new();
    balances.expect_changes().once().returning(|_, _| Ok(vec![change(1_250_000)]));
    balances.expect_note().once().withf(BalanceChange::is_fall).returning(|_| Ok(()));

    notify(balances, intake).await;

    let sent = submissions.lock().unwrap().clone();
    let drafts: Vec<_> = sent.iter().map(|it| &it.messages[0].draft).collect();
    let recipients: Vec<_> = drafts.iter().map(|it| it.recipient.as_str()).collect();
    assert_eq!(recipients, ["tenant_owner@example.com", "tenant_admin@example.com"]);
    for part in [
        &*tenant().to_string(),
        "GHS 1.25",
        "GHS 5.00",
        "https://notify.example.com/billing/top-up",
    ] {
        assert!(drafts[0].body.contains(part), "{part}: {}", drafts[0].body);
    }
    assert!(drafts.iter().all(|it| !it.body.contains("Kente")), "{}", drafts[0].body);
    let mut keys = keys(&submissions);
    keys.dedup();
    assert_eq!(keys.len(), 2, "one for each of them: {keys:?}");
}

#[tokio::test]
async fn the_key_of_a_mail_is_the_same_for_every_fall() {
    let (intake, submissions) = open_intake();
    let mut balances = MockLowBalances::new();
    let falls = vec![change(0), BalanceChange { falls: 3, ..change(0) }];
    balances.expect_changes().once().return_once(|_, _| Ok(falls));
    balances.expect_note().times(2).returning(|_| Ok(()));

    notify(balances, intake).await;

    let keys = keys(&submissions);
    assert_eq!(keys.len(), 4, "owner and administrator");
    for key in keys {
        let member = key.strip_prefix(&format!("low-balance-{}-", tenant())).unwrap();
        assert_eq!(member.len(), 36, "{key}");
    }
}

#[tokio::test]
async fn a_risen_balance_is_recorded_without_mail() {
    let (intake, submissions) = open_intake();
    let mut balances = MockLowBalances::new();
    balances.expect_changes().once().returning(|_, _| Ok(vec![change(5_000_000)]));
    balances.expect_note().once().withf(|noted| !noted.is_fall()).returning(|_| Ok(()));

    notify(balances, intake).await;

    assert!(submissions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_failed_mail_keeps_its_fall_pending_and_delays_no_other() {
    let mut balances = MockLowBalances::new();
    let mut all = vec![change(0); PAGE];
    all[1] = change(5_000_000);
    balances.expect_changes().once().withf(|after, _| after.is_none()).return_once(|_, _| Ok(all));
    balances.expect_changes().once().withf(|after, _| after.is_some()).returning(|_, _| Ok(vec![]));
    balances.expect_note().once().withf(|noted| !noted.is_fall()).returning(|_| Ok(()));
    let mut intake = MockIntake::new();
    intake.expect_accept().returning(|_| Err(away().into()));

    notify(balances, intake).await;
}
