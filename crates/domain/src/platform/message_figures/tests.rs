//! Tests of figures of messages.

use super::*;

/// 2027-01-15 08:00:00 UTC, and some minutes.
fn now() -> DateTime<Utc> {
    time("2027-01-15T08:20:30Z")
}

fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn request(from: &str, to: &str, interval: Interval) -> FiguresRequest {
    let bound = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    FiguresRequest { from: bound(from), to: bound(to), interval, ..FiguresRequest::default() }
}

/// Returns the period, or the faults as `field: text`.
fn period(from: &str, to: &str, interval: Interval) -> Result<(String, String), Vec<String>> {
    let text = |at: DateTime<Utc>| at.format("%m-%d %H").to_string();
    match request(from, to, interval).query(now()) {
        Ok(query) => Ok((text(query.from), text(query.until))),
        Err(faults) => {
            let fields = faults.fields.into_iter();
            Err(fields.map(|(field, faults)| format!("{field}: {}", faults.join(", "))).collect())
        }
    }
}

fn found(from: &str, until: &str) -> (String, String) {
    (from.to_owned(), until.to_owned())
}

#[test]
fn a_period_consists_of_whole_days_or_hours() {
    let (day, hour) = (Interval::Day, Interval::Hour);

    assert_eq!(
        period("", "", day),
        Ok(found("12-17 00", "01-16 00")),
        "30 days with the present one"
    );
    assert_eq!(period("2027-01-10", "2027-01-10", day), Ok(found("01-10 00", "01-11 00")));
    let (from, to) = ("2027-01-10T07:10:00Z", "2027-01-11T00:00:00+01:00");
    assert_eq!(period(from, to, day), Ok(found("01-10 00", "01-11 00")));
    assert_eq!(period(from, to, hour), Ok(found("01-10 07", "01-10 23")));
    assert_eq!(period("", "", hour), Ok(found("01-14 09", "01-15 09")));
    assert_eq!(period("", "2027-01-10", hour), Ok(found("01-10 00", "01-11 00")));
}

#[test]
fn a_period_has_400_days_or_14_days_of_hours() {
    let (day, hour) = (Interval::Day, Interval::Hour);
    let fault = |text: &str| Err(vec![text.to_owned()]);

    assert!(period("2025-12-12", "2027-01-15", day).is_ok());
    let too_long = fault("from: must be at most 400 days before `to`");
    assert_eq!(period("2025-12-11", "2027-01-15", day), too_long);
    assert_eq!(period("2027-01-01T08:00:00Z", "", hour), Ok(found("01-01 08", "01-15 09")));
    let too_old = fault("from: must be within the last 14 days to show hours");
    assert_eq!(period("2027-01-01T07:59:00Z", "2027-01-02", hour), too_old);
    let too_long = fault("from: must be at most 14 days before `to`");
    assert_eq!(period("2027-01-10", "2027-01-30", hour), too_long);
    for (from, to) in [
        ("2027-01-10", "2027-01-09"),
        ("2027-01-16", ""),
        ("2027-01-10T07:00:00Z", "2027-01-10T07:00:00Z"),
    ] {
        assert_eq!(period(from, to, day), fault("to: must be after `from`"), "{from} to {to}");
    }
}

#[test]
fn the_longer_the_period_the_fewer_values_have_rows() {
    let values =
        |from: &str| request(from, "2027-01-15", Interval::Day).query(now()).unwrap().values;

    assert_eq!(values("2026-12-16"), 100);
    assert_eq!(values("2025-12-12"), 24);
    let hours = request("2027-01-01T09:00:00Z", "", Interval::Hour).query(now()).unwrap();
    assert_eq!(hours.values, 28);
}

#[test]
fn a_bound_is_a_date_or_a_time() {
    let day = NaiveDate::from_ymd_opt(2026, 1, 31).unwrap();
    assert_eq!("2026-01-31".parse(), Ok(Bound::Day(day)));
    let at = time("2026-01-31T09:00:00Z");
    assert_eq!("2026-01-31T10:00:00+01:00".parse(), Ok(Bound::Time(at)));
    for text in
        ["2026-02-30", "2026-1-31", "31.01.2026", "+12026-01-31", "2026-01-31T09:00:00", "x"]
    {
        assert_eq!(text.parse::<Bound>(), Err(InvalidBound), "{text}");
    }
}

#[test]
fn totals_are_the_sums_of_the_rows() {
    let counts = |sent, delivered, failed| MessageCounts {
        sent,
        delivered,
        failed,
        segments: 2 * sent,
        cost: Money::from_micros(35_000),
    };
    let row = |counts| MessageFigure {
        at: now(),
        value: Some("GH".into()),
        name: None,
        is_other: false,
        counts,
    };
    let query = FiguresRequest::default().query(now()).unwrap();

    let figures = MessageFigures::of(query, vec![row(counts(5, 2, 1)), row(counts(1, 1, 0))]);

    let totals = figures.totals;
    assert_eq!((totals.sent, totals.delivered, totals.failed, totals.pending()), (6, 3, 1, 2));
    assert_eq!((totals.segments, totals.cost), (12, Money::from_micros(70_000)));
}
