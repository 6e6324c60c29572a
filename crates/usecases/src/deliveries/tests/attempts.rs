//! Attempts are kept before they begin.

use super::*;

pub(super) fn foreseen(provider: &str) -> Message {
    Message { attempts: vec![Attempt::start(provider, NOW)], ..ordinary() }
}

#[tokio::test]
async fn the_attempt_that_was_kept_at_acceptance_needs_no_further_write() {
    let two = Two::default().first_says(accepted(FollowUp::Nothing));
    let step = two.step(job(foreseen("first"), 0)).await;

    assert_eq!(step.from, Status::Queued);
    assert_eq!(tried(&step), [("first", AttemptOutcome::Accepted)]);
}

#[tokio::test]
async fn an_attempt_that_was_foreseen_for_another_provider_never_took_place() {
    let two = Two::default().first_says(accepted(FollowUp::Nothing));
    let step = two.step(job(foreseen("second"), 0)).await;

    assert_eq!(tried(&step), [("first", AttemptOutcome::Accepted)]);
    assert_eq!(step.message.attempts.len(), 1);
}

#[tokio::test]
async fn what_a_crash_interrupted_is_asked_about_before_it_is_sent_again() {
    let rescued = || Job { is_fresh: false, ..job(foreseen("first"), 0) };

    let two = Two::default().first_knows(LookUp::Found(confirmed()));
    let step = two.step(rescued()).await;
    assert_eq!(step.message.delivery.status(), Status::Delivered);
    assert_eq!(tried(&step), [("first", AttemptOutcome::Unknown)]);

    let two = Two::default().first_knows(LookUp::NotFound).first_says(accepted(FollowUp::Nothing));
    let step = two.step(rescued()).await;
    assert_eq!(
        tried(&step),
        [("first", AttemptOutcome::Unknown), ("first", AttemptOutcome::Accepted)]
    );
}
