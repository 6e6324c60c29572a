//! Acceptance of messages and its price.

use chrono::TimeDelta;
use domain::{
    messaging::{delivery::Delivery, job::Job, message::Message, resend::Resend},
    money::wallet::{Credit, LedgerKind},
    shared::{id::Id, money::Money, trace::TraceContext},
};
use futures_util::future::join_all;
use ports::messaging::messages::{
    Advance, CampaignAdvance, FirstWorker, Idempotency, IntakeError, Receipt, Submission,
};

use super::{PRICE, Subject, sent, subjects};
use crate::now;

fn keyed(messages: &[Message], is_sandbox: bool, fingerprint: u8) -> Submission {
    let fingerprint = [fingerprint; 32];
    let gaps = Vec::new();
    let idempotency = Some(Idempotency { key: "order-1".into(), is_sandbox, fingerprint, gaps });
    Submission { idempotency, ..Subject::submission(messages) }
}

fn replayed(receipt: Result<Receipt, IntakeError>) -> Vec<Message> {
    match receipt {
        Ok(Receipt::Replayed(messages)) => messages,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_submission_is_accepted_as_a_whole_or_not_at_all() {
    for subject in subjects(PRICE * 3).await {
        println!("on {}", subject.name);
        let messages = subject.messages(4);
        let refused = subject.intake.accept(Subject::submission(&messages)).await;
        let Err(IntakeError::InsufficientBalance(missing)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((missing.required, missing.balance), (PRICE * 4, PRICE * 3));
        assert_eq!(subject.balance().await, PRICE * 3);
        assert_eq!(subject.jobs.find(messages[0].id).await.unwrap(), None);
        assert_eq!(subject.claim().await, []);

        subject.accept(&messages[..3]).await;
        assert_eq!(subject.balance().await, Money::ZERO);
        assert_eq!(subject.claim().await.len(), 3);
    }
}

#[tokio::test]
async fn concurrent_spending_never_overdraws_a_wallet() {
    for subject in subjects(PRICE * 5).await {
        println!("on {}", subject.name);
        let (another, _) = subject.another_instance();
        let message = || Subject::submission(&[subject.message()]);
        let here = (0..10).map(|_| subject.intake.accept(message()));
        let there = (0..10).map(|_| another.accept(message()));

        let answers = join_all(here.chain(there)).await;

        assert_eq!(answers.iter().filter(|it| it.is_ok()).count(), 5, "{answers:?}");
        assert_eq!(subject.balance().await, Money::ZERO);
    }
}

#[tokio::test]
async fn a_submission_without_a_wallet_is_refused_unless_free() {
    for subject in subjects(PRICE).await {
        println!("on {}", subject.name);
        let mut message = Message { organization: Id::new(now()), ..subject.message() };
        let refused = subject.intake.accept(Subject::submission(&[message.clone()])).await;
        assert!(matches!(refused, Err(IntakeError::Store(_))), "{refused:?}");

        message.cost = Money::ZERO;
        subject.accept(&[message]).await;
    }
}

#[tokio::test]
async fn a_repeated_key_returns_the_first_request_for_free() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let messages = subject.messages(2);
        subject.intake.accept(keyed(&messages, false, 1)).await.unwrap();
        let job = subject.claim().await.remove(0);
        subject.record(sent(&job, "first", "ref-1")).await;

        let again = subject.intake.accept(keyed(&subject.messages(2), false, 1)).await;

        let again = replayed(again);
        let ids: Vec<_> = again.iter().map(|message| message.id).collect();
        assert_eq!(ids, [messages[0].id, messages[1].id], "in their order");
        let moved = again.iter().find(|message| message.id == job.message.id).unwrap();
        assert!(matches!(moved.delivery, Delivery::Sent { .. }), "{moved:?}");
        assert_eq!(subject.balance().await, PRICE * 8);
    }
}

#[tokio::test]
async fn a_key_knows_the_places_that_got_no_message() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let messages = subject.messages(2);
        let submission = keyed(&messages, false, 1);
        let idempotency = submission.idempotency.clone();
        let idempotency = idempotency.map(|it| Idempotency { gaps: vec![0, 2, 4], ..it });
        let submission = Submission { idempotency, ..submission };
        subject.intake.accept(submission.clone()).await.unwrap();

        let again = replayed(subject.intake.accept(submission).await);

        let ids: Vec<_> = again.iter().map(|message| message.id).collect();
        assert_eq!(ids, [messages[0].id, messages[1].id]);
        let (logs, organization) = (&subject.logs, subject.organization);
        let found = logs.find_accepted(organization, false, "order-1").await.unwrap().unwrap();
        assert_eq!((found.messages.len(), found.gaps), (2, vec![0, 2, 4]));
    }
}

