//! Payment gateway of this installation.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgStore, PgTarget};
use adapters_providers::{
    HttpClient, Secret,
    gateways::{Paystack, SimulatedGateway},
};
use ports::{
    money::payments::PaymentGateway,
    shared::{clock::Clock, random::Random},
};
use usecases::money::checkouts::SimulatedGatewayDeps;

use super::StartError;
use crate::{
    clock::SystemClock,
    config::{Config, Environment},
};

/// Path of our webhook below the address of the API.
const WEBHOOK: &str = "billing/webhooks/gateway";
/// Number of connections of the simulated gateway for its payments.
const CONNECTIONS: usize = 2;

/// Payment gateway of an installation.
#[derive(Clone, Default)]
pub(super) struct Gateway {
    /// Gateway through which payments go; `None` if there is none.
    pub(super) payments: Option<Arc<dyn PaymentGateway>>,
    /// The same gateway, if it is a real one, whose key may change.
    pub(super) real: Option<Arc<Paystack>>,
    /// Payments and webhook of the simulated gateway.
    pub(super) simulated: Option<SimulatedGatewayDeps>,
}

/// Returns the configured gateway; without one, the simulated gateway in development, and none in
/// production. The simulated one calls this instance at `address`.
pub(super) async fn gateway(
    config: &Config,
    target: &PgTarget,
    address: SocketAddr,
) -> Result<Gateway, StartError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let http = HttpClient::new(Arc::clone(&clock))?;
    let (url, secret) = (&config.payments.gateway_url, &config.payments.gateway_secret);
    if let (Some(url), Some(secret)) = (url, secret) {
        let gateway = Paystack::new(http, url, Secret::new(secret));
        let gateway = gateway.map_err(|error| format!("ATUMPAN_GATEWAY_URL {error}"))?;
        let real = Arc::new(gateway);
        return Ok(Gateway {
            payments: Some(Arc::clone(&real) as _),
            real: Some(real),
            simulated: None,
        });
    }
    if config.security.environment == Environment::Production {
        tracing::warn!(
            "there is no payment gateway: ATUMPAN_GATEWAY_URL and ATUMPAN_GATEWAY_SECRET are not both \
             set, so that wallets can be topped up by invoice only"
        );
        return Ok(Gateway::default());
    }
    let store = Arc::new(PgStore::connect(target, CONNECTIONS)?);
    let secret = match secret {
        Some(secret) => secret.clone(),
        None => digits(&store.gateway_key(SystemRandom.secret()).await?),
    };
    let simulated = Arc::new(SimulatedGateway::new(
        http,
        clock,
        Arc::clone(&store) as _,
        format!("{}/checkout", config.server.public_url()),
        &format!("http://{}/{WEBHOOK}", local(address)),
        Secret::new(secret),
    )?);
    let webhook = Arc::clone(&simulated) as _;
    let deps = SimulatedGatewayDeps { payments: store, webhook };
    Ok(Gateway { payments: Some(simulated), real: None, simulated: Some(deps) })
}

/// Returns the address at which this machine reaches the listener.
fn local(address: SocketAddr) -> SocketAddr {
    let mut local = address;
    if address.ip().is_unspecified() {
        local.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    local
}

fn digits(key: &[u8]) -> String {
    key.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
