//! A running service: everything wired together, from the store to the server.

mod database;
mod provider_watch;
mod providers;
mod stores;
mod upkeep;

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use adapters_http::{
    Api, ConnectionLimits, Credentials, ServerHandle,
    outbound::{password::Argon2Hasher, random::SystemRandom, token::JwtIssuer},
};
use adapters_postgres::{
    IntakeParts, PgCallbacks, PgInstance, PgIntake, PgJobs, PgMonitor, PgStore,
};
use adapters_redis::{RedisConnection, RedisRateLimiter};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use ports::{
    clock::Clock, health::SharedProbe, messages::Jobs, random::Random, rate_limits::RateLimiter,
    store::Store,
};
use tokio::task::{JoinHandle, JoinSet};
use usecases::{
    api_keys::ApiKeys,
    auth::{Auth, AuthParts},
    billing::{Billing, Prices},
    callbacks::Callbacks,
    deliveries::Deliveries,
    delivery_logs::DeliveryLogs,
    health::Health,
    limits::Limits,
    messages::{Messages, MessagesParts},
    organizations::Organizations,
    provider_health::ProviderHealth,
    providers::Providers,
};

pub use self::database::{Database, DatabaseError};
use self::stores::Stores;
use crate::{
    clock::SystemClock,
    config::{Config, Security},
    delivery_pool::{DeliveryPool, RunningPool, Workers},
    rate_limits::InProcess,
    report_relay::ReportRelay,
    secrets,
};

/// Anything that keeps the service from starting.
pub type StartError = Box<dyn std::error::Error + Send + Sync>;

/// How long requests may take to finish when the service stops.
const DRAIN: Duration = Duration::from_secs(12);
/// How long workers may take: longer than a call usually may, and less than the process has.
const LONGEST_CALL: Duration = Duration::from_secs(24);

/// A running service.
pub struct Service {
    address: SocketAddr,
    server: ServerHandle,
    serving: JoinHandle<std::io::Result<()>>,
    pool: RunningPool,
    instance: PgInstance,
    upkeep: JoinSet<()>,
}

/// The parts that requests and the command line need.
struct Core {
    store: PgStore,
    instance: PgInstance,
    monitor: Arc<PgMonitor>,
    providers: Arc<Providers>,
    auth: Auth,
    messages: Messages,
    limits: Limits,
    probe: Arc<dyn SharedProbe>,
    prices: Prices,
    deliveries: Deliveries,
    jobs: Arc<PgJobs>,
    callbacks: Callbacks,
    pool: Arc<DeliveryPool>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
}

impl Service {
    /// Starts serving and delivering on a database that was migrated. One that no other process can
    /// use `is_private`.
    pub async fn start(
        config: &Config,
        database_url: &str,
        is_private: bool,
    ) -> Result<Self, StartError> {
        let metrics = metrics();
        let core = Core::wire(config, database_url)?;
        if let Some(admin) = &config.security.admin {
            let put = core.auth.put_admin(&admin.email, &admin.password).await;
            put.map_err(|error| format!("ATUMPAN_ADMIN_EMAIL: {error}"))?;
        }
        if is_private {
            core.instance.bury_all().await?;
        }
        core.instance.beat().await?;
        core.monitor.look().await?;
        core.provider_health().declare().await?;
        core.providers.standings().refresh(core.clock.now()).await?;
        let api = core.api(config, metrics);
        let listen = config.server.listen;
        let (server, address) = adapters_http::serve(&api, listen, connection_limits(config))
            .map_err(|error| format!("cannot listen on {listen}: {error}"))?;

        let mut tasks = JoinSet::new();
        tasks.spawn(provider_watch::check(core.provider_health()));
        tasks.spawn(provider_watch::judge(Arc::clone(&core.providers), Arc::clone(&core.clock)));
        tasks.spawn(provider_watch::listen(Arc::clone(&core.providers), Arc::clone(&core.clock)));
        tasks.spawn(provider_watch::sweep(core.callbacks.clone()));
        tasks.spawn(upkeep::post(PgStore::connect_background(database_url, 1)?));
        tasks.spawn(upkeep::maintain(PgStore::connect_maintenance(database_url, 1)?));
        tasks.spawn(upkeep::stay_alive(core.instance.clone()));
        let (providers, clock) = (Arc::clone(&core.providers), Arc::clone(&core.clock));
        tasks.spawn(upkeep::observe(core.monitor, providers, clock));
        let jobs: Arc<dyn Jobs> = Arc::clone(&core.jobs) as _;
        Ok(Self {
            address,
            server: server.handle(),
            serving: tokio::spawn(server),
            pool: core.pool.start(&core.deliveries, jobs),
            instance: core.instance,
            upkeep: tasks,
        })
    }

