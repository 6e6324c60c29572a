//! Figures of the last thirty days, and the balance.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use domain::messaging::delivery::Status;
use domain::money::wallet::Wallet;
use domain::platform::analytics::{Figures, Overview, days_left};
use domain::shared::money::Money;
use form_urlencoded::Serializer;

use crate::charts::{Day, Line, Series, StackedBars};
use crate::formats::Formats;
use crate::words;

/// Number of days from which on the end of a balance is not named.
const LONG: u64 = 365;

/// Figure with the list behind it.
pub(super) struct Tile {
    pub(super) value: String,
    pub(super) href: String,
    /// Comparison with the thirty days before; `""` if there is nothing to compare.
    pub(super) note: String,
}

/// Figures of all days together.
pub(super) struct Month {
    pub(super) sent: Tile,
    pub(super) delivered: Tile,
    pub(super) failed: Tile,
    pub(super) spent: Tile,
}

/// Money in the wallet.
pub(crate) struct Balance {
    pub(crate) amount: String,
    /// Time for which it lasts, in words.
    pub(crate) lasts: String,
}

impl Month {
    pub(super) fn of(overview: &Overview, formats: &Formats) -> Self {
        let (now, before) = (&overview.total, &overview.before);
        let first = overview.days.first().map_or(NaiveDate::MIN, |(day, _)| *day);
        let last = overview.days.last().map_or(first, |(day, _)| *day);
        let log = |status| log(first, last, status, formats);
        let is_first = before.sent == 0;
        let compared = |text: String| if is_first { String::new() } else { words::compared(&text) };
        Self {
            sent: Tile {
                value: formats.count(now.sent),
                href: log(None),
                note: compared(formats.count(before.sent)),
            },
            delivered: Tile {
                value: formats.count(now.delivered),
                href: log(Some(Status::Delivered)),
                note: share(|figures| figures.delivered, overview, formats),
            },
            failed: Tile {
                value: formats.count(now.failed),
                href: log(Some(Status::Failed)),
                note: share(|figures| figures.failed, overview, formats),
            },
            spent: Tile {
                value: formats.money(now.spend),
                href: log(None),
                note: compared(formats.money(before.spend)),
            },
        }
    }
}

impl Balance {
    pub(crate) fn of(wallet: &Wallet, overview: &Overview, formats: &Formats) -> Self {
        let days = days_left(wallet.balance, overview.usual_spend());
        let near = days.filter(|days| *days < LONG);
        let end = near.and_then(|days| formats.now().checked_add_days(Days::new(days)));
        let end = end.map(|end| formats.date(end).text);
        Self {
            amount: formats.money(wallet.balance),
            lasts: words::balance_lasts(days, end.as_deref()),
        }
    }
}

/// Returns the chart of the messages of each day by their outcome.
pub(super) fn messages(overview: &Overview, formats: &Formats) -> StackedBars {
    let series = [
        series("Delivered", "series-good"),
        series("Failed", "series-bad"),
        series("On the way", "series-waiting"),
    ];
    let day = |(day, figures): &(NaiveDate, Figures)| Day {
        label: formats.day(*day),
        values: vec![
            figures.delivered,
            figures.failed,
            figures.sent.saturating_sub(figures.ended()),
        ],
        href: log_of_day(*day, figures, formats),
    };
    let days: Vec<Day> = overview.days.iter().map(day).collect();
    StackedBars::new("Messages by day", series.into(), &days, |number| formats.count(number))
}

/// Returns the chart of the money that was spent on each day.
pub(super) fn spending(overview: &Overview, formats: &Formats) -> Line {
    let day = |(day, figures): &(NaiveDate, Figures)| Day {
        label: formats.day(*day),
        values: vec![u64::try_from(figures.spend.micros()).unwrap_or_default()],
        href: log_of_day(*day, figures, formats),
    };
    let days: Vec<Day> = overview.days.iter().map(day).collect();
    let text =
        |micros: u64| formats.money(Money::from_micros(i64::try_from(micros).unwrap_or(i64::MAX)));
    Line::new("Spending by day", vec![series("Spent", "series-accent")], &days, text)
}

pub(crate) fn series(name: &str, class: &'static str) -> Series {
    Series { name: name.to_owned(), class }
}

/// Returns the share of an outcome, compared with the thirty days before; `""` if no message has ended.
fn share(outcome: impl Fn(&Figures) -> u64, overview: &Overview, formats: &Formats) -> String {
    let percent = |figures: &Figures| formats.percent(outcome(figures), figures.ended());
    let (now, before) = (&overview.total, &overview.before);
    match (now.ended(), before.ended()) {
        (0, _) => String::new(),
        (_, 0) => percent(now),
        _ => words::share_compared(&percent(now), &percent(before)),
    }
}

