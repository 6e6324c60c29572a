//! Tests of the figures.

use super::*;

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// Returns texts of two segments, each segment for GHS 0.035.
fn count(since: &str, status: Status, messages: u64) -> Count {
    Count {
        since: day(since),
        channel: Channel::Sms,
        status,
        messages,
        segments: 2 * messages,
        cost: Money::from_micros(70_000) * u16::try_from(messages).unwrap(),
    }
}

fn about(expected: f64, found: Option<f64>) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-9)
}

#[test]
fn an_overview_has_thirty_days_and_counts_each_message_once() {
    let counts = [
        count("2026-10-24", Status::Delivered, 3),
        count("2026-11-22", Status::Delivered, 2),
        count("2026-11-22", Status::Failed, 1),
        count("2026-11-22", Status::Queued, 4),
    ];

    let overview = Overview::of(&counts, day("2026-11-22"));

    assert_eq!(overview.days.len(), 30);
    assert_eq!(overview.days[0].0, day("2026-10-24"));
    assert_eq!(overview.days[0].1.delivered, 3);
    assert_eq!(overview.days[1].1, Figures::default());
    let today = Figures { sent: 7, delivered: 2, failed: 1, spend: Money::from_micros(420_000) };
    assert_eq!(overview.days[29], (day("2026-11-22"), today));
    assert_eq!(overview.total.sent, 10);
    assert!(about(5.0 / 6.0, overview.total.delivery_rate()));
}

#[test]
fn failed_messages_were_refunded_and_add_nothing_to_the_spending() {
    let counts = [count("2026-11-22", Status::Failed, 5), count("2026-11-22", Status::Sent, 1)];

    assert_eq!(Figures::of(&counts).spend, Money::from_micros(70_000));
    let usage = Usage::of(&counts);
    assert_eq!((usage[0].messages, usage[0].segments), (6, 12));
    assert_eq!(usage[0].cost, Money::from_micros(70_000));
}

#[test]
fn trends_compare_with_the_thirty_days_before() {
    let counts = [
        count("2026-09-23", Status::Failed, 1_000),
        count("2026-09-24", Status::Delivered, 5),
        count("2026-10-23", Status::Failed, 5),
        count("2026-10-24", Status::Delivered, 12),
        count("2026-10-24", Status::Failed, 3),
    ];

    let Overview { before, trends, .. } = Overview::of(&counts, day("2026-11-22"));

    assert_eq!((before.sent, before.delivered, before.failed), (10, 5, 5));
    assert_eq!(Overview::compares_since(day("2026-11-22")), day("2026-09-24"));
    assert!(about(50.0, trends.sent), "{trends:?}");
    assert!(about(60.0, trends.delivery_rate), "{trends:?}");
    assert!(about(140.0, trends.spend), "{trends:?}");
}

#[test]
fn a_balance_lasts_as_long_as_the_spending_of_the_last_seven_days_goes_on() {
    let counts = [
        count("2026-11-15", Status::Delivered, 1_000),
        count("2026-11-16", Status::Delivered, 4),
        count("2026-11-22", Status::Sent, 6),
    ];

    let spent = Overview::of(&counts, day("2026-11-22")).usual_spend();

    assert_eq!(spent, Money::from_micros(700_000));
    for (balance, days) in [(-5, 0), (0, 0), (99_999, 0), (100_000, 1), (1_000_000, 10)] {
        assert_eq!(days_left(Money::from_micros(balance), spent), Some(days), "{balance}");
    }
    assert_eq!(days_left(Money::from_cedis(1), Money::ZERO), None);
}

#[test]
fn a_missing_base_gives_no_trend() {
    let overview = Overview::of(&[count("2026-11-22", Status::Queued, 1)], day("2026-11-22"));

    let nothing = Trends { sent: None, delivery_rate: None, spend: None };
    assert_eq!(overview.trends, nothing);
    assert_eq!(overview.total.delivery_rate(), None);
    // Earlier messages, none of which has ended.
    let counts = [count("2026-10-01", Status::Sent, 1), count("2026-11-22", Status::Delivered, 1)];
    let trends = Overview::of(&counts, day("2026-11-22")).trends;
    assert_eq!((trends.sent, trends.delivery_rate), (Some(0.0), None));
}

#[test]
fn months_are_calendar_months_including_the_present_one() {
    let first = |months, today| MonthCount::new(months).unwrap().first_day(day(today));

    assert_eq!(first(1, "2026-11-22"), day("2026-11-01"));
    assert_eq!(first(3, "2026-01-31"), day("2025-11-01"));
    assert_eq!(first(24, "2026-11-30"), day("2024-12-01"));
    for wrong in ["0", "25", "-1", "1.5", "x", "99999999999"] {
        assert_eq!(wrong.parse::<MonthCount>(), Err(InvalidMonthCount), "{wrong}");
    }
    assert_eq!("24".parse(), MonthCount::new(24));
}

#[test]
fn usage_is_listed_by_month_and_channel_newest_month_first() {
    let mut mail = count("2026-11-01", Status::Delivered, 1);
    mail.channel = Channel::Email;
    let counts = [
        count("2026-10-01", Status::Delivered, 1),
        mail,
        count("2026-11-01", Status::Delivered, 2),
        count("2026-11-01", Status::Pending, 2),
    ];

    let rows: Vec<_> = Usage::of(&counts)
        .iter()
        .map(|it| (it.month.to_string(), it.channel, it.messages))
        .collect();

    assert_eq!(
        rows,
        [
            ("2026-11-01".to_owned(), Channel::Sms, 4),
            ("2026-11-01".to_owned(), Channel::Email, 1),
            ("2026-10-01".to_owned(), Channel::Sms, 1),
        ]
    );
}
