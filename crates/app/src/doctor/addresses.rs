//! Addresses of this service: for clients behind a proxy, for vendors, and for the metrics.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use adapters_http::{
    TrustedProxies,
    outbound::instances::{Answerer, InstanceProbe},
};
use adapters_providers::Declaration;

use super::{
    LIMIT,
    check::Finding,
    checks::{CALLBACKS_REACHABLE, METRICS_PRIVATE, PROXIES_TRUSTED, PUBLIC_ADDRESS},
    is_production,
};
use crate::{
    config::{Config, Server},
    providers_file,
};

/// Examines the addresses in the settings.
pub(super) fn examine(config: &Config) -> Vec<Finding> {
    vec![public(config), proxies(config), metrics(&config.server)]
}

fn public(config: &Config) -> Finding {
    // Production requires one.
    let Some(url) = config.server.given_public_url.as_deref() else {
        return PUBLIC_ADDRESS.ok("none is set, and links lead to this machine");
    };
    if !is_production(config) {
        return PUBLIC_ADDRESS.ok(format!("it is {url}"));
    }
    if !url.starts_with("https://") {
        return PUBLIC_ADDRESS.warn(format!("{url} is not encrypted"));
    }
    if is_own(url) {
        return PUBLIC_ADDRESS.warn(format!("{url} is an address that only this network reaches"));
    }
    PUBLIC_ADDRESS.ok(format!("it is {url}"))
}

/// True if a URL names this machine or a private network by its address.
fn is_own(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse().is_ok_and(is_private)
}

/// True if an address is reached only from this machine or from a private network.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

/// True if the host of an address, as in `redis.example:6379`, is this machine.
pub(super) fn is_this_machine(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

fn proxies(config: &Config) -> Finding {
    let url = config.server.given_public_url.as_deref().unwrap_or_default();
    if config.server.clients.trusted_proxies != TrustedProxies::default() {
        return PROXIES_TRUSTED.ok("proxies are trusted");
    }
    // The service itself speaks no TLS.
    if url.starts_with("https://") {
        let message = "ATUMPAN_PUBLIC_URL is behind a proxy, and no proxy is trusted";
        return PROXIES_TRUSTED.broken(is_production(config), message);
    }
    PROXIES_TRUSTED.ok("no proxy is known")
}

fn metrics(server: &Server) -> Finding {
    match server.metrics_listen {
        None => METRICS_PRIVATE.ok("they are served with the API, as in development"),
        Some(address) if is_private(address.ip()) => {
            METRICS_PRIVATE.ok(format!("they are served on {address}"))
        }
        Some(address) => METRICS_PRIVATE
            .warn(format!("they are served on {address}, which other networks may reach")),
    }
}

/// Calls this service at its public address, as clients and vendors do.
pub(super) async fn examine_callbacks(config: &Config) -> Finding {
    let Some(public) = config.server.given_public_url.as_deref() else {
        return CALLBACKS_REACHABLE.skipped("ATUMPAN_PUBLIC_URL is not set");
    };
    let public = public.trim_end_matches('/');
    let probe = match InstanceProbe::new(LIMIT) {
        Ok(probe) => probe,
        Err(error) => return CALLBACKS_REACHABLE.warn(error.to_string()),
    };
    let problem = match probe.live(public).await {
        Ok(Answerer::Instance) => return paths(config, &probe, public).await,
        Ok(Answerer::Other(status)) => {
            format!("{public}/health/live answers {status}, and not as this service does")
        }
        Err(cause) => format!("{public} does not answer: {cause}"),
    };
    let own = format!("http://{}", local(config.server.listen));
    match probe.live(&own).await {
        Ok(Answerer::Instance) => CALLBACKS_REACHABLE.fail(problem),
        _ => CALLBACKS_REACHABLE
            .skipped(format!("no instance serves on {}; {problem}", config.server.listen)),
    }
}

/// Calls the paths of the callbacks of the declared providers.
async fn paths(config: &Config, probe: &InstanceProbe, public: &str) -> Finding {
    let file = config.delivery.providers.as_deref();
    let declared = file.and_then(|path| providers_file::read_process(path).ok());
    let declared = declared.unwrap_or_default();
    let mut calling: Vec<String> = Vec::new();
    // The key gives the token only, which this examination does not need.
    let makes_callbacks = |it: &&Declaration| it.callback_address(public, &[]).is_some();
    for declaration in declared.iter().filter(makes_callbacks) {
        let path = format!("{public}/callbacks/providers/{}", declaration.name);
        match probe.callback(public, &declaration.name).await {
            Ok(Answerer::Instance) => calling.push(declaration.name.clone()),
            Ok(Answerer::Other(status)) => {
                let message = format!("{path} answers {status}, and not as this service does");
                return CALLBACKS_REACHABLE.fail(message);
            }
            Err(cause) => {
                return CALLBACKS_REACHABLE.fail(format!("{path} does not answer: {cause}"));
            }
        }
    }
    if calling.is_empty() {
        return CALLBACKS_REACHABLE.ok(format!("the service answers at {public}"));
    }
    let message = format!("the service answers at {public}, and to {}", calling.join(", "));
    CALLBACKS_REACHABLE.ok(message)
}

/// Returns the address at which this machine reaches the listener.
fn local(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

#[cfg(test)]
mod tests;
