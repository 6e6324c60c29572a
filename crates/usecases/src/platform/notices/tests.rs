//! Rules of sending notices.

use std::sync::Mutex;

use domain::{
    content::approval::{ApprovalKind, Verdict},
    identity::{
        organization::{Profile, Settings},
        traffic::{Evidence, OperatorRange, TrafficAlert},
    },
    platform::notice::DecidedApproval,
    shared::money::Money,
};
use ports::{
    messaging::messages::{Receipt, Submission},
    shared::mock::{MockIntake, MockNoticeQueue, MockOrganizationRepository, MockUserRepository},
};

use super::*;
use crate::shared::fixtures::{
    NOW, away,
    notices::{mails, organization_of_all_roles},
    open_intake, tenant,
};

const URL: &str = "https://notify.example.com";

fn notice(cause: NoticeCause) -> DueNotice {
    DueNotice {
        id: Id::new_in(NOW, tenant()),
        organization: tenant(),
        key: "cause-1".into(),
        attempt: 1,
        cause: Some(cause),
    }
}

fn low_balance(micros: i64) -> NoticeCause {
    NoticeCause::LowBalance { balance: Money::from_micros(micros), threshold: Money::from_cedis(5) }
}

fn failing_endpoint() -> NoticeCause {
    NoticeCause::FailingEndpoint { endpoint: Id::new_in(NOW, tenant()), since: NOW }
}

fn decision(requested_by: Id<User>) -> NoticeCause {
    NoticeCause::Decision(DecidedApproval {
        requested_by,
        kind: ApprovalKind::Template,
        name: "Order ready".into(),
        verdict: Verdict::Rejected,
        comment: None,
    })
}

fn alert() -> NoticeCause {
    NoticeCause::TrafficAlert(TrafficAlert {
        id: Id::new_in(NOW, tenant()),
        organization: tenant(),
        range: OperatorRange::stored(23_324),
        found_at: NOW,
        evidence: Evidence::default(),
        stopped_until: None,
        lifted_at: None,
        lifted_by: None,
    })
}

fn user() -> User {
    User {
        id: Id::new(NOW),
        email: "ama@example.com".into(),
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        password_hash: "hash".into(),
        platform_role: None,
        session_version: 1,
        email_verified_at: Some(NOW),
        second_factor_at: None,
        created_at: NOW,
    }
}

/// Queue in which these notices are due, and the results recorded for them.
fn queue(due: Vec<DueNotice>) -> (MockNoticeQueue, Arc<Mutex<Vec<NoticeResult>>>) {
    let mut queue = MockNoticeQueue::new();
    queue.expect_take_due().return_once(move |_, _| Ok(due));
    let results = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&results);
    queue.expect_record().returning(move |_, result| {
        recorded.lock().unwrap().push(result);
        Ok(())
    });
    (queue, results)
}

fn sender(
    queue: MockNoticeQueue,
    organizations: Arc<MockOrganizationRepository>,
    users: MockUserRepository,
    intake: MockIntake,
) -> NoticeSender {
    NoticeSender::new(NoticeSenderDeps {
        queue: Arc::new(queue),
        organizations,
        users: Arc::new(users),
        mailer: Arc::new(mails(intake)),
        public_url: URL.into(),
    })
}

/// Sends notices of an organization with one member of each role, and returns their results.
async fn send(due: Vec<DueNotice>, intake: MockIntake) -> Vec<NoticeResult> {
    let (queue, results) = queue(due);
    let mut users = MockUserRepository::new();
    users.expect_find().returning(|_| Ok(Some(user())));
    sender(queue, organization_of_all_roles(), users, intake).send_due().await.unwrap();
    let results = results.lock().unwrap();
    results.clone()
}

fn recipients(submissions: &[Submission]) -> Vec<&str> {
    submissions.iter().map(|it| it.messages[0].draft.recipient.as_str()).collect()
}

fn keys(submissions: &[Submission]) -> Vec<&str> {
    submissions.iter().map(|it| it.idempotency.as_ref().unwrap().key.as_str()).collect()
}

#[tokio::test]
async fn each_cause_is_mailed_to_those_whom_it_concerns() {
    let (owner, admin) = ("tenant_owner@example.com", "tenant_admin@example.com");
    for (cause, expected) in [
        (low_balance(0), vec![owner, admin]),
        (failing_endpoint(), vec![owner]),
        (alert(), vec![owner]),
        (decision(Id::new(NOW)), vec!["ama@example.com"]),
    ] {
        let (intake, submissions) = open_intake();

        let results = send(vec![notice(cause)], intake).await;

        assert_eq!(results, [NoticeResult::Sent]);
        let sent = submissions.lock().unwrap();
        assert_eq!(recipients(&sent), expected);
        let mut keys = keys(&sent);
        keys.dedup();
        assert_eq!(keys.len(), expected.len(), "one key for each of them: {keys:?}");
    }
}

#[tokio::test]
async fn texts_name_figures_and_no_user_input() {
    let path = "https://notify.example.com/webhook-endpoints/";
    let organization = tenant().to_string();
    for (cause, parts) in [
        (
            low_balance(1_250_000),
            ["GHS 1.25", "GHS 5.00", "https://notify.example.com/billing/top-up"],
        ),
        (failing_endpoint(), ["5 days", "/recover", path]),
        (alert(), ["+23324", "Nothing is stopped", "allowedCountries"]),
    ] {
        let (intake, submissions) = open_intake();

        send(vec![notice(cause)], intake).await;

        let body = submissions.lock().unwrap()[0].messages[0].draft.body.clone();
        for part in parts.into_iter().chain([organization.as_str()]) {
            assert!(body.contains(part), "{part}: {body}");
        }
        assert!(!body.contains("Kente"), "{body}");
    }
}

