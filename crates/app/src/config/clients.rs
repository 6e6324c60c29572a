//! Limits of clients, and proxies in front of the service.

use std::{str::FromStr, time::Duration};

use adapters_http::TrustedProxies;
use domain::shared::rate::Rate;
use usecases::shared::limits::Rates;

use super::{ConfigError, Source, faults::Faults, invalid};

/// Limits of clients, and proxies in front of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clients {
    /// `ATUMPAN_TRUSTED_PROXIES`: networks and addresses, separated by commas, of trusted proxies.
    /// None by default.
    pub trusted_proxies: TrustedProxies,
    /// `ATUMPAN_CORS_ORIGINS`: origins, separated by commas, whose pages may call the API. None by
    /// default.
    pub cors_origins: Vec<String>,
    /// `ATUMPAN_MAX_CONNECTIONS`, by default 10,000.
    pub connections: usize,
    /// `ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS`, by default 256.
    pub connections_per_address: usize,
    /// `ATUMPAN_CLIENT_TIMEOUT`, in seconds, by default 30: time in which a client must complete a
    /// request, or take an answer.
    pub timeout: Duration,
    /// `ATUMPAN_IDLE_TIMEOUT`, in seconds, by default 130: time for which a connection stays open without
    /// a request.
    pub idle_timeout: Duration,
    /// `ATUMPAN_LIMIT_GUESTS`, `_REQUESTS`, `_LIVE` and `_SANDBOX`, each a rate per second and a
    /// burst, and `_REGISTRATIONS`, a rate per hour.
    pub rates: Rates,
}

const CONNECTIONS: usize = 10_000;
const CONNECTIONS_PER_ADDRESS: usize = 256;
const TIMEOUT: u64 = 30;
/// Longer than proxies keep their idle connections: most for 60 seconds, some for 120.
const IDLE_TIMEOUT: u64 = 130;
const MAX_TIMEOUT: u64 = 3_600;
/// Largest rate, per second and at once.
const MAX_RATE: u32 = 1_000_000;
const A_RATE: &str = "must be a number a second and how many at once, such as 500/5000";

impl Clients {
    pub(super) fn read(source: &Source, faults: &mut Faults) -> Self {
        let connections = positive(source, "ATUMPAN_MAX_CONNECTIONS");
        let per_address = positive(source, "ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS");
        Self {
            trusted_proxies: faults.take(trusted_proxies(source), TrustedProxies::default()),
            cors_origins: faults.take(origins(source), Vec::new()),
            connections: faults.take(connections, None).unwrap_or(CONNECTIONS),
            connections_per_address: faults
                .take(per_address, None)
                .unwrap_or(CONNECTIONS_PER_ADDRESS),
            timeout: faults
                .take(seconds(source, "ATUMPAN_CLIENT_TIMEOUT"), None)
                .unwrap_or(Duration::from_secs(TIMEOUT)),
            idle_timeout: faults
                .take(seconds(source, "ATUMPAN_IDLE_TIMEOUT"), None)
                .unwrap_or(Duration::from_secs(IDLE_TIMEOUT)),
            rates: rates(source, faults),
        }
    }
}

fn rates(source: &Source, faults: &mut Faults) -> Rates {
    let usual = Rates::default();
    let mut read = |variable, usual| faults.take(rate(source, variable), None).unwrap_or(usual);
    let guests = read("ATUMPAN_LIMIT_GUESTS", usual.guests);
    let requests = read("ATUMPAN_LIMIT_REQUESTS", usual.requests);
    let live_messages = read("ATUMPAN_LIMIT_LIVE", usual.live_messages);
    let sandbox_messages = read("ATUMPAN_LIMIT_SANDBOX", usual.sandbox_messages);
    let registrations = positive::<u32>(source, "ATUMPAN_LIMIT_REGISTRATIONS");
    let registrations = faults
        .take(registrations, None)
        .map_or(usual.registrations, |count| Rate::per_hour(count.min(MAX_RATE)));
    Rates { guests, requests, live_messages, sandbox_messages, registrations }
}

fn trusted_proxies(source: &Source) -> Result<TrustedProxies, ConfigError> {
    let Some(text) = source.get("ATUMPAN_TRUSTED_PROXIES") else {
        return Ok(TrustedProxies::default());
    };
    let proxies = text.parse::<TrustedProxies>();
    proxies.map_err(|error| invalid("ATUMPAN_TRUSTED_PROXIES", error.to_string()))
}

