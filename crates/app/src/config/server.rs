//! Settings of the server that takes requests.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs},
    time::Duration,
};

use super::{Clients, ConfigError, Environment, Source, faults::Faults, invalid, switch};

const DRAIN_SECONDS: u64 = 5;
const MAX_DRAIN_SECONDS: u64 = 300;
const LISTEN: &str = "127.0.0.1:8080";
/// Stand-in for a faulty address.
const ANY_PORT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
const METRICS_LISTEN: &str = "127.0.0.1:9464";

/// Settings of the server that takes requests.
#[derive(Debug, Clone)]
pub struct Server {
    /// `ATUMPAN_LISTEN`, by default `127.0.0.1:8080`.
    pub listen: SocketAddr,
    /// `ATUMPAN_METRICS_LISTEN`, in production by default `127.0.0.1:9464`: additional address of
    /// the metrics, and in production their only address.
    pub metrics_listen: Option<SocketAddr>,
    /// `ATUMPAN_PUBLIC_URL`, required in production, in development by default `http://` and the listen
    /// address: address that others call.
    pub given_public_url: Option<String>,
    /// `ATUMPAN_RATE_LIMITS`, `on` or `off`. The throttle on sign-ins stays in any case.
    pub rate_limits: bool,
    /// `ATUMPAN_DRAIN_SECONDS`, at most 300, by default 5 in production and 0 in development:
    /// seconds for which requests are still accepted after load balancers are told to send them
    /// elsewhere.
    pub drain: Duration,
    /// Limits of clients.
    pub clients: Clients,
}

impl Server {
    /// Returns the address that others call, without a trailing slash.
    pub fn public_url(&self) -> String {
        let given =
            self.given_public_url.as_deref().map(|url| url.trim_end_matches('/').to_owned());
        given.unwrap_or_else(|| format!("http://{}", self.listen))
    }

    pub(super) fn read(source: &Source, environment: Environment, faults: &mut Faults) -> Self {
        let listen = faults.take(listen_address(source), ANY_PORT);
        Self {
            listen,
            metrics_listen: faults.take(metrics_listen(source, environment, listen), None),
            given_public_url: faults.take(public_url(source, environment), None),
            rate_limits: faults.take(switch(source, "ATUMPAN_RATE_LIMITS"), true),
            drain: faults.take(drain(source, environment), Duration::ZERO),
            clients: Clients::read(source, faults),
        }
    }
}

fn metrics_listen(
    source: &Source,
    environment: Environment,
    listen: SocketAddr,
) -> Result<Option<SocketAddr>, ConfigError> {
    let given = match (source.get("ATUMPAN_METRICS_LISTEN"), environment) {
        (None, Environment::Development) => return Ok(None),
        (None, Environment::Production) => METRICS_LISTEN.into(),
        (Some(given), _) => given,
    };
    let metrics = address("ATUMPAN_METRICS_LISTEN", &given)?;
    if metrics == listen && listen.port() != 0 {
        let problem = format!("must be another address than ATUMPAN_LISTEN, {listen}");
        return Err(invalid("ATUMPAN_METRICS_LISTEN", problem));
    }
    Ok(Some(metrics))
}

/// Reads the address to serve on, which needs no other setting.
pub fn listen_address(source: &Source) -> Result<SocketAddr, ConfigError> {
    let listen = source.get("ATUMPAN_LISTEN").unwrap_or_else(|| LISTEN.into());
    address("ATUMPAN_LISTEN", &listen)
}

/// Reads the public address. Links in messages begin with it, so it must be an address of the web.
fn public_url(source: &Source, environment: Environment) -> Result<Option<String>, ConfigError> {
    let Some(url) = source.get("ATUMPAN_PUBLIC_URL") else {
        return match environment {
            Environment::Development => Ok(None),
            Environment::Production => {
                let problem = "must be set in production, such as https://notify.example.com";
                Err(invalid("ATUMPAN_PUBLIC_URL", problem))
            }
        };
    };
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_address = rest.is_some_and(|rest| {
        let host = rest.split('/').next().unwrap_or_default();
        !host.is_empty() && !rest.contains(|it: char| it.is_whitespace() || "?#@".contains(it))
    });
    if !is_address {
        let problem = format!("must be an address such as https://notify.example.com, not {url:?}");
        return Err(invalid("ATUMPAN_PUBLIC_URL", problem));
    }
    Ok(Some(url))
}

fn drain(source: &Source, environment: Environment) -> Result<Duration, ConfigError> {
    let seconds = match (source.get("ATUMPAN_DRAIN_SECONDS"), environment) {
        (None, Environment::Development) => 0,
        (None, Environment::Production) => DRAIN_SECONDS,
        (Some(seconds), _) => {
            let seconds = seconds.parse().ok().filter(|seconds| *seconds <= MAX_DRAIN_SECONDS);
            seconds.ok_or_else(|| invalid("ATUMPAN_DRAIN_SECONDS", "must be from 0 to 300"))?
        }
    };
    Ok(Duration::from_secs(seconds))
}

/// Resolves an address to listen on. If a name has several addresses, IPv4 is preferred.
fn address(variable: &'static str, given: &str) -> Result<SocketAddr, ConfigError> {
    let problem = || format!("must be an address such as {LISTEN}, not {given:?}");
    let found = given.to_socket_addrs().map_err(|_| invalid(variable, problem()))?;
    let found: Vec<_> = found.collect();
    let preferred = found.iter().find(|address| address.is_ipv4()).or(found.first());
    preferred.copied().ok_or_else(|| invalid(variable, problem()))
}
