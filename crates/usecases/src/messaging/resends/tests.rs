//! The rules of failed messages that are sent again.

use std::sync::Mutex;

use domain::{
    identity::organization::{Role, Settings},
    messaging::{
        delivery::{Delivery, FailureCode},
        job::Lease,
        priority::Priority,
        resend::{FailedGroup, FailedKind, FailedMessages, Resend, ResendFailure},
    },
    money::wallet::InsufficientBalance,
    shared::{category::Category, channel::Channel, country::Country},
};
use ports::{
    messaging::messages::Advance,
    messaging::resends::{LeasedResend, ResendEnd, ResendPart, ResendProgress},
    shared::mock::{
        MockAuditLog, MockIntake, MockOrganizationRepository, MockResendQueue, MockResendRepository,
    },
};

use super::*;
use crate::shared::fixtures::{
    NOW, PRICE, clock, failure, member, messages, open_intake, policies, provider, queued, tenant,
};

fn failed(category: Category) -> Message {
    let failure = failure(FailureCode::Undelivered);
    Message { delivery: Delivery::Failed { sent_at: None, at: NOW, failure }, ..queued(category) }
}

fn leased() -> LeasedResend {
    let from = NOW - chrono::TimeDelta::days(1);
    let request = LogRequest { from: Some(from), is_sandbox: Some(false), ..LogRequest::default() };
    let task = ResendTask {
        id: Id::new_in(NOW, tenant()),
        organization: tenant(),
        filter: request.failures(NOW).unwrap(),
        status: ResendStatus::Processing,
        failure: None,
        count: 4,
        is_capped: false,
        resent: 0,
        skipped: 0,
        created_at: NOW,
        completed_at: None,
    };
    LeasedResend { lease: Lease(task.id.uuid()), task, position: Id::floor(NOW) }
}

/// Works on a task whose only part has these messages, of which some were sent again. Returns the
/// end of the task.
async fn worked(
    leased: LeasedResend,
    found: Vec<Message>,
    known: Vec<Resend>,
    intake: MockIntake,
) -> Option<(ResendProgress, ResendEnd)> {
    let ended = Arc::new(Mutex::new(None));
    let mut queue = MockResendQueue::new();
    queue.expect_claim().once().return_once(|| Ok(Some(leased)));
    let part = ResendPart { messages: found, last: None };
    queue.expect_next().once().return_once(|_, _| Ok(part));
    let kept = Arc::clone(&ended);
    queue.expect_end().returning(move |_, progress, end| {
        *kept.lock().unwrap() = Some((progress, end));
        Ok(())
    });
    queue.expect_put_off().returning(|_, _| Ok(()));
    let mut repository = MockResendRepository::new();
    repository.expect_find().returning(move |_, _| Ok(known.clone()));
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_settings().returning(|_| Ok(Some(Settings::default())));
    organizations.expect_suspended().returning(|| Ok(Vec::new()));
    let messages = messages(intake, provider("live", 1, chrono::TimeDelta::minutes(10)));
    let policies = policies(Arc::new(organizations));

    let work = ResendWork::new(Arc::new(queue), Arc::new(repository), messages, policies);
    assert!(work.work_once().await.unwrap());
    *ended.lock().unwrap()
}

#[tokio::test]
async fn a_part_that_was_done_in_part_is_continued_and_counted_once() {
    let (intake, submissions) = open_intake();
    let leased = leased();
    let found: Vec<_> =
        [Category::Reminder, Category::Reminder, Category::Otp, Category::Logistics]
            .map(failed)
            .into();
    let resend = |message: &Message, task| Resend {
        message: message.id,
        replacement: Id::new_in(NOW, tenant()),
        former: None,
        task,
    };
    let known = vec![resend(&found[0], Some(leased.task.id)), resend(&found[1], None)];
    let (left, task) = (found[3].id, leased.task.id);

    let ended = worked(leased, found, known, intake).await;

    let progress = ResendProgress { resent: 2, skipped: 2 };
    assert_eq!(ended, Some((progress, ResendEnd::Completed)));
    let submissions = submissions.lock().unwrap();
    let [submission] = &submissions[..] else { panic!("{submissions:?}") };
    let message = &submission.messages[0];
    assert_eq!((message.resent_from, message.priority), (Some(left), Priority::Bulk));
    let Some(Advance::Resend(resend)) = submission.advance else { panic!("{submission:?}") };
    assert_eq!((resend.message, resend.replacement), (left, message.id));
    assert_eq!((resend.former, resend.task), (None, Some(task)));
}

