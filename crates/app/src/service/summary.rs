//! Log lines about the configuration at the start; they contain no secret.

use adapters_postgres::{DatabaseAddress, Safety};
use domain::shared::{channel::Channel, retention::RetentionDays};
use ports::platform::health::SharedProbe;
use usecases::providers::provider_registry::Providers;

use crate::config::{Config, Environment};

/// Kind of the simulated providers.
const SIMULATED: &str = "simulated";

/// Logs the components of this instance, and the missing ones.
pub(super) async fn log(
    config: &Config,
    database: &DatabaseAddress,
    providers: &Providers,
    shared: &dyn SharedProbe,
) {
    let environment = config.security.environment;
    let redis = config.storage.redis_url.as_deref().map(adapters_redis::address);
    let is_embedded = config.storage.database_url.is_none();
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        environment = environment.as_str(),
        listen = %config.server.listen,
        metrics_listen = config.server.metrics_listen.map(tracing::field::display),
        database = %database,
        embedded_database = is_embedded,
        redis = redis.as_deref().unwrap_or("none"),
        retention_days = config.storage.retention.map(RetentionDays::get),
        workers = config.delivery.workers,
        rate_limits = config.server.rate_limits,
        velocity_limits = config.delivery.velocity_limits,
        content_model = config.content.as_ref().map_or("none", |settings| settings.model.as_str()),
        sender_names = config.delivery.senders.as_str(),
        callbacks_allow_private = config.webhooks.allow_private,
        "atumpan starts"
    );
    if environment == Environment::Production {
        warn_of_unsafe_way(database);
        warn_of_rehearsals(providers);
    }
    for channel in Channel::ALL {
        let names = names(providers, channel);
        if !names.is_empty() {
            tracing::info!(channel = channel.as_str(), providers = names.join(", "), "providers");
        } else if environment == Environment::Production {
            let channel = channel.as_str();
            tracing::warn!(channel, "the channel has no provider: its messages fail with NO_ROUTE");
        }
    }
    if config.storage.redis_url.is_some()
        && let Err(problem) = shared.ping().await
    {
        tracing::warn!(problem, "failed to reach Redis: this instance counts requests by itself");
    }
}

/// Warns of providers for trials in an installation where people pay.
fn warn_of_rehearsals(providers: &Providers) {
    for provider in providers.declared().iter().filter(|it| it.kind == SIMULATED) {
        let (provider, channel) = (provider.name.as_str(), provider.channel.as_str());
        tracing::warn!(
            provider,
            channel,
            "the provider is simulated: its messages are paid, say DELIVERED, and reach nobody"
        );
    }
}

fn warn_of_unsafe_way(database: &DatabaseAddress) {
    match database.safety() {
        Safety::Safe => {}
        Safety::Unverified => tracing::warn!(
            %database,
            "the server of the database is not verified: set sslmode=verify-full in DATABASE_URL"
        ),
        Safety::Clear => tracing::warn!(
            %database,
            "the connection to the database may be in clear: set sslmode=verify-full in DATABASE_URL"
        ),
    }
}

fn names(providers: &Providers, channel: Channel) -> Vec<&str> {
    let of_channel = providers.declared().iter().filter(|provider| provider.channel == channel);
    of_channel.map(|provider| provider.name.as_str()).collect()
}
