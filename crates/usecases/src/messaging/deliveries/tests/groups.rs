//! The rules of calls shared by messages with the same text.

use domain::shared::address::Address;

use super::{attempts::planned, *};
use crate::shared::fixtures::manual_clock;

/// A job planned for `provider`, to a recipient of its own.
fn fresh(provider: &str, recipient: u8) -> Job {
    let mut message = planned(provider);
    Arc::make_mut(&mut message.draft).recipient =
        Address::stored(format!("+23324123456{recipient}"));
    job(message, 0)
}

fn pair() -> Vec<Job> {
    vec![fresh("first", 0), fresh("first", 1)]
}

/// Two providers of which the first takes groups.
fn grouping() -> TwoProviders {
    let mut two = TwoProviders::default();
    two.first.expect_group_limit().return_const(10_usize);
    two.first.expect_session_window().return_const(None);
    two
}

/// Two providers of which the first answers a group with `outcomes`.
fn answering(outcomes: Vec<Outcome>) -> TwoProviders {
    let mut two = grouping();
    two.first.expect_send_group().once().return_once(|_| outcomes);
    two
}

fn written() -> MockJobs {
    let mut jobs = MockJobs::new();
    jobs.expect_record().returning(|_| Ok(Recorded::Done));
    jobs
}

fn bad() -> Outcome {
    Outcome::Rejected(failure(FailureCode::InvalidRecipient))
}

async fn states(deliveries: Deliveries, jobs: Vec<Job>) -> Vec<Status> {
    delivered(&deliveries, jobs).await.iter().map(|it| it.delivery.status()).collect()
}

/// The messages as a worker leaves them.
async fn delivered(deliveries: &Deliveries, jobs: Vec<Job>) -> Vec<Message> {
    let worked = deliveries.deliver_group(jobs, AdmissionWait::None).await;
    let message = |worked| match worked {
        Ok(WorkResult::Done(message)) => message,
        other => panic!("{other:?}"),
    };
    worked.into_iter().map(message).collect()
}

#[tokio::test]
async fn each_message_of_a_group_has_its_own_outcome() {
    let two = answering(vec![accepted(FollowUp::Nothing), bad()]);
    let deliveries = two.deliveries(written(), clock());

    assert_eq!(states(deliveries, pair()).await, [Status::Sent, Status::Failed]);
}

#[tokio::test]
async fn a_message_missing_in_the_answer_is_in_doubt() {
    let deliveries = answering(vec![accepted(FollowUp::Nothing)]).deliveries(written(), clock());

    assert_eq!(states(deliveries, pair()).await, [Status::Sent, Status::Pending]);
}

#[tokio::test]
async fn a_group_that_is_refused_as_a_whole_is_handed_over_one_by_one() {
    let mut two = answering(vec![bad(); 2]);
    let is_guilty = |message: &Message| message.draft.recipient.as_str().ends_with('0');
    let send = two.first.expect_send().times(2);
    send.returning(move |it| if is_guilty(it) { bad() } else { accepted(FollowUp::Nothing) });

    let states = states(two.deliveries(written(), clock()), pair()).await;

    assert_eq!(states, [Status::Failed, Status::Sent]);
}

#[tokio::test]
async fn leases_are_renewed_after_a_slow_refusal_of_a_group() {
    let (clock, clock_time) = manual_clock();
    let mut two = grouping();
    let slow = move |_: &[Message]| {
        *clock_time.lock().unwrap() += TimeDelta::seconds(60);
        vec![bad(); 2]
    };
    two.first.expect_send_group().once().return_once(slow);
    two.first.expect_send().once().returning(|_| accepted(FollowUp::Nothing));
    let lost = pair();
    let theirs = lost[0].message.id;
    let mut jobs = MockJobs::new();
    jobs.expect_record().returning(move |step| {
        let is_begun = matches!(step, Step::AttemptBegun(_));
        let is_lost = is_begun && step.message().id == theirs;
        Ok(if is_lost { Recorded::Stale } else { Recorded::Done })
    });
    jobs.expect_find().once().returning(|_| Ok(None));

    let states = states(two.deliveries(jobs, clock), lost).await;

    assert_eq!(states, [Status::Queued, Status::Sent], "another worker has the first by now");
}