#[tokio::test]
async fn a_task_ends_when_the_wallet_cannot_pay() {
    let mut intake = MockIntake::new();
    intake.expect_accept().once().returning(|_| {
        let missing = InsufficientBalance { required: PRICE, balance: Money::ZERO };
        Err(IntakeError::InsufficientBalance(missing))
    });

    let ended = worked(leased(), vec![failed(Category::Reminder)], Vec::new(), intake).await;

    let end = ResendEnd::Failed(ResendFailure::InsufficientBalance);
    assert_eq!(ended, Some((ResendProgress::default(), end)));
}

#[tokio::test]
async fn a_part_of_which_others_took_a_message_is_looked_at_again() {
    let mut intake = MockIntake::new();
    intake.expect_accept().once().returning(|_| Err(IntakeError::Overtaken));

    let ended = worked(leased(), vec![failed(Category::Reminder)], Vec::new(), intake).await;

    assert_eq!(ended, None);
}

/// Failed reminders with the same code.
fn group(code: FailureCode, is_resent: bool, messages: u64) -> FailedGroup {
    FailedGroup {
        kind: FailedKind {
            code,
            category: Category::Reminder,
            validity: chrono::TimeDelta::days(1),
            is_text_lost: false,
        },
        channel: Channel::Sms,
        country: Country::GH,
        segments: 1,
        is_resent,
        messages,
    }
}

#[test]
fn messages_are_counted_by_reason() {
    let found = FailedMessages {
        groups: vec![
            group(FailureCode::Cancelled, false, 1),
            group(FailureCode::NoRoute, false, 2),
            group(FailureCode::NoRoute, true, 3),
        ],
        is_capped: false,
    };

    let [first, second] = forecast::by_reason(&found)[..] else { panic!("{found:?}") };
    assert_eq!((first.code, first.count, first.resendable), (FailureCode::NoRoute, 5, 2));
    assert_eq!((second.code, second.count, second.resendable), (FailureCode::Cancelled, 1, 0));
}

#[tokio::test]
async fn each_reason_has_the_price_of_those_that_would_be_sent_again() {
    let mut repository = MockResendRepository::new();
    repository.expect_count().returning(|_, _| {
        let groups = vec![
            group(FailureCode::NoRoute, false, 2),
            group(FailureCode::NoRoute, true, 3),
            group(FailureCode::Undelivered, false, 1),
            group(FailureCode::Cancelled, false, 1),
        ];
        Ok(FailedMessages { groups, is_capped: false })
    });
    let messages = messages(MockIntake::new(), provider("live", 1, chrono::TimeDelta::minutes(10)));
    let audit_log = Arc::new(MockAuditLog::new());
    let resends = Resends::new(Arc::new(repository), messages, audit_log, clock());
    let from = Some(NOW - chrono::TimeDelta::days(1));
    let request = LogRequest { from, ..LogRequest::default() };
    let command = ResendMessages { request, ..ResendMessages::default() };

    let forecast = resends.forecast(&member(Role::Owner), command).await.unwrap();

    let costs: Vec<_> = forecast.by_reason.iter().map(|it| (it.code, it.cost)).collect();
    assert_eq!(
        costs,
        [
            (FailureCode::NoRoute, PRICE * 2),
            (FailureCode::Cancelled, Money::ZERO),
            (FailureCode::Undelivered, PRICE),
        ]
    );
    assert_eq!(forecast.cost, PRICE * 3);
}