/// Reads schemes and hosts as browsers send them, without a path.
fn origins(source: &Source) -> Result<Vec<String>, ConfigError> {
    let text = source.get("ATUMPAN_CORS_ORIGINS").unwrap_or_default();
    let origins = text.split(',').map(str::trim).filter(|origin| !origin.is_empty());
    let is_origin = |origin: &str| {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*', ' ', '?', '#']))
    };
    let checked = |origin: &str| {
        if is_origin(origin) {
            return Ok(origin.to_ascii_lowercase());
        }
        let problem =
            format!("must be origins such as https://app.example.com, and {origin:?} is none");
        Err(invalid("ATUMPAN_CORS_ORIGINS", problem))
    };
    origins.map(checked).collect()
}

fn positive<T: FromStr + PartialOrd + Default>(
    source: &Source,
    variable: &'static str,
) -> Result<Option<T>, ConfigError> {
    let Some(text) = source.get(variable) else { return Ok(None) };
    let number = text.parse().ok().filter(|number| *number > T::default());
    number.map(Some).ok_or_else(|| invalid(variable, "must be a number above zero"))
}

fn seconds(source: &Source, variable: &'static str) -> Result<Option<Duration>, ConfigError> {
    let seconds = positive(source, variable)?;
    if seconds.is_some_and(|seconds| seconds > MAX_TIMEOUT) {
        return Err(invalid(variable, "must be from 1 to 3600 seconds"));
    }
    Ok(seconds.map(Duration::from_secs))
}

fn rate(source: &Source, variable: &'static str) -> Result<Option<Rate>, ConfigError> {
    let Some(text) = source.get(variable) else { return Ok(None) };
    let number = |text: &str| {
        let number = text.trim().parse::<u32>().ok();
        number.filter(|number| (1..=MAX_RATE).contains(number))
    };
    let rate = text.split_once('/').and_then(|(a_second, at_once)| {
        Some(Rate::per_second(number(a_second)?, number(at_once)?))
    });
    rate.map(Some).ok_or_else(|| invalid(variable, A_RATE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigFaults;

    fn read(variable: &str, value: &str) -> Result<Clients, ConfigFaults> {
        let mut faults = Faults::default();
        let clients = Clients::read(&Source::of(&[(variable, value)], ""), &mut faults);
        faults.refuse(clients)
    }

    #[test]
    fn limits_are_a_rate_per_second_and_a_burst() {
        let rates = read("ATUMPAN_LIMIT_SANDBOX", "5 / 50").unwrap().rates;
        assert_eq!(rates.sandbox_messages, Rate::per_second(5, 50));
        assert_eq!(rates.live_messages, Rates::default().live_messages);
        let rates = read("ATUMPAN_LIMIT_REGISTRATIONS", "7").unwrap().rates;
        assert_eq!(rates.registrations, Rate::per_hour(7));
    }

    #[test]
    fn origins_are_schemes_and_hosts() {
        let clients =
            read("ATUMPAN_CORS_ORIGINS", "https://App.example.com, http://localhost:3000");
        let origins = clients.unwrap().cors_origins;
        assert_eq!(origins, ["https://app.example.com", "http://localhost:3000"]);
    }

    #[test]
    fn names_the_variable_of_an_invalid_value() {
        for (variable, value) in [
            ("ATUMPAN_TRUSTED_PROXIES", "10.0.0.0/33"),
            ("ATUMPAN_CORS_ORIGINS", "*"),
            ("ATUMPAN_CORS_ORIGINS", "https://app.example.com/"),
            ("ATUMPAN_MAX_CONNECTIONS", "0"),
            ("ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS", "many"),
            ("ATUMPAN_CLIENT_TIMEOUT", "3601"),
            ("ATUMPAN_IDLE_TIMEOUT", "0"),
            ("ATUMPAN_LIMIT_LIVE", "500"),
            ("ATUMPAN_LIMIT_GUESTS", "0/10"),
            ("ATUMPAN_LIMIT_REQUESTS", "10/-1"),
            ("ATUMPAN_LIMIT_REGISTRATIONS", "0"),
        ] {
            let error = read(variable, value).unwrap_err().to_string();
            assert!(error.starts_with(variable), "{error}");
        }
    }
}