    /// Where requests are taken.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the server to end by itself, which it does only when it cannot go on.
    pub async fn ended(&mut self) {
        if let Ok(Err(error)) = (&mut self.serving).await {
            tracing::error!(%error, "the server ended");
        }
    }

    /// Takes no more requests, answers those in flight, finishes leased work or gives it back.
    pub async fn stop(mut self) {
        let (_, have_ended) =
            futures_util::future::join(self.server.stop(true), self.pool.stop(LONGEST_CALL)).await;
        self.upkeep.shutdown().await;
        if !have_ended {
            // Others take it for dead, and ask providers about what was under way.
            return;
        }
        if let Err(error) = self.instance.leave().await {
            tracing::warn!(%error, "others will take this instance for dead");
        }
    }
}

impl Core {
    fn wire(config: &Config, database_url: &str) -> Result<Self, StartError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let random: Arc<dyn Random> = Arc::new(SystemRandom);
        let Stores { requests: store, delivery, intake, instance, monitor } =
            Stores::connect(database_url, Arc::clone(&random))?;
        let shared_store: Arc<dyn Store> = Arc::new(store.clone());

        let (relay, outlet) = ReportRelay::new();
        let providers = providers::assemble(config, Arc::new(relay), Arc::clone(&clock))?;
        let providers = Arc::new(providers.shared_through(Arc::new(store.clone())));
        let pool =
            DeliveryPool::new(config.delivery.workers, Arc::clone(&providers), Arc::clone(&clock));
        let shard = shard(&*random);
        let jobs = PgJobs::start(delivery, Arc::clone(&clock), instance.clone(), shard);
        let jobs = Arc::new(jobs);
        let intake = PgIntake::start(IntakeParts {
            store: intake,
            jobs: Arc::clone(&jobs),
            handover: Arc::clone(&pool) as _,
            clock: Arc::clone(&clock),
            instance: instance.clone(),
        });
        let heard = PgCallbacks::start(store.clone());
        let deliveries = Deliveries::new(
            Arc::clone(&jobs) as _,
            Arc::clone(&providers),
            Arc::clone(&clock),
            Arc::clone(&random),
        )
        .minding(Arc::clone(&heard) as _, Arc::new(store.clone()));
        tokio::spawn(outlet.run(deliveries.clone()));

