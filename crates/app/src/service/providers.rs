//! Providers of this installation: declared and simulated ones.

use std::{sync::Arc, time::Duration};

use adapters_providers::{Deps, HttpClient, Simulated, build_replaceable};
use chrono::TimeDelta;
use domain::{
    providers::provider::{Provider, Route, WithoutReport},
    shared::channel::Channel,
};
use ports::{
    audience::unsubscribes::UnsubscribeLinks, providers::provider::ReportSink, shared::clock::Clock,
};
use tokio::runtime::Handle;
use usecases::providers::provider_registry::{ConfiguredProvider, Providers, SharedStates};

use super::{
    StartError,
    declared_providers::{Declared, DeclaredProviders},
};
use crate::{
    config::{Config, Environment},
    delivery_pool::most_in_flight,
    providers_file,
};

/// Time until a simulated message is delivered.
const SIMULATED_LATENCY: Duration = Duration::from_millis(50);
/// Least time to wait for calls, however short their declared timeouts are.
const SHORTEST_WAIT: Duration = Duration::from_secs(10);
/// Time after which a simulated provider is asked for a missing report.
const SIMULATED_REPORT_TIMEOUT: TimeDelta = TimeDelta::seconds(5);

/// Dependencies of the providers.
pub(super) struct Outward {
    /// Sink of reports.
    pub(super) reports: Arc<dyn ReportSink>,
    /// Sharing of the states with other instances.
    pub(super) sharing: SharedStates,
    /// Key of the tokens of callbacks.
    pub(super) callback_key: Vec<u8>,
}

/// The providers, and the longest time that a call to one of them may take.
pub(super) struct Assembled {
    pub(super) providers: Arc<Providers>,
    pub(super) declared: Arc<DeclaredProviders>,
    pub(super) longest_call: Duration,
}

/// Builds the declared providers, whose states all instances share. In development a channel without one is
/// simulated; in production it has none.
pub(super) fn assemble(
    config: &Config,
    Outward { reports, sharing, callback_key }: Outward,
    clock: &Arc<dyn Clock>,
    links: &Arc<dyn UnsubscribeLinks>,
) -> Result<Assembled, StartError> {
    let is_development = config.security.environment == Environment::Development;
    let simulated = Simulated::new(Arc::clone(&reports), Arc::clone(clock), SIMULATED_LATENCY);
    let simulated = Arc::new(if is_development { simulated.showing_secrets() } else { simulated });
    let http = HttpClient::new(Arc::clone(clock))?;
    let deps = Deps {
        http,
        reports,
        clock: Arc::clone(clock),
        public_url: config.server.public_url(),
        callback_key,
        links: Arc::clone(links),
        most_in_flight: most_in_flight(config.delivery.workers),
        runtime: Handle::current(),
    };
    let (mut carriers, mut declared) = (Vec::new(), Vec::new());
    let mut longest_call = SHORTEST_WAIT;
    if let Some(path) = &config.delivery.providers {
        let declarations = providers_file::read_process(path)?;
        if !is_development {
            providers_file::check_for_production(path, &declarations)?;
        }
        for declaration in declarations {
            longest_call = longest_call.max(declaration.longest_call());
            let (provider, adapter, slot) = build_replaceable(&declaration, &deps)?;
            carriers.push(ConfiguredProvider { provider, adapter });
            declared.push(Declared { declaration, slot });
        }
    }
    if is_development {
        for channel in Channel::ALL {
            if carriers.iter().all(|carrier| carrier.provider.channel != channel) {
                let adapter = Arc::clone(&simulated) as _;
                carriers
                    .push(ConfiguredProvider { provider: simulated_provider(channel), adapter });
            }
        }
    }
    let providers = Arc::new(Providers::new(carriers, simulated, Some(sharing)));
    let declared = Arc::new(DeclaredProviders::new(deps, declared));
    Ok(Assembled { providers, declared, longest_call })
}

fn simulated_provider(channel: Channel) -> Provider {
    Provider {
        name: format!("simulated-{}", channel.as_str().to_ascii_lowercase()),
        kind: "simulated",
        channel,
        routes: vec![Route { country: None, priority: u16::MAX }],
        report_timeout: SIMULATED_REPORT_TIMEOUT,
        without_report: WithoutReport::default(),
    }
}
