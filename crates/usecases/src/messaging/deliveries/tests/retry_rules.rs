//! The retry rules of senders.

use domain::messaging::{message::Draft, retry::RetryRules};

use super::*;

/// A message that is tried in two rounds, half a minute apart.
fn ruled(message: Message) -> Message {
    let rules = RetryRules { max_attempts: Some(2), backoff_seconds: Some(30) };
    let draft = Draft { retry_rules: Some(rules), ..Draft::clone(&message.draft) };
    Message { draft: Arc::new(draft), ..message }
}

fn refusing() -> TwoProviders {
    TwoProviders::default().first_answers(not_accepted()).second_answers(not_accepted())
}

#[tokio::test]
async fn a_message_gets_the_rounds_of_its_rules_and_a_refund() {
    let step = refusing().step(job(ruled(ordinary()), 0)).await;
    assert_eq!(step.message.delivery.status(), Status::Queued);
    assert_eq!((step.rounds, step.due_in), (1, Some(TimeDelta::seconds(30))));

    let step = refusing().step(job(ruled(ordinary()), 1)).await;
    let failure = step.message.delivery.failure().unwrap().clone();
    assert_eq!(step.message.delivery.status(), Status::Failed);
    assert_eq!((failure.code, refund(&step)), (FailureCode::ProviderUnavailable, PRICE));
    assert_eq!((step.rounds, step.due_in), (2, None));
}

#[tokio::test]
async fn a_message_in_doubt_is_queried_after_its_last_round() {
    let mut message = ruled(ordinary());
    message.attempts = vec![Attempt::start("first", NOW).end(NOW, &unknown())];

    let step = refusing().step(job(message, 1)).await;

    assert_eq!(step.message.delivery.status(), Status::Pending);
    assert_eq!(refund(&step), Money::ZERO);
    assert!(step.due_in.is_some());
}

#[tokio::test]
async fn an_unknown_message_gets_no_round_beyond_its_rules() {
    let doubted = || {
        let mut message = ruled(doubted_by("first"));
        message.attempts = vec![Attempt::start("first", NOW).end(NOW, &unknown())];
        message
    };
    let two = TwoProviders::default().first_knows(LookUp::NotFound);
    let step = two.step(job(doubted(), 2)).await;
    assert_eq!(step.message.delivery.status(), Status::Failed);
    assert_eq!(refund(&step), PRICE);

    let two = TwoProviders::default().first_knows(LookUp::Unavailable);
    let step = two.step(job(doubted(), 2)).await;
    assert_eq!(step.message.delivery.status(), Status::Pending);
    assert!(step.due_in.is_some());
}
