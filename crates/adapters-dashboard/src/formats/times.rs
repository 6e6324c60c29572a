//! Times and days, in the time zone of an organization.

use std::ops::RangeInclusive;

use chrono::{
    DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Offset, SecondsFormat, TimeDelta, Utc,
};
use chrono_tz::{OffsetName, Tz};

use super::durations::roughly;

/// Value of a field for date and time, and the same with seconds, as some browsers write it.
const FIELD_TIME: &str = "%Y-%m-%dT%H:%M";
const FIELD_TIME_WITH_SECONDS: &str = "%Y-%m-%dT%H:%M:%S";
/// Years that such a field has.
const YEARS: RangeInclusive<i32> = 1..=9_999;

/// A time for `<time datetime="…">`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Time for programs: RFC 3339 in UTC, or a day.
    pub(crate) machine: String,
    pub(crate) text: String,
}

impl Moment {
    fn of(at: DateTime<Utc>, text: String) -> Self {
        Self { machine: at.to_rfc3339_opts(SecondsFormat::Secs, true), text }
    }
}

pub(super) fn time(at: DateTime<Utc>, zone: Tz, now: DateTime<Utc>) -> Moment {
    let local = at.with_timezone(&zone);
    let day = match local.date_naive().signed_duration_since(today(zone, now)).num_days() {
        -1 => "yesterday".to_owned(),
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        _ => local.format("%-d %B %Y").to_string(),
    };
    Moment::of(at, format!("{day} at {} {}", local.format("%H:%M"), zone_name(&local)))
}

pub(super) fn exact_time(at: DateTime<Utc>, zone: Tz) -> Moment {
    let local = at.with_timezone(&zone);
    let text = format!("{} {}", local.format("%-d %B %Y at %H:%M:%S"), zone_name(&local));
    Moment::of(at, text)
}

pub(super) fn distance(at: DateTime<Utc>, zone: Tz, now: DateTime<Utc>) -> Moment {
    /// Distance from which on a date is easier to understand than a number of days.
    const LONGEST: TimeDelta = TimeDelta::days(30);

    if (now - at).abs() > LONGEST {
        return Moment::of(at, at.with_timezone(&zone).format("%-d %B %Y").to_string());
    }
    let text = if let Some(passed) = roughly(now - at) {
        format!("{passed} ago")
    } else if let Some(left) = roughly(at - now) {
        format!("in {left}")
    } else {
        "just now".to_owned()
    };
    Moment::of(at, text)
}

pub(super) fn date(at: DateTime<Utc>, zone: Tz) -> Moment {
    let local = at.with_timezone(&zone);
    Moment {
        machine: local.format("%Y-%m-%d").to_string(),
        text: local.format("%-d %B %Y").to_string(),
    }
}

pub(super) fn day(day: NaiveDate) -> String {
    day.format("%-d %b").to_string()
}

pub(super) fn today(zone: Tz, now: DateTime<Utc>) -> NaiveDate {
    now.with_timezone(&zone).date_naive()
}