#[tokio::test]
async fn a_group_is_handed_over_without_messages_that_others_lease() {
    let late: Arc<dyn Clock> = Arc::new(MockClock::at(NOW + TimeDelta::seconds(100)));
    let jobs_of_three = vec![fresh("first", 0), fresh("first", 1), fresh("first", 2)];
    let theirs = jobs_of_three[1].message.id;
    let mut two = grouping();
    let only_ours = move |messages: &[Message]| {
        messages.len() == 2 && messages.iter().all(|message| message.id != theirs)
    };
    let send = two.first.expect_send_group().once().withf(only_ours);
    send.return_once(|_| vec![accepted(FollowUp::Nothing); 2]);
    let mut jobs = MockJobs::new();
    jobs.expect_record().returning(move |step| {
        Ok(if step.message().id == theirs { Recorded::Stale } else { Recorded::Done })
    });
    jobs.expect_find().once().returning(|_| Ok(None));

    let states = states(two.deliveries(jobs, late), jobs_of_three).await;

    assert_eq!(states, [Status::Queued, Status::Sent, Status::Sent]);
}

#[tokio::test]
async fn a_message_in_doubt_stays_if_its_call_opens_the_breaker() {
    let failure = failure(FailureCode::ProviderBalance);
    let empty = Outcome::NotAccepted { failure, retry_after: None };
    let two = answering(vec![empty, unknown()]).second_answers(accepted(FollowUp::Nothing));
    let deliveries = two.deliveries(written(), clock());

    let delivered = delivered(&deliveries, pair()).await;

    assert!(!deliveries.deps.providers.states().of("first").is_open_to_all());
    let holders = delivered.iter().map(|it| it.provider.as_deref());
    assert_eq!(holders.collect::<Vec<_>>(), [Some("second"), Some("first")]);
    assert_eq!(delivered[1].delivery.status(), Status::Pending);
}

#[tokio::test]
async fn an_unreachable_recipient_hides_no_failure_of_the_provider() {
    let not_accepted = |code| Outcome::NotAccepted { failure: failure(code), retry_after: None };
    let codes = [FailureCode::RecipientUnreachable, FailureCode::ProviderBalance];
    let mut two = answering(codes.map(not_accepted).into());
    two.second.expect_send().times(2).returning(|_| accepted(FollowUp::Nothing));
    let deliveries = two.deliveries(written(), clock());

    deliveries.deliver_group(pair(), AdmissionWait::None).await;

    assert!(!deliveries.deps.providers.states().of("first").is_open_to_all());
}

#[tokio::test]
async fn a_recipient_appears_once_in_a_call() {
    let mut two = answering(vec![accepted(FollowUp::Nothing); 2]);
    two.first.expect_send().once().returning(|_| accepted(FollowUp::Nothing));
    let jobs = vec![fresh("first", 0), fresh("first", 0), fresh("first", 1)];

    let states = states(two.deliveries(written(), clock()), jobs).await;

    assert_eq!(states, [Status::Sent; 3]);
}

#[tokio::test]
async fn a_provider_without_group_calls_gets_single_messages() {
    let mut two = TwoProviders::default();
    two.first.expect_group_limit().return_const(1_usize);
    two.first.expect_send().times(2).returning(|_| accepted(FollowUp::Nothing));

    let states = states(two.deliveries(written(), clock()), pair()).await;

    assert_eq!(states, [Status::Sent; 2]);
}

#[test]
fn messages_of_different_texts_never_share_a_call() {
    let (one, mut other) = (fresh("first", 0), fresh("first", 1));
    assert!(Deliveries::is_same_call(&one, &other));
    Arc::make_mut(&mut other.message.draft).body.push('!');
    assert!(!Deliveries::is_same_call(&one, &other));
    assert!(!Deliveries::is_same_call(&one, &fresh("second", 1)));
}
