//! `/app/admin/revenue`

use askama::Template;
use chrono::NaiveDate;
use domain::{money::revenue::Takings, shared::money::Money};

use crate::charts::{Day, Line, Series, StackedBars};
use crate::formats::Formats;
use crate::frame::{Administration, Frame, Place, Shown};
use crate::words::InWords;

#[derive(Template)]
#[template(path = "admin/revenue.html")]
struct RevenuePage {
    frame: Frame,
    total: String,
    messages: String,
    balances: String,
    days: Line,
    months: StackedBars,
    channels: Vec<Row>,
}

struct Row {
    channel: &'static str,
    messages: String,
    revenue: String,
}

pub(super) async fn show(of: Administration) -> Shown {
    let revenue = of.api().tenants.revenue(&of.administrator).await?;
    let f = of.formats();
    let money =
        |micros: u64| f.money(Money::from_micros(i64::try_from(micros).unwrap_or(i64::MAX)));
    let series = || vec![Series { name: "Taken".to_owned(), class: "series-accent" }];
    let days: Vec<_> = revenue.days.iter().map(|(day, taken)| bar(f.day(day), *taken)).collect();
    let months = revenue.months.iter().rev();
    let months: Vec<_> = months.map(|(first, taken)| bar(month(*first), *taken)).collect();
    let channels = revenue.channels.iter().map(|(channel, taken)| Row {
        channel: channel.words().label,
        messages: messages(&f, *taken),
        revenue: f.money(taken.revenue),
    });
    let page = RevenuePage {
        frame: of.frame(Place::Revenue),
        total: f.money(revenue.total.revenue),
        messages: messages(&f, revenue.total),
        balances: f.money(revenue.wallet_balances),
        days: Line::new("The last 30 days", series(), &days, money),
        months: StackedBars::new("The last 12 months", series(), &months, money),
        channels: channels.collect(),
    };
    of.show(&page)
}

fn bar(label: String, taken: Takings) -> Day {
    let micros = u64::try_from(taken.revenue.micros()).unwrap_or_default();
    Day { label, values: vec![micros], href: String::new() }
}

fn month(first: NaiveDate) -> String {
    first.format("%b %Y").to_string()
}

fn messages(f: &Formats, taken: Takings) -> String {
    f.count(u64::try_from(taken.messages).unwrap_or_default())
}