/// Returns the name of the time zone of a time: its abbreviation, or its distance from UTC if it has
/// none.
pub(super) fn zone_name(local: &DateTime<Tz>) -> String {
    if let Some(name) = local.offset().abbreviation() {
        return name.to_owned();
    }
    let seconds = local.offset().fix().local_minus_utc();
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    match (minutes / 60, minutes % 60) {
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

pub(super) fn start_of(day: NaiveDate, zone: Tz) -> DateTime<Utc> {
    in_utc(day.and_time(NaiveTime::MIN), zone)
}

pub(super) fn field_time(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format(FIELD_TIME).to_string()
}

pub(super) fn parse_time(text: &str, zone: Tz) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let local = NaiveDateTime::parse_from_str(text, FIELD_TIME)
        .or_else(|_| NaiveDateTime::parse_from_str(text, FIELD_TIME_WITH_SECONDS))
        .ok()
        .filter(|local| YEARS.contains(&local.year()))?;
    Some(in_utc(local, zone))
}

/// Returns a local time in UTC: the earlier of two, and an hour later where clocks leave it out.
fn in_utc(local: NaiveDateTime, zone: Tz) -> DateTime<Utc> {
    let read = |local: NaiveDateTime| local.and_local_timezone(zone).earliest();
    let time = read(local)
        .or_else(|| local.checked_add_signed(TimeDelta::hours(1)).and_then(read))
        .map(|time| time.to_utc());
    // A zone that left out a whole day, or a year that no clock reaches.
    time.unwrap_or_else(|| local.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCRA: Tz = Tz::Africa__Accra;
    const LONDON: Tz = Tz::Europe__London;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn day_of(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_time_names_the_day_and_the_zone() {
        let now = at("2026-11-26T00:30:00Z");
        for (time_at, zone, expected) in [
            ("2026-11-26T14:05:09Z", ACCRA, "today at 14:05 GMT"),
            ("2026-11-25T23:59:59Z", ACCRA, "yesterday at 23:59 GMT"),
            ("2026-11-27T09:00:00Z", ACCRA, "tomorrow at 09:00 GMT"),
            ("2026-11-24T09:00:00Z", ACCRA, "24 November 2026 at 09:00 GMT"),
            ("2026-11-25T23:30:00Z", Tz::Africa__Lagos, "today at 00:30 WAT"),
            ("2026-07-01T12:00:00Z", LONDON, "1 July 2026 at 13:00 BST"),
        ] {
            let moment = time(at(time_at), zone, now);
            assert_eq!((moment.machine.as_str(), moment.text.as_str()), (time_at, expected));
        }
    }

    #[test]
    fn an_exact_time_has_seconds_and_a_whole_date() {
        let moment = exact_time(at("2026-11-26T14:05:09Z"), Tz::Africa__Nairobi);
        assert_eq!(moment.text, "26 November 2026 at 17:05:09 EAT");
    }

    #[test]
    fn a_zone_without_a_name_is_a_distance_from_utc() {
        let now = at("2026-11-26T12:00:00Z");
        for (zone, expected) in [
            (ACCRA, "GMT"),
            (Tz::UTC, "UTC"),
            (Tz::Asia__Dubai, "UTC+4"),
            (Tz::Asia__Kathmandu, "UTC+5:45"),
            (Tz::America__Sao_Paulo, "UTC-3"),
        ] {
            assert_eq!(zone_name(&now.with_timezone(&zone)), expected);
        }
    }

    #[test]
    fn a_distance_of_more_than_a_month_is_a_date() {
        let now = at("2026-11-26T12:00:00Z");
        for (seconds, expected) in [
            (0, "just now"),
            (-59, "just now"),
            (59, "just now"),
            (-120, "2 minutes ago"),
            (3_600, "in 1 hour"),
            (-2_592_000, "30 days ago"),
            (-2_678_400, "26 October 2026"),
        ] {
            let moment = distance(now + TimeDelta::seconds(seconds), ACCRA, now);
            assert_eq!(moment.text, expected, "{seconds}");
        }
    }

    #[test]
    fn days_are_those_of_the_zone() {
        let night = at("2026-11-30T23:30:00Z");
        let moment =
            |machine: &str, text: &str| Moment { machine: machine.into(), text: text.into() };

        assert_eq!(date(night, ACCRA), moment("2026-11-30", "30 November 2026"));
        assert_eq!(date(night, Tz::Africa__Lagos), moment("2026-12-01", "1 December 2026"));
        assert_eq!(day(day_of("2026-12-01")), "1 Dec");
        assert_eq!(start_of(day_of("2026-12-01"), Tz::Africa__Lagos), at("2026-11-30T23:00:00Z"));
    }

    #[test]
    fn the_value_of_a_field_is_a_time_of_the_zone() {
        let noon = at("2026-07-01T12:00:00Z");

        assert_eq!(field_time(noon, LONDON), "2026-07-01T13:00");
        assert_eq!(parse_time("2026-07-01T13:00", LONDON), Some(noon));
        assert_eq!(
            parse_time(" 2026-07-01T13:00:30 ", LONDON),
            Some(noon + TimeDelta::seconds(30))
        );
        for text in ["", "13:00", "2026-07-01", "2026-02-30T13:00", "tomorrow", "-9999-01-01T13:00"]
        {
            assert_eq!(parse_time(text, LONDON), None, "{text}");
        }
    }

    #[test]
    fn a_time_that_clocks_repeat_or_leave_out_is_still_a_time() {
        assert_eq!(parse_time("2026-10-25T01:30", LONDON), Some(at("2026-10-25T00:30:00Z")));
        assert_eq!(parse_time("2026-03-29T01:30", LONDON), Some(at("2026-03-29T01:30:00Z")));
    }
}