/// Returns the address of the log of one day; `""` if it has no messages.
fn log_of_day(day: NaiveDate, figures: &Figures, formats: &Formats) -> String {
    if figures.sent == 0 { String::new() } else { log(day, day, None, formats) }
}

/// Returns the address of the log of some days. Figures count by days in UTC; the log takes days of the
/// organization's time zone, or times in it.
pub(crate) fn log(
    first: NaiveDate,
    last: NaiveDate,
    status: Option<Status>,
    formats: &Formats,
) -> String {
    let after = last.succ_opt().unwrap_or(last);
    let (from, to) = (midnight(first), midnight(after));
    let are_days = formats.start_of(first) == from && formats.start_of(after) == to;
    let (from, to) = if are_days {
        (first.to_string(), last.to_string())
    } else {
        (formats.field_time(from), formats.field_time(to))
    };
    let mut query = Serializer::new(String::new());
    query.append_pair("from", &from).append_pair("to", &to);
    if let Some(status) = status {
        query.append_pair("status", status.as_str());
    }
    format!("/app/messages?{}", query.finish())
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

#[cfg(test)]
mod tests {
    use askama::Template;
    use domain::shared::country::Country;

    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn formats(zone: &str) -> Formats {
        Formats::new(zone, Country::GH, NOW)
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    /// Returns the figures of some messages and one that is on its way.
    fn figures(delivered: u64, failed: u64, cedis: i64) -> Figures {
        let sent = delivered + failed + 1;
        Figures { sent, delivered, failed, spend: Money::from_cedis(cedis) }
    }

    fn overview(total: Figures, before: Figures) -> Overview {
        let days = vec![(NOW.date_naive(), total)];
        Overview { days, total, before, ..Overview::of(&[], NOW.date_naive()) }
    }

    #[test]
    fn the_log_behind_a_figure_begins_and_ends_with_the_days_that_were_counted() {
        let log =
            |zone| log(day("2026-11-01"), day("2026-11-30"), Some(Status::Failed), &formats(zone));
        assert_eq!(
            log("Africa/Accra"),
            "/app/messages?from=2026-11-01&to=2026-11-30&status=FAILED"
        );
        assert_eq!(
            log("Africa/Lagos"),
            "/app/messages?from=2026-11-01T01%3A00&to=2026-12-01T01%3A00&status=FAILED"
        );
    }

    #[test]
    fn a_day_of_a_chart_leads_to_its_messages_if_it_has_any() {
        let accra = formats("Africa/Accra");
        let charts = |total: Figures| {
            let overview = overview(total, Figures::default());
            [messages(&overview, &accra).render(), spending(&overview, &accra).render()]
        };
        for html in charts(figures(90, 10, 5)).map(Result::unwrap) {
            assert!(html.contains("<a href=\"/app/messages?from=1970-01-01"), "{html}");
        }
        for html in charts(Figures::default()).map(Result::unwrap) {
            assert!(!html.contains("<a href"), "{html}");
        }
    }

    #[test]
    fn figures_are_compared_with_the_days_before_if_there_were_any_messages() {
        let accra = formats("Africa/Accra");
        let month = Month::of(&overview(figures(90, 10, 5), figures(30, 10, 2)), &accra);
        assert_eq!(month.sent.note, "41 in the 30 days before");
        assert_eq!(month.delivered.note, "90.0 % of those that ended, 75.0 % before");
        assert_eq!(month.spent.note, "GHS 2.00 in the 30 days before");

        let first = Month::of(&overview(figures(90, 10, 5), Figures::default()), &accra);
        assert_eq!((first.sent.note.as_str(), first.failed.note.as_str()), ("", "10.0 %"));
        let none = Month::of(&overview(Figures::default(), Figures::default()), &accra);
        assert_eq!((none.sent.value.as_str(), none.delivered.note.as_str()), ("0", ""));
    }

    #[test]
    fn a_balance_lasts_at_the_pace_of_the_last_seven_days() {
        let lasts = |cedis: i64, spent: i64| {
            let wallet = Wallet { balance: Money::from_cedis(cedis), updated_at: NOW };
            let overview = overview(figures(1, 0, spent), Figures::default());
            Balance::of(&wallet, &overview, &formats("Africa/Accra")).lasts
        };
        for (cedis, spent, expected) in [
            (10, 0, "Nothing was spent in the last 7 days."),
            (0, 7, "At the pace of the last 7 days it is used up within a day."),
            (1, 7, "At the pace of the last 7 days it lasts for 1 day, until 2 January 1970."),
            (12, 7, "At the pace of the last 7 days it lasts for 12 days, until 13 January 1970."),
            (365, 7, "At the pace of the last 7 days it lasts for more than a year."),
        ] {
            assert_eq!(lasts(cedis, spent), expected);
        }
    }
}
