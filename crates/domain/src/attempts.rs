//! The attempts that are kept of a message: the first and the last ones, and how many there were.

use chrono::{DateTime, Utc};

use crate::provider::attempt::{Attempt, AttemptOutcome};

/// How many of the first attempts are kept.
const FIRST: usize = 5;
/// How many of the last attempts are kept.
const LAST: usize = 15;

/// Adds the attempt to hand a message to `provider` that is about to begin.
pub fn begin(attempts: &mut Vec<Attempt>, provider: &str, at: DateTime<Utc>) {
    attempts.push(Attempt::start(provider, at));
    if attempts.len() > FIRST + LAST {
        let dropped = attempts.remove(FIRST);
        attempts[FIRST].omitted += dropped.omitted + 1;
    }
}

/// How many attempts there were, those that are no longer kept too.
pub fn count(attempts: &[Attempt]) -> usize {
    let omitted = |attempt: &Attempt| usize::try_from(attempt.omitted).unwrap_or_default();
    attempts.len() + attempts.iter().map(omitted).sum::<usize>()
}

/// How many attempts ended without anybody knowing how.
pub fn doubts(attempts: &[Attempt]) -> usize {
    let is_doubt = |attempt: &&Attempt| attempt.outcome == Some(AttemptOutcome::Unknown);
    attempts.iter().filter(is_doubt).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

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