#[tokio::test]
async fn the_key_of_a_mail_is_the_same_whenever_a_notice_is_sent_again() {
    let (intake, submissions) = open_intake();
    let due = notice(decision(Id::new(NOW)));
    let repeated = DueNotice { attempt: 2, ..due.clone() };
    let (ama, mut users) = (user(), MockUserRepository::new());
    let expected = format!("cause-1-{}", ama.id);
    users.expect_find().returning(move |_| Ok(Some(ama.clone())));
    let (queue, _) = queue(vec![due, repeated]);

    sender(queue, organization_of_all_roles(), users, intake).send_due().await.unwrap();

    assert_eq!(keys(&submissions.lock().unwrap()), [expected.as_str(); 2]);
}

#[tokio::test]
async fn the_key_of_a_low_balance_is_the_same_for_every_fall() {
    let (intake, submissions) = open_intake();
    let first = notice(low_balance(0));
    let second = DueNotice { key: "low-balance-2".into(), ..first.clone() };

    send(vec![first, second], intake).await;

    let sent = submissions.lock().unwrap();
    assert_eq!(sent.len(), 4, "owner and administrator");
    for key in keys(&sent) {
        let member = key.strip_prefix(&format!("low-balance-{}-", tenant())).unwrap();
        assert_eq!(member.len(), 36, "{key}");
    }
}

#[tokio::test]
async fn a_decision_is_not_mailed_to_an_unverified_address_or_to_nobody() {
    let unverified = User { email_verified_at: None, ..user() };
    for found in [Some(unverified), None] {
        let (queue, results) = queue(vec![notice(decision(Id::new(NOW)))]);
        let mut users = MockUserRepository::new();
        users.expect_find().return_once(move |_| Ok(found));
        let organizations = Arc::new(MockOrganizationRepository::new());

        sender(queue, organizations, users, MockIntake::new()).send_due().await.unwrap();

        assert_eq!(*results.lock().unwrap(), [NoticeResult::Sent]);
    }
}

#[tokio::test]
async fn a_low_balance_of_a_closed_organization_is_not_mailed() {
    let (queue, results) = queue(vec![notice(low_balance(0))]);
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_find().returning(|id| {
        Ok(Some(Organization {
            id,
            name: "Kente".into(),
            profile: Profile::default(),
            settings: Settings { closed_at: Some(NOW), ..Settings::default() },
            created_at: NOW,
        }))
    });
    let (organizations, users) = (Arc::new(organizations), MockUserRepository::new());

    sender(queue, organizations, users, MockIntake::new()).send_due().await.unwrap();

    assert_eq!(*results.lock().unwrap(), [NoticeResult::Sent]);
}

#[tokio::test]
async fn a_notice_that_fails_is_retried_later_and_delays_no_other() {
    let (first, second) = (notice(failing_endpoint()), notice(alert()));
    let second = DueNotice { attempt: 4, ..second };
    let unreadable = DueNotice { cause: None, ..first.clone() };
    let mut intake = MockIntake::new();
    let turn = Mutex::new(0);
    intake.expect_accept().times(3).returning(move |_| {
        let mut turn = turn.lock().unwrap();
        *turn += 1;
        if *turn < 3 { Err(away().into()) } else { Ok(Receipt::Accepted(Vec::new())) }
    });

    let results = send(vec![first.clone(), second, unreadable, first], intake).await;

    let retry = |minutes| NoticeResult::Retry(TimeDelta::minutes(minutes));
    assert_eq!(results, [retry(1), retry(8), retry(1), NoticeResult::Sent]);
}

#[tokio::test]
async fn a_failure_leaves_no_other_recipient_out() {
    let mailed = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&mailed);
    let mut intake = MockIntake::new();
    intake.expect_accept().times(2).returning(move |submission: Submission| {
        let mut seen = seen.lock().unwrap();
        seen.push(submission.messages[0].draft.recipient.as_str().to_owned());
        if seen.len() == 1 { Err(away().into()) } else { Ok(Receipt::Accepted(Vec::new())) }
    });

    let results = send(vec![notice(low_balance(0))], intake).await;

    assert_eq!(results, [NoticeResult::Retry(TimeDelta::minutes(1))]);
    assert_eq!(*mailed.lock().unwrap(), ["tenant_owner@example.com", "tenant_admin@example.com"]);
}

#[tokio::test]
async fn a_notice_is_given_up_after_its_last_attempt() {
    let last = (1..100).find(|attempt| pause_after(*attempt).is_none()).unwrap();
    for (attempt, expected) in [
        (last - 1, NoticeResult::Retry(TimeDelta::hours(6))),
        (last, NoticeResult::GivenUp),
        (last + 1, NoticeResult::GivenUp),
    ] {
        let unreadable = DueNotice { attempt, cause: None, ..notice(alert()) };
        assert_eq!(send(vec![unreadable], MockIntake::new()).await, [expected]);
    }
}

#[tokio::test]
async fn a_result_that_cannot_be_recorded_delays_no_other() {
    let (intake, submissions) = open_intake();
    let mut queue = MockNoticeQueue::new();
    let due = vec![notice(alert()), notice(failing_endpoint())];
    queue.expect_take_due().return_once(move |_, _| Ok(due));
    queue.expect_record().times(2).returning(|_, _| Err(away()));
    let (organizations, users) = (organization_of_all_roles(), MockUserRepository::new());

    let taken = sender(queue, organizations, users, intake).send_due().await.unwrap();

    assert_eq!((taken, submissions.lock().unwrap().len()), (2, 2));
}
