//! Order in which providers are tried.

use proptest::prelude::*;

use super::*;
use crate::providers::breaker::{Breaker, BreakerSignal};

const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

fn provider(name: &str, channel: Channel, routes: &[(Option<&str>, u16)]) -> Provider {
    let route = |(country, priority): &(Option<&str>, u16)| Route {
        country: country.map(|country| Country::parse_destination(country).unwrap()),
        priority: *priority,
    };
    Provider {
        name: name.into(),
        kind: "simulated",
        channel,
        routes: routes.iter().map(route).collect(),
        report_timeout: TimeDelta::minutes(10),
        without_report: WithoutReport::default(),
    }
}

fn names(providers: &[Provider], country: &str) -> Vec<String> {
    let country = Country::parse_destination(country).unwrap();
    let fine = |_: &Provider| ProviderState::default();
    let found = route(providers, fine, Channel::Sms, country, NOW);
    found.iter().map(|found| found.provider.name.clone()).collect()
}

#[test]
fn a_route_for_the_country_comes_first_then_priority_decides() {
    let providers = [
        provider("anywhere", Channel::Sms, &[(None, 1)]),
        provider("second", Channel::Sms, &[(Some("GH"), 20)]),
        provider("first", Channel::Sms, &[(None, 5), (Some("GH"), 10)]),
        provider("mail", Channel::Email, &[(None, 1)]),
        provider("kenya", Channel::Sms, &[(Some("KE"), 1)]),
    ];

    assert_eq!(names(&providers, "GH"), ["first", "second", "anywhere"]);
    assert_eq!(names(&providers, "NG"), ["anywhere", "first"]);
}

#[test]
fn a_number_of_no_country_needs_a_route_that_names_it() {
    let providers = [
        provider("anywhere", Channel::Sms, &[(None, 1)]),
        provider("satellite", Channel::Sms, &[(Some("001"), 10)]),
    ];

    assert_eq!(names(&providers, "001"), ["satellite"]);
    assert!(!serves(&providers[..1], Channel::Sms, Country::INTERNATIONAL));
}

#[test]
fn a_provider_demoted_far_comes_after_those_for_any_country() {
    let providers = [
        provider("silent", Channel::Sms, &[(Some("GH"), 10)]),
        provider("anywhere", Channel::Sms, &[(None, 90)]),
    ];
    let names = |demotion| {
        let state = |provider: &Provider| ProviderState {
            demotion: if provider.name == "silent" { demotion } else { 0 },
            ..ProviderState::default()
        };
        let found = route(&providers, state, Channel::Sms, Country::GH, NOW);
        found.iter().map(|it| it.provider.name.clone()).collect::<Vec<_>>()
    };

    assert_eq!(names(0), ["silent", "anywhere"]);
    assert_eq!(names(5), ["anywhere", "silent"]);
}

fn breaker(kind: u8) -> Breaker {
    let open = Breaker::CLOSED.after(BreakerSignal::Fatal, NOW - TimeDelta::hours(1));
    match kind {
        0 => Breaker::CLOSED,
        1 => Breaker::CLOSED.after(BreakerSignal::Fatal, NOW),
        2 => open,
        _ => open.probe(NOW).unwrap(),
    }
}

proptest! {
    #[test]
    fn no_open_breaker_is_chosen_while_another_is_closed(
        kinds in prop::collection::vec(0..4_u8, 1..8),
    ) {
        let providers: Vec<_> = (0..kinds.len())
            .map(|index| provider(&index.to_string(), Channel::Sms, &[(None, 1)]))
            .collect();
        let state = |provider: &Provider| {
            let index: usize = provider.name.parse().unwrap();
            ProviderState { breaker: breaker(kinds[index]), demotion: 0 }
        };

        let found = route(&providers, state, Channel::Sms, Country::GH, NOW);

        let closed = kinds.iter().copied().filter(|kind| *kind == 0).count();
        let due = kinds.iter().copied().filter(|kind| *kind == 2).count();
        if closed > 0 {
            prop_assert_eq!(found.len(), closed);
            prop_assert!(found.iter().all(|it| !it.is_probe));
        } else {
            prop_assert_eq!(found.len(), due);
            prop_assert!(found.iter().all(|it| it.is_probe));
        }
    }

    #[test]
    fn every_chosen_provider_serves_the_country_and_is_chosen_once(
        routes in prop::collection::vec(
            prop::collection::vec((prop::option::of(0..3_usize), 0..4_u16), 0..4), 0..8),
        wanted in 0..3_usize,
    ) {
        const COUNTRIES: [&str; 3] = ["GH", "NG", "KE"];
        let providers: Vec<_> = routes.iter().enumerate().map(|(index, routes)| {
            let routes: Vec<_> = routes.iter()
                .map(|(country, priority)| (country.map(|at| COUNTRIES[at]), *priority))
                .collect();
            provider(&index.to_string(), Channel::Sms, &routes)
        }).collect();

        let mut chosen = names(&providers, COUNTRIES[wanted]);
        let serving = routes.iter()
            .filter(|routes| routes.iter().any(|(country, _)| country.is_none_or(|at| at == wanted)))
            .count();
        prop_assert_eq!(chosen.len(), serving);
        chosen.sort();
        chosen.dedup();
        prop_assert_eq!(chosen.len(), serving);
    }
}
