//! Providers of this installation: declared and simulated ones.

use std::{sync::Arc, time::Duration};

use adapters_providers::{Deps, HttpClient, Simulated, build};
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

use super::StartError;
use crate::{
    config::{Config, Environment},
    providers_file,
};

/// Time until a simulated message is delivered.
const SIMULATED_LATENCY: Duration = Duration::from_millis(50);
/// Least time to wait for calls, however short their declared timeouts are.
const SHORTEST_WAIT: Duration = Duration::from_secs(10);
/// Time after which a simulated provider is asked for a missing report.
const SIMULATED_REPORT_TIMEOUT: TimeDelta = TimeDelta::seconds(5);

/// The providers, and the longest time that a call to one of them may take.
pub(super) struct Assembled {
    pub(super) providers: Arc<Providers>,
    pub(super) longest_call: Duration,
}

/// Builds the declared providers, whose states all instances share. In development a channel without one is
/// simulated; in production it has none.
pub(super) fn assemble(
    config: &Config,
    (reports, sharing): (Arc<dyn ReportSink>, SharedStates),
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
        links: Arc::clone(links),
        most_in_flight: most_in_flight(config.delivery.workers),
        runtime: Handle::current(),
    };
    let mut carriers = Vec::new();
    let mut longest_call = SHORTEST_WAIT;
    if let Some(path) = &config.delivery.providers {
        for declaration in providers_file::read(path, &|name| std::env::var(name).ok())? {
            longest_call = longest_call.max(declaration.longest_call());
            let (provider, adapter) = build(&declaration, &deps)?;
            carriers.push(ConfiguredProvider { provider, adapter });
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
    Ok(Assembled { providers, longest_call })
}

/// Returns the most messages in flight per provider: a quarter of the workers is left for others
/// while it hangs. Without workers only requests hand messages over, and each waits only for
/// itself.
fn most_in_flight(workers: usize) -> usize {
    match workers {
        0 => usize::MAX,
        _ => (workers - workers / 4).max(1),
    }
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
