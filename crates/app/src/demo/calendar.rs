//! Hours of the past, each with its share of the messages.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, TimeDelta, Utc};

/// Number of past days that have messages.
pub(super) const DAYS: u64 = 60;
/// Number of the last days on which every hour has messages. Before them some have: figures are by the
/// day, and an hour costs as much as a hundred messages.
const WHOLE_DAYS: u64 = 3;

/// Messages by the hour of the day, from midnight, and by the day of the week, from Monday.
const BY_HOUR: [u64; 24] =
    [1, 1, 1, 1, 1, 3, 7, 15, 25, 30, 30, 26, 22, 24, 28, 30, 28, 25, 20, 16, 12, 8, 4, 2];
const BY_WEEKDAY: [u64; 7] = [22, 20, 20, 21, 25, 13, 7];
/// Hours that have messages on older days: those of one day, and of the next.
const SOME_HOURS: [[usize; 6]; 2] = [[7, 9, 11, 14, 16, 19], [8, 10, 12, 15, 17, 20]];

/// Hour with the number of its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hour {
    /// Beginning of the hour.
    pub(super) begin: DateTime<Utc>,
    /// Number of messages.
    pub(super) messages: u32,
}

/// Returns the hours of [`DAYS`] days before `now` that have messages, of which there are `messages` in all.
pub(super) fn hours(now: DateTime<Utc>, messages: u32) -> Vec<Hour> {
    let weights: Vec<_> = (0..=DAYS).flat_map(|age| day(now, DAYS - age)).collect();
    let total: u64 = weights.iter().map(|(_, weight)| weight).sum();
    let (mut passed, mut sent) = (0, 0);
    let mut hours = Vec::with_capacity(weights.len());
    for (begin, weight) in weights {
        passed += weight;
        let until = u32::try_from(u64::from(messages) * passed / total.max(1)).unwrap_or(u32::MAX);
        if until > sent {
            hours.push(Hour { begin, messages: until - sent });
        }
        sent = until;
    }
    hours
}

/// Returns the hours of the day of that age that have messages, with their weights. Traffic grows slowly.
fn day(now: DateTime<Utc>, age: u64) -> Vec<(DateTime<Utc>, u64)> {
    let today = now.date_naive();
    let date = today.checked_sub_days(Days::new(age)).unwrap_or(today);
    let hours: Vec<usize> =
        if age < WHOLE_DAYS { (0..24).collect() } else { some_hours(date).to_vec() };
    let among: u64 = hours.iter().map(|hour| BY_HOUR[*hour]).sum();
    let of_day = BY_WEEKDAY[date.weekday().num_days_from_monday() as usize] * (160 - age) * 1_000;
    let midnight = date.and_time(NaiveTime::MIN).and_utc();
    let begin = |hour: usize| midnight + TimeDelta::hours(i64::try_from(hour).unwrap_or_default());
    let weighted = hours.into_iter().map(|hour| (begin(hour), of_day * BY_HOUR[hour] / among));
    weighted.filter(|(begin, _)| *begin < now).collect()
}

fn some_hours(date: NaiveDate) -> [usize; 6] {
    let [even, odd] = SOME_HOURS;
    if date.num_days_from_ce() % 2 == 0 { even } else { odd }
}

#[cfg(test)]
mod tests {
    use chrono::Weekday;

    use super::*;

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    #[test]
    fn the_hours_have_all_messages_and_end_at_the_present() {
        let hours = hours(NOW, 30_000);

        assert_eq!(hours.iter().map(|hour| hour.messages).sum::<u32>(), 30_000);
        assert!(hours.is_sorted_by_key(|hour| hour.begin));
        assert!(hours.iter().all(|hour| hour.begin < NOW));
        let days = NOW - hours[0].begin;
        assert!((59..=61).contains(&days.num_days()), "{days}");
    }

    #[test]
    fn a_friday_has_more_messages_than_a_sunday_and_a_morning_more_than_a_night() {
        let hours = hours(NOW, 30_000);
        let on = |weekday: Weekday| -> u32 {
            let on = hours.iter().filter(|hour| hour.begin.weekday() == weekday);
            on.map(|hour| hour.messages).sum()
        };
        assert!(on(Weekday::Fri) > 2 * on(Weekday::Sun));

        let yesterday = (NOW - TimeDelta::days(1)).date_naive();
        let at = |number: i64| -> u32 {
            let begin = yesterday.and_time(NaiveTime::MIN).and_utc() + TimeDelta::hours(number);
            hours.iter().filter(|hour| hour.begin == begin).map(|hour| hour.messages).sum()
        };
        assert!(at(10) > 5 * at(2).max(1));
    }
}
