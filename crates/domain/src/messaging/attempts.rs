//! Attempts kept of a message: the first and the last ones, and the number of all. Only the last
//! one can be planned or running.
//!
//! ```
//! use chrono::DateTime;
//! use domain::messaging::attempts;
//!
//! let mut kept = Vec::new();
//! attempts::begin(&mut kept, "main", DateTime::UNIX_EPOCH);
//! assert!(attempts::is_running(&kept));
//! assert_eq!(attempts::count(&kept), 1);
//! ```

use chrono::{DateTime, Utc};

use crate::messaging::{
    attempt::{Attempt, AttemptOutcome, AttemptState},
    outcome::Outcome,
};

/// Number of first attempts kept.
const FIRST: usize = 5;
/// Number of last attempts kept.
const LAST: usize = 15;

/// Returns the attempt planned when the message was accepted; `None` once it has begun.
pub fn planned(attempts: &[Attempt]) -> Option<&Attempt> {
    attempts.last().filter(|attempt| attempt.state == AttemptState::Planned)
}

/// Sets the time of the planned attempt, if there is one.
pub fn plan_at(attempts: &mut [Attempt], at: DateTime<Utc>) {
    if let Some(attempt) = attempts.last_mut()
        && attempt.state == AttemptState::Planned
    {
        attempt.started_at = at;
    }
}

/// True if the last attempt has begun, or may have, and has not ended.
pub fn is_running(attempts: &[Attempt]) -> bool {
    attempts.last().is_some_and(|attempt| attempt.state == AttemptState::Running)
}

/// Begins the planned attempt if it goes to `provider`. Returns false if there is no such attempt.
pub fn begin_planned(attempts: &mut [Attempt], provider: &str) -> bool {
    match attempts.last_mut() {
        Some(attempt) if attempt.state == AttemptState::Planned && attempt.provider == provider => {
            attempt.state = AttemptState::Running;
            true
        }
        _ => false,
    }
}

/// Begins an attempt to hand the message to `provider`, instead of a planned one.
pub fn begin(attempts: &mut Vec<Attempt>, provider: &str, at: DateTime<Utc>) {
    drop_planned(attempts);
    attempts.push(Attempt::start(provider, at));
    if attempts.len() > FIRST + LAST {
        let dropped = attempts.remove(FIRST);
        attempts[FIRST].omitted += dropped.omitted + 1;
    }
}

/// Turns the running attempt back into a planned one: its call certainly had no effect.
pub fn plan_again(attempts: &mut [Attempt]) {
    if let Some(attempt) = attempts.last_mut()
        && attempt.state == AttemptState::Running
    {
        attempt.state = AttemptState::Planned;
    }
}

/// Removes the planned attempt, which will not take place.
pub fn drop_planned(attempts: &mut Vec<Attempt>) {
    attempts.pop_if(|attempt| attempt.state == AttemptState::Planned);
}

/// Ends the running attempt.
pub fn end(attempts: &mut Vec<Attempt>, at: DateTime<Utc>, outcome: &Outcome) {
    if let Some(attempt) = attempts.pop_if(|attempt| attempt.state == AttemptState::Running) {
        attempts.push(attempt.end(at, outcome));
    }
}

/// Ends an attempt that another process left running. Returns false if there is none.
pub fn end_abandoned(attempts: &mut Vec<Attempt>, at: DateTime<Utc>) -> bool {
    match attempts.pop_if(|attempt| attempt.state == AttemptState::Running) {
        Some(attempt) => {
            attempts.push(attempt.abandon(at));
            true
        }
        None => false,
    }
}

/// Returns the latest attempt in which a provider took the message or may have taken it.
pub fn holder(attempts: &[Attempt]) -> Option<&Attempt> {
    attempts.iter().rfind(|attempt| attempt.may_have_message())
}

/// Returns the [`holder`], or the last attempt if no provider has the message.
pub fn holder_or_last(attempts: &[Attempt]) -> Option<&Attempt> {
    holder(attempts).or(attempts.last())
}

/// Number of attempts, including those no longer kept.
pub fn count(attempts: &[Attempt]) -> usize {
    let omitted: u32 = attempts.iter().map(|attempt| attempt.omitted).sum();
    attempts.len() + usize::try_from(omitted).unwrap_or_default()
}

/// Number of attempts with an unknown outcome.
pub fn doubts(attempts: &[Attempt]) -> usize {
    attempts.iter().filter(|attempt| attempt.outcome() == Some(AttemptOutcome::Unknown)).count()
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;

    use super::*;

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    #[test]
    fn only_an_attempt_that_has_not_begun_gets_another_time() {
        let later = NOW + TimeDelta::seconds(1);
        let mut kept = vec![Attempt::plan("a", NOW)];
        plan_at(&mut kept, later);
        assert_eq!(kept, [Attempt::plan("a", later)]);

        begin_planned(&mut kept, "a");
        plan_at(&mut kept, NOW);
        assert_eq!(kept[0].started_at, later);
    }

    #[test]
    fn a_planned_attempt_begins_at_its_own_provider_or_not_at_all() {
        let planned_at_a = || vec![Attempt::plan("a", NOW)];

        let mut attempts = planned_at_a();
        assert!(!begin_planned(&mut attempts, "b"));
        begin(&mut attempts, "b", NOW);
        assert_eq!(attempts, [Attempt::start("b", NOW)]);

        let mut attempts = planned_at_a();
        assert!(begin_planned(&mut attempts, "a"));
        assert!(!begin_planned(&mut attempts, "a"), "it has begun");
        assert_eq!(attempts, [Attempt::start("a", NOW)]);
        plan_again(&mut attempts);
        assert_eq!(attempts, planned_at_a());
    }

    #[test]
    fn only_a_running_attempt_is_abandoned() {
        let mut attempts = vec![Attempt::plan("a", NOW)];
        assert!(!end_abandoned(&mut attempts, NOW));

        let mut attempts = vec![Attempt::start("a", NOW)];
        assert!(end_abandoned(&mut attempts, NOW));
        assert_eq!(doubts(&attempts), 1);
        assert!(!end_abandoned(&mut attempts, NOW));
    }

    proptest! {
        #[test]
        fn the_first_five_and_the_last_fifteen_are_kept_and_all_are_counted(tried in 0..60_usize) {
            let mut attempts = Vec::new();
            for number in 0..tried {
                begin(&mut attempts, &number.to_string(), NOW);
            }
            let kept: Vec<usize> =
                attempts.iter().map(|attempt| attempt.provider.parse().unwrap()).collect();
            let expected: Vec<usize> =
                (0..tried).filter(|number| *number < FIRST || number + LAST >= tried).collect();

            prop_assert_eq!(kept, expected);
            prop_assert_eq!(count(&attempts), tried);
        }
    }
}