#[tokio::test]
async fn refuses_another_request_under_a_used_key() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        subject.intake.accept(keyed(&subject.messages(1), false, 1)).await.unwrap();

        let reused = subject.intake.accept(keyed(&subject.messages(1), false, 2)).await;

        assert!(matches!(reused, Err(IntakeError::IdempotencyKeyReused)), "{reused:?}");
        assert_eq!(subject.balance().await, PRICE * 9);
    }
}

#[tokio::test]
async fn keys_are_separate_by_organization_and_mode_for_a_day() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let other = subject.another_organization(PRICE * 10).await;
        let theirs = [Message { organization: other, ..subject.message() }];
        for submission in [
            keyed(&subject.messages(1), false, 1),
            keyed(&subject.messages(1), true, 2),
            keyed(&theirs, false, 3),
        ] {
            let receipt = subject.intake.accept(submission).await.unwrap();
            assert!(matches!(receipt, Receipt::Accepted(_)), "{receipt:?}");
        }
        let found = async |is_sandbox| {
            let (logs, organization) = (&subject.logs, subject.organization);
            let found = logs.find_accepted(organization, is_sandbox, "order-1").await.unwrap();
            found.map(|accepted| accepted.fingerprint[0])
        };
        assert_eq!((found(false).await, found(true).await), (Some(1), Some(2)));

        subject.pass(TimeDelta::hours(24)).await;
        assert_eq!(found(false).await, None);
        let receipt = subject.intake.accept(keyed(&subject.messages(1), false, 9)).await.unwrap();
        assert!(matches!(receipt, Receipt::Accepted(_)), "{receipt:?}");
        assert_eq!(found(false).await, Some(9));
    }
}

#[tokio::test]
async fn refuses_a_submission_over_the_daily_limit() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        subject.limit_spending(PRICE * 3).await;
        subject.accept(&subject.messages(2)).await;

        let refused = subject.intake.accept(Subject::submission(&subject.messages(2))).await;

        let Err(IntakeError::SpendingLimitReached(reached)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((reached.limit, reached.spent, reached.left()), (PRICE * 3, PRICE * 2, PRICE));
        subject.accept(&subject.messages(1)).await;
        assert_eq!(subject.balance().await, PRICE * 7);
    }
}

#[tokio::test]
async fn a_waiting_submitter_gets_the_lease_of_its_job() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let messages = [subject.message()];
        let submission =
            Submission { first_worker: FirstWorker::Submitter, ..Subject::submission(&messages) };
        let receipt = subject.intake.accept(submission).await.unwrap();
        let Receipt::Accepted(own) = receipt else { panic!("{receipt:?}") };
        let is_held = |jobs: &[Job]| jobs.iter().all(|job| job.lease.is_held());
        assert!(is_held(&own));
        assert_eq!(subject.claim().await, [], "it is in good hands");

        let free = subject.accept(&[subject.message()]).await;
        assert!(!is_held(&free));
        assert_eq!(subject.claim().await.len(), 1);
    }
}

