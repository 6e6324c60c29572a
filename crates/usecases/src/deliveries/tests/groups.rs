//! Messages of the same text share a call.

use super::{attempts::foreseen, *};

fn fresh(provider: &str) -> Job {
    job(foreseen(provider), 0)
}

fn grouping(outcomes: Vec<Outcome>, jobs: MockJobs) -> Deliveries {
    let mut two = Two::default();
    two.first.expect_group_limit().return_const(10_usize);
    two.first.expect_session_window().return_const(None);
    two.first.expect_send_group().once().return_once(|_| outcomes);
    two.deliveries(jobs, clock())
}

fn written() -> MockJobs {
    let mut jobs = MockJobs::new();
    jobs.expect_record().returning(|_| Ok(Recorded::Done));
    jobs
}

#[tokio::test]
async fn each_message_of_a_group_has_its_own_outcome() {
    let bad = Outcome::Rejected(failure(FailureCode::InvalidRecipient));
    let deliveries = grouping(vec![accepted(FollowUp::Nothing), bad], written());

    let delivered = deliveries.deliver_group(vec![fresh("first"), fresh("first")]).await;

    let states: Vec<_> =
        delivered.iter().map(|it| it.as_ref().unwrap().delivery.status()).collect();
    assert_eq!(states, [Status::Sent, Status::Failed]);
}

#[tokio::test]
async fn a_message_that_the_answer_forgot_is_in_doubt_and_not_sent_again() {
    let deliveries = grouping(vec![accepted(FollowUp::Nothing)], written());

    let delivered = deliveries.deliver_group(vec![fresh("first"), fresh("first")]).await;

    assert_eq!(delivered[1].as_ref().unwrap().delivery.status(), Status::Pending);
}

#[test]
fn messages_of_different_texts_never_share_a_call() {
    let (one, mut other) = (fresh("first"), fresh("first"));
    assert!(Deliveries::is_same_call(&one, &other));
    other.message.draft.body.push('!');
    assert!(!Deliveries::is_same_call(&one, &other));
    assert!(!Deliveries::is_same_call(&one, &fresh("second")));
}
