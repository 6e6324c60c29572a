//! `/app/billing/usage`: messages and their cost by month and channel, and the prices.

use std::collections::BTreeSet;

use askama::Template;
use domain::identity::organization::Organization;
use domain::money::invoice::Month;
use domain::money::pricing::{PriceList, PricingRule};
use domain::platform::analytics::{MonthCount, Usage};
use domain::shared::channel::Channel;
use domain::shared::country::Country;
use domain::shared::id::Id;
use domain::shared::money::Money;
use usecases::Error;

use super::{USAGE, tabs};
use crate::charts::{Day, StackedBars};
use crate::formats::Formats;
use crate::frame::{Entry, Frame, Place, Shown, Visit};
use crate::home::figures;
use crate::words::InWords;

/// Number of months that are shown, the present one included.
const MONTHS: u32 = 6;
const COLOURS: [&str; Channel::ALL.len()] =
    ["series-accent", "series-good", "series-waiting", "series-neutral", "series-bad"];

#[derive(Template)]
#[template(path = "billing/usage.html")]
struct UsagePage {
    frame: Frame,
    tabs: Vec<Entry>,
    chart: StackedBars,
    rows: Vec<Row>,
    prices: Vec<(&'static str, String, String)>,
}

struct Row {
    /// Address of the log of these messages.
    href: String,
    month: String,
    channel: &'static str,
    messages: String,
    segments: String,
    cost: String,
    /// Cost of a message on average.
    each: String,
}

impl Row {
    fn new(usage: &Usage, f: &Formats) -> Self {
        let month = Month::of(usage.month);
        let last = month.next().first_day().pred_opt().unwrap_or(usage.month);
        let log = figures::log(month.first_day(), last, None, f);
        let messages = i64::try_from(usage.messages).unwrap_or(i64::MAX).max(1);
        Self {
            href: format!("{log}&channel={}", usage.channel.as_str()),
            month: name_of(month),
            channel: usage.channel.words().label,
            messages: f.count(usage.messages),
            segments: f.count(usage.segments),
            cost: f.money(usage.cost),
            each: f.money(Money::from_micros(usage.cost.micros() / messages)),
        }
    }
}

pub(super) async fn show(visit: Visit) -> Shown {
    let (api, caller, f) = (visit.api(), &visit.caller, visit.formats());
    let months = MonthCount::new(MONTHS).map_err(|error| Error::Internal(error.into()))?;
    let usages = api.analytics.usage(caller, months).await?;
    let rules = api.billing.pricing(caller).await?.rules;
    let price = |(channel, country, price): (Channel, Option<Country>, Money)| {
        (channel.words().label, destination(country), f.money(price))
    };
    visit.show(&UsagePage {
        frame: visit.frame(Place::Billing),
        tabs: tabs(USAGE),
        chart: chart(&usages, &f),
        rows: usages.iter().map(|usage| Row::new(usage, &f)).collect(),
        prices: prices(&rules, caller.organization).into_iter().map(price).collect(),
    })
}

/// Returns the chart of the cost of each month by channel.
fn chart(usages: &[Usage], f: &Formats) -> StackedBars {
    let used: BTreeSet<Channel> = usages.iter().map(|usage| usage.channel).collect();
    let cost = |month: Month, channel: Channel| {
        let found = usages.iter().find(|it| Month::of(it.month) == month && it.channel == channel);
        found.and_then(|usage| u64::try_from(usage.cost.micros()).ok()).unwrap_or_default()
    };
    let present = Month::of(f.now().date_naive());
    let months = (0..MONTHS).rev().map(|ago| present.before(ago));
    let day = |month: Month| Day {
        label: name_of(month),
        values: used.iter().map(|channel| cost(month, *channel)).collect(),
        href: String::new(),
    };
    let series = used.iter().zip(COLOURS);
    let series = series.map(|(it, class)| figures::series(it.words().label, class)).collect();
    let text = |micros: u64| f.money(Money::from_micros(i64::try_from(micros).unwrap_or(i64::MAX)));
    StackedBars::new("Spent by month", series, &months.map(day).collect::<Vec<_>>(), text)
}

fn name_of(month: Month) -> String {
    month.first_day().format("%B %Y").to_string()
}

/// Returns the prices that apply to an organization, by channel and country; `None` is every country
/// that has no price of its own.
fn prices(
    rules: &[PricingRule],
    organization: Id<Organization>,
) -> Vec<(Channel, Option<Country>, Money)> {
    let list = PriceList::new(0, rules.iter().cloned());
    let keys: BTreeSet<_> = rules.iter().map(|rule| (rule.channel, rule.country)).collect();
    let price = |(channel, country): (Channel, Option<Country>)| {
        let price = if let Some(country) = country {
            list.unit_price(organization, channel, country)
        } else {
            let anywhere = rules.iter().filter(|it| it.channel == channel && it.country.is_none());
            anywhere.max_by_key(|it| it.organization.is_some()).map(|it| it.unit_price)
        };
        price.map(|price| (channel, country, price))
    };
    keys.into_iter().filter_map(price).collect()
}

fn destination(country: Option<Country>) -> String {
    match country {
        None => "All other countries".to_owned(),
        Some(Country::GH) => "Ghana".to_owned(),
        Some(Country::INTERNATIONAL) => "Numbers of no country, such as satellites".to_owned(),
        Some(country) => country.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use domain::identity::organization::PLATFORM;

    use super::*;

    fn rule(is_own: bool, country: Option<Country>, micros: i64) -> PricingRule {
        PricingRule {
            id: Id::new(chrono::DateTime::UNIX_EPOCH),
            organization: is_own.then_some(PLATFORM),
            channel: Channel::Sms,
            country,
            unit_price: Money::from_micros(micros),
        }
    }

    #[test]
    fn agreed_prices_replace_the_general_ones() {
        let ghana = Some(Country::GH);
        for (own, anywhere, to_ghana) in
            [(rule(true, ghana, 10), 90, 10), (rule(true, None, 20), 20, 20)]
        {
            let rules = [rule(false, None, 90), rule(false, ghana, 30), own];
            let shown: Vec<_> =
                prices(&rules, PLATFORM).iter().map(|(.., price)| price.micros()).collect();
            assert_eq!(shown, [anywhere, to_ghana]);
        }
    }
}