#[tokio::test]
async fn a_failed_message_is_repeated_once_unless_its_latest_repetition_is_named() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let first = Id::new_in(now(), subject.organization);
        let repeat = |former: Option<Id<Message>>| {
            let message = Message { resent_from: Some(first), ..subject.message() };
            let replacement = message.id;
            let resend = Resend { message: first, replacement, former, task: None };
            let advance = Some(Advance::Resend(resend));
            Submission { advance, ..Subject::submission(&[message]) }
        };
        let attempts = (0..8).map(|_| subject.intake.accept(repeat(None)));

        let answers = join_all(attempts).await;

        let accepted: Vec<_> = answers.iter().filter_map(|it| it.as_ref().ok()).collect();
        let [Receipt::Accepted(jobs)] = &accepted[..] else { panic!("{answers:?}") };
        let latest = jobs[0].message.id;
        assert_eq!(subject.find(latest).await.resent_from, Some(first));
        let overtaken = answers.iter().filter(|it| matches!(it, Err(IntakeError::Overtaken)));
        assert_eq!(overtaken.count(), 7, "{answers:?}");
        assert_eq!(subject.balance().await, PRICE * 9);

        subject.intake.accept(repeat(Some(latest))).await.unwrap();
        let late = subject.intake.accept(repeat(Some(latest))).await;
        assert!(matches!(late, Err(IntakeError::Overtaken)), "{late:?}");
        assert_eq!(subject.balance().await, PRICE * 8);
    }
}

#[tokio::test]
async fn the_trace_of_a_message_outlives_the_process_that_accepted_it() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let plain = subject.message();
        let trace = Some(TraceContext::root(subject.organization.uuid()));
        let traced = Message { trace, ..subject.message() };

        subject.accept(&[plain.clone(), traced.clone()]).await;

        assert_eq!(subject.find(plain.id).await.trace, None);
        assert_eq!(subject.find(traced.id).await.trace, trace);
    }
}

#[tokio::test]
async fn a_campaign_that_is_not_sending_accepts_no_messages() {
    for subject in subjects(PRICE * 10).await {
        println!("on {}", subject.name);
        let advance = CampaignAdvance {
            campaign: Id::new_in(now(), subject.organization),
            after: None,
            last: Id::new_in(now(), subject.organization),
            unreachable: Vec::new(),
        };
        let submission = Submission {
            advance: Some(Advance::Campaign(advance)),
            ..Subject::submission(&subject.messages(1))
        };

        let refused = subject.intake.accept(submission).await;

        assert!(matches!(refused, Err(IntakeError::Overtaken)), "{refused:?}");
        assert_eq!(subject.balance().await, PRICE * 10);
    }
}

#[tokio::test]
async fn a_wallet_opens_once_and_is_credited_once_per_reference() {
    for subject in subjects(PRICE).await {
        println!("on {}", subject.name);
        let organization = subject.organization;
        subject.wallets.open(organization, PRICE * 100, now()).await.unwrap();
        let credit = |kind, reference: &str| Credit {
            id: Id::new_in(now(), organization),
            organization,
            kind,
            reference: reference.into(),
            amount: PRICE * 2,
            at: now(),
        };
        for (kind, reference, is_new, times) in [
            (LedgerKind::TopUp, "ref-1", true, 3),
            (LedgerKind::TopUp, "ref-1", false, 3),
            (LedgerKind::ManualCredit, "ref-1", true, 5),
            (LedgerKind::TopUp, "ref-2", true, 7),
        ] {
            let credited = subject.wallets.credit(&credit(kind, reference)).await.unwrap();
            assert_eq!((credited.is_new, credited.balance), (is_new, PRICE * times));
        }
        assert_eq!(subject.balance().await, PRICE * 7);

        let nobody = Credit { organization: Id::new(now()), ..credit(LedgerKind::TopUp, "ref-1") };
        subject.wallets.credit(&nobody).await.unwrap_err();
    }
}