        let prices = Prices::new(Arc::clone(&shared_store), Arc::clone(&clock));
        let (limits, probe) = shared(config)?;
        let messages = Messages::new(MessagesParts {
            store: Arc::clone(&shared_store),
            intake: Arc::new(intake),
            prices: prices.clone(),
            providers: Arc::clone(&providers),
            deliveries: deliveries.clone(),
            clock: Arc::clone(&clock),
        })
        .limited_by(limits.clone());
        let auth = sign_ins(config, shared_store, &messages, &clock, &random)?;
        Ok(Self {
            callbacks: Callbacks::new(
                Arc::clone(&providers),
                deliveries.clone(),
                Arc::clone(&jobs) as _,
                heard,
                Arc::clone(&clock),
            ),
            store,
            instance,
            monitor,
            providers,
            auth,
            messages,
            limits,
            probe,
            prices,
            deliveries,
            jobs,
            pool,
            clock,
            random,
        })
    }

    fn provider_health(&self) -> ProviderHealth {
        let registry = Arc::new(self.store.clone());
        ProviderHealth::new(registry, Arc::clone(&self.providers), Arc::clone(&self.clock))
    }

    fn api(&self, config: &Config, metrics: PrometheusHandle) -> Api {
        let store: Arc<dyn Store> = Arc::new(self.store.clone());
        let (clock, random) = (Arc::clone(&self.clock), Arc::clone(&self.random));
        Api {
            auth: self.auth.clone(),
            organizations: Organizations::new(Arc::clone(&store), Arc::clone(&clock)),
            api_keys: ApiKeys::new(Arc::clone(&store), Arc::clone(&clock), random),
            messages: self.messages.clone(),
            delivery_logs: DeliveryLogs::new(Arc::clone(&store)),
            billing: Billing::new(store, self.prices.clone()),
            health: Health::new(
                Arc::clone(&self.monitor) as _,
                Arc::clone(&self.probe),
                Arc::new(Workers {
                    count: config.delivery.workers,
                    deliveries: self.deliveries.clone(),
                }),
                Arc::clone(&clock),
            ),
            provider_health: self.provider_health(),
            callbacks: self.callbacks.clone(),
            public_url: config.server.public_url(),
            verifies_emails: config.security.email_verification,
            trusted_proxies: config.server.clients.trusted_proxies.clone(),
            limits: self.limits.clone(),
            credentials: Credentials::default(),
            cors_origins: config.server.clients.cors_origins.clone().into(),
            metrics: Arc::new(move || metrics.render()),
            clock,
        }
    }
}

/// The operations on users, for commands that serve nothing.
pub fn auth(config: &Config, database_url: &str) -> Result<Auth, StartError> {
    Ok(Core::wire(config, database_url)?.auth)
}

fn sign_ins(
    config: &Config,
    store: Arc<dyn Store>,
    messages: &Messages,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> Result<Auth, StartError> {
    let secret = jwt_secret(&config.security, &config.storage.data_dir, &**random)?;
    Ok(Auth::new(AuthParts {
        store,
        passwords: Arc::new(Argon2Hasher::new()),
        tokens: Arc::new(JwtIssuer::new(secret.as_bytes())),
        messages: messages.clone(),
        clock: Arc::clone(clock),
        random: Arc::clone(random),
        trial_credit: config.delivery.trial_credit,
    }))
}

/// What instances share, or what stands in for it.
fn shared(config: &Config) -> Result<(Limits, Arc<dyn SharedProbe>), StartError> {
    let in_process = Arc::new(InProcess::default());
    let (limiter, probe): (Arc<dyn RateLimiter>, Arc<dyn SharedProbe>) =
        match &config.storage.redis_url {
            Some(url) => {
                let redis = RedisConnection::new(url)?;
                (Arc::new(RedisRateLimiter::new(redis.clone(), in_process)), Arc::new(redis))
            }
            None => (Arc::clone(&in_process) as _, in_process),
        };
    let rates = config.server.clients.rates;
    let limits = if config.server.rate_limits {
        Limits::new(limiter, rates, Arc::new(rates))
    } else {
        Limits::off()
    };
    Ok((limits, probe))
}

fn connection_limits(config: &Config) -> ConnectionLimits {
    let clients = &config.server.clients;
    ConnectionLimits {
        connections: clients.connections,
        connections_per_address: clients.connections_per_address,
        client_timeout: clients.timeout,
        shutdown_timeout: DRAIN,
    }
}

fn jwt_secret(
    security: &Security,
    data_dir: &Path,
    random: &dyn Random,
) -> Result<String, StartError> {
    match &security.jwt_secret {
        Some(secret) => Ok(secret.clone()),
        None => secrets::keep(data_dir, "jwt-secret", random)
            .map_err(|error| format!("the JWT secret cannot be kept: {error}").into()),
    }
}

/// The shard of the providers' minutes that this instance has for itself. Two instances that draw the
/// same only wait for each other now and then.
fn shard(random: &dyn Random) -> i16 {
    let [high, low, ..] = random.secret();
    i16::from_be_bytes([high & 0x7f, low])
}

/// Collects the metrics of this process. The first service of a process has them.
fn metrics() -> PrometheusHandle {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_ok() {
        let upkeep = handle.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_secs(5)).await;
                upkeep.run_upkeep();
            }
        });
    }
    handle
}
