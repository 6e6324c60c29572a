//! Durations in words.

use chrono::TimeDelta;

/// Units from the largest, with their lengths in seconds.
const UNITS: [(i64, &str); 4] = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];

/// Returns a duration in its two largest units, without the second if it is zero.
pub(super) fn in_words(duration: TimeDelta) -> String {
    let seconds = duration.num_seconds().max(0);
    for (index, (unit, name)) in UNITS.into_iter().enumerate() {
        if seconds < unit {
            continue;
        }
        let (number, rest) = (seconds / unit, seconds % unit);
        let first = counted(number, name);
        let Some((unit, name)) = UNITS.get(index + 1) else { return first };
        return match rest / unit {
            0 => first,
            number => format!("{first} and {}", counted(number, name)),
        };
    }
    "less than a second".to_owned()
}

/// Returns a duration in its largest unit, rounded down; `None` if it is shorter than a minute.
pub(super) fn roughly(duration: TimeDelta) -> Option<String> {
    let seconds = duration.num_seconds();
    let (unit, name) = UNITS.into_iter().find(|(unit, _)| seconds >= *unit)?;
    (unit > 1).then(|| counted(seconds / unit, name))
}

fn counted(number: i64, name: &str) -> String {
    if number == 1 { format!("1 {name}") } else { format!("{number} {name}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_given_in_its_two_largest_units() {
        for (seconds, expected) in [
            (-5, "less than a second"),
            (0, "less than a second"),
            (1, "1 second"),
            (59, "59 seconds"),
            (60, "1 minute"),
            (120, "2 minutes"),
            (125, "2 minutes and 5 seconds"),
            (3_900, "1 hour and 5 minutes"),
            (3_605, "1 hour"),
            (90_000, "1 day and 1 hour"),
            (864_000, "10 days"),
        ] {
            assert_eq!(in_words(TimeDelta::seconds(seconds)), expected, "{seconds}");
        }
        assert_eq!(in_words(TimeDelta::milliseconds(900)), "less than a second");
    }

    #[test]
    fn a_rough_duration_has_one_unit_and_at_least_a_minute() {
        for (seconds, expected) in [
            (-5, None),
            (59, None),
            (119, Some("1 minute")),
            (7_199, Some("1 hour")),
            (200_000, Some("2 days")),
        ] {
            assert_eq!(roughly(TimeDelta::seconds(seconds)).as_deref(), expected, "{seconds}");
        }
    }
}
