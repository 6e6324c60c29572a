//! Rules of decisions.

use std::sync::Mutex;

use chrono::TimeDelta;
use domain::{
    content::approval::{ApprovalContent, ApprovalKind},
    identity::user::User,
    providers::provider::Provider,
    shared::channel::Channel,
};
use ports::{
    messaging::messages::{IntakeError, Receipt, Submission},
    shared::mock::{
        MockApprovalRepository, MockDeliveryLogRepository, MockIntake, MockJobs,
        MockMessagingProvider, MockTemplateRepository, MockUserRepository,
    },
};

use super::*;
use crate::{
    messaging::messages::Messages,
    messaging::{deliveries::Deliveries, messages::MessagesDeps},
    providers::provider_registry::{ConfiguredProvider, Providers},
    shared::fixtures::{
        NOW, administrator, away, clock, open_intake, price_list, prices, provider, random, tenant,
    },
};

fn user(email: &str) -> User {
    User {
        id: Id::new(NOW),
        email: email.into(),
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

fn approval(author: Id<User>) -> Approval {
    let resource = (ApprovalKind::Template, Id::<Approval>::new_in(NOW, tenant()).uuid());
    let content =
        ApprovalContent { body: "Send your PIN to {{name}}".into(), ..ApprovalContent::default() };
    Approval::request(tenant(), resource, ("Order ready".into(), content, [7; 32]), author, NOW)
}

fn decided(author: Id<User>, comment: Option<&str>) -> Approval {
    let approval = approval(author);
    let comment = comment.map(str::to_owned);
    let decision = approval.decide(Verdict::Rejected, comment, administrator().id, NOW).unwrap();
    Approval { state: ApprovalState::Decided(decision), ..approval }
}

/// Messages with one mail provider.
fn messages(intake: MockIntake) -> Messages {
    let mail = provider("mail", 1, TimeDelta::minutes(10));
    let carrier = ConfiguredProvider {
        provider: Provider { channel: Channel::Email, ..mail },
        adapter: Arc::new(MockMessagingProvider::new()),
    };
    let providers = Providers::new(vec![carrier], Arc::new(MockMessagingProvider::new()));
    let providers = Arc::new(providers);
    let jobs = Arc::new(MockJobs::new());
    Messages::new(MessagesDeps {
        templates: Arc::new(MockTemplateRepository::new()),
        delivery_logs: Arc::new(MockDeliveryLogRepository::new()),
        intake: Arc::new(intake),
        prices: prices(price_list()),
        deliveries: Deliveries::new(jobs, Arc::clone(&providers), clock(), random()),
        providers,
        clock: clock(),
    })
}

fn approvals(repository: MockApprovalRepository) -> Approvals {
    let users = Arc::new(MockUserRepository::new());
    Approvals::new(Arc::new(repository), users, Arc::new(messages(MockIntake::new())), clock())
}

/// Approves `found`, of which the store says that it is `settled`.
async fn approve(found: Approval, settled: Settled) -> Result<Approval, Error> {
    let (admin, id) = (administrator(), found.id);
    let mut repository = MockApprovalRepository::new();
    repository.expect_find().return_once(move |_| Ok(Some(found)));
    repository.expect_decide().once().return_once(move |_, _, _| Ok(settled));
    approvals(repository).decide(&admin, id, (Verdict::Approved, None), Faults::default()).await
}

#[tokio::test]
async fn an_approval_decided_or_changed_meanwhile_is_a_conflict() {
    for (settled, reason) in
        [(Settled::AlreadyDecided, ALREADY_DECIDED), (Settled::ContentChanged, CONTENT_CHANGED)]
    {
        let refused = approve(approval(Id::new(NOW)), settled).await;
        assert!(matches!(refused, Err(Error::Conflict(found)) if found == reason));
    }
}

#[tokio::test]
async fn a_decision_mail_has_name_and_comment_but_no_text() {
    let ama = user("ama@example.com");
    let approval = decided(ama.id, Some("Say who you are."));
    let (id, found) = (approval.id, approval.clone());
    let mut repository = MockApprovalRepository::new();
    repository.expect_take_pending().once().return_once(move |_, _, _| Ok(vec![found]));
    repository
        .expect_mark_notified()
        .once()
        .withf(move |_, approval| *approval == id)
        .returning(|_, _| Ok(()));
    let mut users = MockUserRepository::new();
    users.expect_find().return_once(move |_| Ok(Some(ama)));
    let (intake, submissions) = open_intake();
    let approvals =
        Approvals::new(Arc::new(repository), Arc::new(users), Arc::new(messages(intake)), clock());

    approvals.notify_decisions().await.unwrap();

    let submissions = submissions.lock().unwrap();
    let draft = &submissions[0].messages[0].draft;
    assert_eq!(draft.recipient.as_str(), "ama@example.com");
    assert_eq!(draft.subject.as_deref(), Some("Your template was rejected"));
    for part in ["\"Order ready\" was rejected", "\nSay who you are.\n"] {
        assert!(draft.body.contains(part), "{}", draft.body);
    }
    assert!(!draft.body.contains("PIN"), "{}", draft.body);
    assert_eq!(submissions[0].idempotency.as_ref().unwrap().key, format!("approval-{id}"));
}

#[tokio::test]
async fn a_decision_is_not_mailed_to_an_unverified_address() {
    let ama = User { email_verified_at: None, ..user("ama@example.com") };
    let approval = decided(ama.id, None);
    let mut repository = MockApprovalRepository::new();
    repository.expect_take_pending().once().return_once(move |_, _, _| Ok(vec![approval]));
    repository.expect_mark_notified().once().returning(|_, _| Ok(()));
    let mut users = MockUserRepository::new();
    users.expect_find().return_once(move |_| Ok(Some(ama)));
    let (intake, submissions) = open_intake();
    let approvals =
        Approvals::new(Arc::new(repository), Arc::new(users), Arc::new(messages(intake)), clock());

    approvals.notify_decisions().await.unwrap();

    assert!(submissions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_failed_mail_stays_pending_and_delays_no_other() {
    let ama = user("ama@example.com");
    let [first, second] = [decided(ama.id, None), decided(ama.id, None)];
    let (mailed, pending) = (second.id, first.id);
    let mut repository = MockApprovalRepository::new();
    repository.expect_take_pending().once().return_once(move |_, _, _| Ok(vec![first, second]));
    let mark = repository.expect_mark_notified().once();
    mark.withf(move |_, marked| *marked == mailed && *marked != pending).returning(|_, _| Ok(()));
    let mut users = MockUserRepository::new();
    users.expect_find().returning(move |_| Ok(Some(ama.clone())));
    let mut intake = MockIntake::new();
    let turn = Mutex::new(0);
    intake.expect_accept().times(2).returning(move |submission: Submission| {
        let mut turn = turn.lock().unwrap();
        *turn += 1;
        match *turn {
            1 => Err(IntakeError::Store(away())),
            _ => Ok(Receipt::Replayed(submission.messages)),
        }
    });
    let approvals =
        Approvals::new(Arc::new(repository), Arc::new(users), Arc::new(messages(intake)), clock());

    approvals.notify_decisions().await.unwrap();
}

#[test]
fn the_mail_about_a_campaign_names_the_consequence() {
    let campaign =
        Approval { kind: ApprovalKind::Campaign, name: "Sale".into(), ..approval(Id::new(NOW)) };
    for (verdict, subject, consequence) in [
        (Verdict::Approved, "Your campaign was approved", "It is sent now, or at the time"),
        (Verdict::Rejected, "Your campaign was rejected", "It is not sent."),
    ] {
        let decision = Decision { verdict, by: Id::new(NOW), at: NOW, comment: None };
        let (title, body) = mail(&campaign, &decision);
        assert_eq!(title, subject);
        assert!(body.contains("\"Sale\"") && body.contains(consequence), "{body}");
    }
}
