//! Checks of windows, and the times at which they open.

use chrono::{Datelike, TimeDelta, Timelike};
use proptest::{collection, prelude::*, sample};

use super::*;

/// A Wednesday, 22:13:20 UTC.
const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_686_780_800_000_000_000);

fn time(text: &str) -> TimeOfDay {
    text.parse().unwrap()
}

fn request() -> SendingWindowRequest {
    SendingWindowRequest {
        country: Some(Country::GH),
        category: Some(Category::Marketing),
        weekdays: Some(Weekday::ALL[..6].to_vec()),
        opens: Some(time("08:00")),
        closes: Some(time("19:00")),
        utc_offset: None,
        source: Some("the law".into()),
        is_active: Some(true),
    }
}

fn window(weekdays: &[Weekday], opens: &str, closes: &str, utc_offset: &str) -> SendingWindow {
    let request = SendingWindowRequest {
        weekdays: Some(weekdays.to_vec()),
        opens: Some(time(opens)),
        closes: Some(time(closes)),
        utc_offset: Some(utc_offset.parse().unwrap()),
        ..request()
    };
    request.window(NOW).unwrap()
}

/// Time from `at` on at which a marketing message may go to Ghana.
fn opening(windows: &[SendingWindow], at: &str) -> String {
    let at: DateTime<Utc> = at.parse().unwrap();
    let quiet = QuietHours::outside(windows.to_vec());
    let end = quiet.end(Country::GH, Category::Marketing, at);
    end.unwrap_or(at).format("%a %H:%M:%S").to_string()
}

#[test]
fn a_window_opens_on_the_next_of_its_days() {
    let windows = [window(&Weekday::ALL[..6], "08:00", "19:00", "+00:00")];
    for (at, expected) in [
        ("2023-06-14T07:59:59Z", "Wed 08:00:00"),
        ("2023-06-14T08:00:00Z", "Wed 08:00:00"),
        ("2023-06-14T18:59:59Z", "Wed 18:59:59"),
        ("2023-06-14T19:00:00Z", "Thu 08:00:00"),
        ("2023-06-17T19:00:00Z", "Mon 08:00:00"),
        ("2023-06-18T12:00:00Z", "Mon 08:00:00"),
    ] {
        assert_eq!(opening(&windows, at), expected, "{at}");
    }
}

#[test]
fn a_window_over_midnight_belongs_to_the_day_on_which_it_opens() {
    let windows = [window(&[Weekday::Friday], "22:00", "02:00", "+00:00")];
    for (at, expected) in [
        ("2023-06-16T21:00:00Z", "Fri 22:00:00"),
        ("2023-06-17T01:59:00Z", "Sat 01:59:00"),
        ("2023-06-17T02:00:00Z", "Fri 22:00:00"),
        ("2023-06-17T22:30:00Z", "Fri 22:00:00"),
    ] {
        assert_eq!(opening(&windows, at), expected, "{at}");
    }
}

#[test]
fn the_first_active_window_to_open_counts() {
    let inactive = window(&Weekday::ALL, "00:00", "24:00", "+00:00");
    let windows = [
        window(&[Weekday::Wednesday], "08:00", "12:00", "+00:00"),
        window(&[Weekday::Wednesday], "14:00", "18:00", "+00:00"),
        SendingWindow { is_active: false, ..inactive },
    ];
    assert_eq!(opening(&windows, "2023-06-14T12:30:00Z"), "Wed 14:00:00");
    assert_eq!(opening(&windows, "2023-06-14T18:00:00Z"), "Wed 08:00:00");
}

#[test]
fn hours_are_those_of_the_country_s_clocks() {
    let monday = [window(&[Weekday::Monday], "00:00", "24:00", "+05:30")];
    assert_eq!(opening(&monday, "2023-06-18T18:29:59Z"), "Sun 18:30:00");
    assert_eq!(opening(&monday, "2023-06-19T18:29:59Z"), "Mon 18:29:59");
    assert_eq!(opening(&monday, "2023-06-19T18:30:00Z"), "Sun 18:30:00");
    let west = [window(&[Weekday::Monday], "08:00", "09:00", "-03:30")];
    assert_eq!(opening(&west, "2023-06-19T11:00:00Z"), "Mon 11:30:00");
}

#[test]
fn other_countries_and_categories_have_no_quiet_hours() {
    let quiet = QuietHours::outside([window(&[Weekday::Monday], "08:00", "09:00", "+00:00")]);
    assert!(quiet.end(Country::GH, Category::Marketing, NOW).is_some());
    assert_eq!(quiet.end(Country::GH, Category::Transactional, NOW), None);
    assert_eq!(quiet.end("NG".parse().unwrap(), Category::Marketing, NOW), None);
    assert!(!quiet.is_empty() && QuietHours::outside([]).is_empty());
}

