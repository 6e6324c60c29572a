//! `/app/providers` and `/app/providers/{id}`: routes of messages, and the health of providers.

use actix_web::web::Path;
use askama::Template;
use domain::shared::channel::Channel;
use ports::providers::provider::{HealthEvent, ProviderRecord};
use usecases::providers::provider_health::{ProviderDetail, for_tenants};

use crate::formats::Moment;
use crate::frame::{Frame, Place, Route, Shown, Visit, capitalized, get, id_of};
use crate::words::{InWords, Words, health, route_country};

const PATH: &str = "/app/providers";

#[derive(Template)]
#[template(path = "providers/list.html")]
struct ListPage {
    frame: Frame,
    rows: Vec<Row>,
}

struct Row {
    channel: &'static str,
    country: String,
    /// Place among the routes of the channel to the country, from 1.
    place: usize,
    name: String,
    href: String,
    state: Words,
    check: Option<Change>,
}

#[derive(Template)]
#[template(path = "providers/detail.html")]
struct DetailPage {
    frame: Frame,
    name: String,
    vendor: String,
    /// State; `None` if it is no longer set up.
    state: Option<Words>,
    check: Option<Change>,
    changes: Vec<Change>,
}

/// Event in the health of a provider, as the visitor may see it.
struct Change {
    words: Words,
    reason: String,
    at: Moment,
}

pub(crate) fn routes() -> Vec<Route> {
    vec![get(PATH, list), get("/app/providers/{id}", show)]
}

async fn list(visit: Visit) -> Shown {
    let records = visit.api().provider_health.list().await?;
    let row = |(channel, country, place, record): (Channel, &str, usize, &ProviderRecord)| Row {
        channel: channel.words().label,
        country: route_country(country).to_owned(),
        place,
        name: record.provider.name.clone(),
        href: format!("{PATH}/{}", record.id),
        state: record.state.words(),
        check: record.last_check.clone().map(|check| change(check, &visit)),
    };
    let rows = Channel::ALL.into_iter().flat_map(|it| ordered(&records, it)).map(row).collect();
    visit.show(&ListPage { frame: visit.frame(Place::Providers), rows })
}

/// Returns the routes of a channel by country, those to any country last, each with its place among
/// the routes to its country.
fn ordered(
    records: &[ProviderRecord],
    channel: Channel,
) -> Vec<(Channel, &str, usize, &ProviderRecord)> {
    let active = records.iter().filter(|record| record.is_active);
    let of_channel = active.filter(|record| record.provider.channel == channel.as_str());
    let routes = of_channel
        .flat_map(|record| record.provider.routes.iter().map(move |route| (route, record)));
    let mut routes: Vec<_> = routes.collect();
    routes.sort_by_key(|&(route, _)| (route.0 == "*", route.0.as_str(), route.1));
    let mut ordered: Vec<(Channel, &str, usize, &ProviderRecord)> = Vec::new();
    for ((country, _), record) in routes {
        let before = ordered.last().filter(|(_, known, ..)| *known == country.as_str());
        let place = before.map_or(1, |(_, _, place, _)| place + 1);
        ordered.push((channel, country.as_str(), place, record));
    }
    ordered
}

async fn show(visit: Visit, path: Path<String>) -> Shown {
    let ProviderDetail { record, history } =
        visit.api().provider_health.changes(id_of(&path)?).await?;
    visit.show(&DetailPage {
        frame: visit.frame(Place::Providers),
        name: record.provider.name,
        vendor: record.provider.kind,
        state: record.is_active.then(|| record.state.words()),
        check: record.last_check.map(|check| change(check, &visit)),
        changes: history.into_iter().map(|event| change(event, &visit)).collect(),
    })
}

fn change(event: HealthEvent, visit: &Visit) -> Change {
    let is_administrator = visit.person().is_administrator();
    let event = if is_administrator { event } else { for_tenants(event) };
    Change {
        words: health(&event),
        reason: capitalized(&event.message),
        at: visit.formats().time(event.at),
    }
}

#[cfg(test)]
mod tests {
    use domain::{providers::provider_state::ProviderState, shared::id::Id};
    use ports::providers::provider::DeclaredProvider;

    use super::*;

    fn record(name: &str, channel: &str, routes: &[(&str, u16)]) -> ProviderRecord {
        let routes = routes.iter().map(|(country, priority)| ((*country).into(), *priority));
        let (kind, routes) = ("simulated".into(), routes.collect());
        ProviderRecord {
            id: Id::new(chrono::DateTime::UNIX_EPOCH),
            provider: DeclaredProvider { name: name.into(), kind, channel: channel.into(), routes },
            is_active: name != "gone",
            state: ProviderState::default(),
            last_check: None,
        }
    }

    #[test]
    fn routes_to_a_country_come_in_the_order_in_which_they_are_tried() {
        let records = [
            record("a", "SMS", &[("*", 1), ("GH", 20)]),
            record("b", "SMS", &[("GH", 10), ("NG", 5)]),
            record("c", "EMAIL", &[("*", 1)]),
            record("gone", "SMS", &[("GH", 1)]),
        ];
        let found = ordered(&records, Channel::Sms).into_iter();
        let found = found.map(|(_, country, place, it)| (country, place, &*it.provider.name));
        let expected = [("GH", 1, "b"), ("GH", 2, "a"), ("NG", 1, "b"), ("*", 1, "a")];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