#[test]
fn all_faults_of_a_window_are_reported_at_once() {
    let nothing = SendingWindowRequest::default().window(NOW).unwrap_err();
    let missing = ["category", "closes", "countryCode", "opens", "source", "weekdays"];
    assert_eq!(nothing.fields.keys().collect::<Vec<_>>(), missing);

    let wrong = SendingWindowRequest {
        category: Some(Category::Otp),
        weekdays: Some(Vec::new()),
        opens: Some(time("24:00")),
        closes: Some(time("24:00")),
        source: Some(" ".into()),
        ..request()
    };
    let wrong = wrong.window(NOW).unwrap_err();
    let faulty = ["category", "closes", "opens", "source", "weekdays"];
    assert_eq!(wrong.fields.keys().collect::<Vec<_>>(), faulty);
    let alert = SendingWindowRequest { category: Some(Category::Alert), ..request() };
    assert!(alert.window(NOW).unwrap_err().fields.contains_key("category"));
}

#[test]
fn a_change_keeps_absent_fields_and_is_checked_with_them() {
    let made =
        window(&[Weekday::Sunday, Weekday::Monday, Weekday::Sunday], "08:00", "19:00", "-01:00");
    assert_eq!(made.hours.weekdays, [Weekday::Monday, Weekday::Sunday]);

    let close = |closes| SendingWindowRequest { closes: Some(time(closes)), ..Default::default() };
    let changed = close("20:15").apply(&made).unwrap();
    let hours = WeeklyHours { closes: time("20:15"), ..made.hours.clone() };
    assert_eq!(changed, SendingWindow { hours, ..made.clone() });

    let faults = close("08:00").apply(&made).unwrap_err();
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["closes"]);
}

#[test]
fn times_and_offsets_are_read_as_they_are_written() {
    for text in ["00:00", "08:30", "23:59", "24:00"] {
        assert_eq!(time(text).to_string(), text);
    }
    for text in ["", "8:00", "08:60", "24:01", "25:00", "08:00:00", "+8:00", "0800", "٠٨:٠٠"] {
        assert_eq!(text.parse::<TimeOfDay>(), Err(InvalidTime), "{text:?}");
    }
    for text in ["+00:00", "-03:30", "+14:00", "-12:00"] {
        assert_eq!(text.parse::<UtcOffset>().unwrap().to_string(), text);
    }
    for text in ["", "00:00", "+14:01", "-12:01", "+1:00", "Z", "--01:00"] {
        assert_eq!(text.parse::<UtcOffset>(), Err(InvalidUtcOffset), "{text:?}");
    }
}

/// True if a moment lies within hours, computed minute by minute.
fn is_open(hours: &WeeklyHours, at: DateTime<Utc>) -> bool {
    let local = at + TimeDelta::minutes(hours.utc_offset.minutes().into());
    let minute = i16::try_from(local.hour() * 60 + local.minute()).unwrap();
    let (opens, closes) = (hours.opens.minutes(), hours.closes.minutes());
    let begins_on = |day: DateTime<Utc>| hours.weekdays.contains(&day.weekday().into());
    if opens < closes {
        return begins_on(local) && (opens..closes).contains(&minute);
    }
    let began_yesterday = begins_on(local - TimeDelta::days(1)) && minute < closes;
    began_yesterday || (begins_on(local) && minute >= opens)
}

fn any_hours() -> impl Strategy<Value = WeeklyHours> {
    let weekdays = sample::subsequence(Weekday::ALL.to_vec(), 1..=7);
    (weekdays, 0..1_440_i16, 0..=1_440_i16, -720..=840_i16).prop_filter_map(
        "hours have a length",
        |(weekdays, opens, closes, offset)| {
            let (opens, closes) = (TimeOfDay::from_minutes(opens), TimeOfDay::from_minutes(closes));
            let utc_offset = UtcOffset::from_minutes(offset).unwrap();
            let (opens, closes) = (opens.unwrap(), closes.unwrap());
            WeeklyHours { weekdays, opens, closes, utc_offset }.checked().ok()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn quiet_hours_end_when_the_next_window_opens(
        all in collection::vec(any_hours(), 1..4), seconds in 0..14 * 86_400_i64,
    ) {
        let at = NOW + TimeDelta::seconds(seconds);
        let template = request().window(NOW).unwrap();
        let windows = all.iter().map(|hours| SendingWindow { hours: hours.clone(), ..template.clone() });
        let quiet = QuietHours::outside(windows);
        let is_open = |at| all.iter().any(|hours| is_open(hours, at));

        let Some(end) = quiet.end(Country::GH, Category::Marketing, at) else {
            prop_assert!(is_open(at));
            return Ok(());
        };

        prop_assert!(is_open(end) && end - at <= TimeDelta::days(7));
        let mut minute = at;
        while minute < end {
            prop_assert!(!is_open(minute), "{minute} lies in a window before {end}");
            minute += TimeDelta::minutes(1);
        }
        prop_assert!(!is_open(end - TimeDelta::seconds(1)) || end - at < TimeDelta::seconds(1));
    }
}
