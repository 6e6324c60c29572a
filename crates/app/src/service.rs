//! A running service: everything wired together, from the store to the server.

mod database;
mod metrics;
mod provider_watch;
mod providers;
mod serving;
mod sockets;
mod stores;
mod summary;
mod upkeep;
mod writing;

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use adapters_http::{
    Api, BackgroundWork, ConnectionLimits, Credentials,
    outbound::{password::Argon2Hasher, random::SystemRandom, token::JwtIssuer},
};
use adapters_postgres::{DatabaseAddress, PgInstance, PgJobs, PgMonitor, PgStore};
use adapters_redis::{RedisConnection, RedisRateLimiter};
use futures_util::future;
use metrics_exporter_prometheus::PrometheusHandle;
use ports::{
    clock::Clock, health::SharedProbe, messages::Jobs, random::Random, rate_limits::RateLimiter,
    store::Store,
};
use tokio::{
    runtime::Handle,
    time::{Instant, timeout_at},
};
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

pub use self::{
    database::{Database, DatabaseError},
    sockets::Sockets,
};
use self::{serving::Serving, stores::Stores, writing::Writing};
use crate::{
    clock::SystemClock,
    config::{Config, Environment, Security},
    delivery_pool::{DeliveryPool, RunningPool, Workers},
    rate_limits::InProcess,
    report_relay::ReportRelay,
    secrets,
    supervisor::Supervisor,
};

/// Anything that keeps the service from starting.
pub type StartError = Box<dyn std::error::Error + Send + Sync>;

/// How much longer than a call to a provider everything may take to finish when the service stops.
const MARGIN: Duration = Duration::from_secs(5);

/// A running service.
pub struct Service {
    serving: Serving,
    background: BackgroundWork,
    pool: RunningPool,
    instance: PgInstance,
    upkeep: Supervisor,
    /// What writes for requests and workers: it ends last.
    writers: Supervisor,
    drain: Duration,
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
    writers: Supervisor,
    longest_call: Duration,
}

impl Service {
    /// Starts serving and delivering on a database that was migrated. One that no other process can
    /// use `is_private`.
    pub async fn start(
        config: &Config,
        database_url: &str,
        is_private: bool,
    ) -> Result<Self, StartError> {
        let sockets = Sockets::bind(&config.server)?;
        Self::start_on(sockets, config, database_url, is_private).await
    }

    /// The same, on addresses that were taken before.
    pub async fn start_on(
        sockets: Sockets,
        config: &Config,
        database_url: &str,
        is_private: bool,
    ) -> Result<Self, StartError> {
        let recorder = metrics::recorder()?;
        let core = Core::wire(config, database_url)?;
        let address = DatabaseAddress::of(database_url)?;
        summary::log(config, &address, &core.providers, &*core.probe).await;
        if let Some(admin) = &config.security.admin {
            let put = core.auth.put_admin(&admin.email, &admin.password).await;
            put.map_err(|error| format!("ATUMPAN_ADMIN_EMAIL: {error}"))?;
        }
        if is_private {
            core.instance.bury_all().await?;
        }
        core.instance.beat().await?;
        // A queue that takes long to count is no reason not to start.
        if let Err(error) = core.monitor.look().await {
            tracing::warn!(%error, "failed to look at the database");
        }
        core.provider_health().declare().await?;
        core.providers.states().refresh(core.clock.now()).await?;
        let api = core.api(config, &recorder);
        let drain = core.longest_call + MARGIN;
        let text = metrics::text(recorder.clone());
        let mut upkeep = Supervisor::default();
        let limits = connection_limits(config, drain);
        let serving = Serving::start(sockets, &api, limits, text, &mut upkeep)?;
        let gathered = metrics::Gathered {
            handle: recorder,
            providers: Arc::clone(&core.providers),
            store: Arc::clone(&core.monitor) as _,
        };
        upkeep.spawn("metrics", gathered.keep_up());
        core.spawn_upkeep(database_url, &mut upkeep)?;
        let jobs: Arc<dyn Jobs> = Arc::clone(&core.jobs) as _;
        Ok(Self {
            serving,
            background: api.background,
            pool: core.pool.start(&core.deliveries, jobs),
            instance: core.instance,
            upkeep,
            writers: core.writers,
            drain,
        })
    }

    /// Where requests are taken.
    pub fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// How long [`stop`](Self::stop) waits for what is under way.
    pub fn drain(&self) -> Duration {
        self.drain
    }

    /// Waits for a part of the service to end by itself, which none does as long as it can go on,
    /// and says which part did.
    pub async fn ended(&mut self) -> String {
        tokio::select! {
            ended = self.serving.ended() => ended,
            ended = self.pool.ended() => ended.to_string(),
            ended = self.upkeep.ended() => ended.to_string(),
            ended = self.writers.ended() => ended.to_string(),
        }
    }

    /// Takes no more requests, answers those in flight, finishes leased work or gives it back.
    pub async fn stop(mut self) {
        let end = Instant::now() + self.drain;
        let answering = async {
            self.serving.stop().await;
            timeout_at(end, self.background.finished()).await.is_ok()
        };
        // Neither waits for the other: together they take as long as the longest call.
        let (is_answered, have_ended) = future::join(answering, self.pool.stop(self.drain)).await;
        self.upkeep.stop().await;
        if !is_answered {
            tracing::warn!("work that requests began is still under way; its leases will end");
        }
        if !is_answered || !have_ended {
            // Others take it for dead, and ask providers about what was under way.
            return;
        }
        if let Err(error) = self.instance.leave().await {
            tracing::warn!(%error, "failed to sign this instance off; others will take it for dead");
        }
        self.writers.stop().await;
    }
}

impl Core {
    fn wire(config: &Config, database_url: &str) -> Result<Self, StartError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let random: Arc<dyn Random> = Arc::new(SystemRandom);
        let stores = Stores::connect(database_url, Arc::clone(&random))?;
        let store = stores.requests.clone();
        let shared_store: Arc<dyn Store> = Arc::new(store.clone());

        let (relay, outlet) = ReportRelay::new();
        let assembled = providers::assemble(config, Arc::new(relay), Arc::clone(&clock))?;
        let providers = assembled.providers.shared_through(Arc::new(store.clone()));
        let providers = Arc::new(providers);
        let pool =
            DeliveryPool::new(config.delivery.workers, Arc::clone(&providers), Arc::clone(&clock));
        let handover = Arc::clone(&pool) as _;
        let Writing { intake, jobs, callbacks: heard, tasks: mut writers } =
            Writing::start(&stores, handover, &clock, &*random);
        let deliveries = Deliveries::new(
            Arc::clone(&jobs) as _,
            Arc::clone(&providers),
            Arc::clone(&clock),
            Arc::clone(&random),
        )
        .with_recipient_state(Arc::clone(&heard) as _, Arc::new(store.clone()));
        writers.spawn("report relay", outlet.run(deliveries.clone()));

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
            instance: stores.instance,
            monitor: stores.monitor,
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
            writers,
            longest_call: assembled.longest_call,
        })
    }

    /// Starts what is done beside requests.
    fn spawn_upkeep(&self, url: &str, upkeep: &mut Supervisor) -> Result<(), StartError> {
        let (providers, clock) = (&self.providers, &self.clock);
        upkeep.spawn("account checks", provider_watch::check(self.provider_health()));
        let judge = provider_watch::judge(Arc::clone(providers), Arc::clone(clock));
        upkeep.spawn("judging of silence", judge);
        let listen = provider_watch::listen(Arc::clone(providers), Arc::clone(clock));
        upkeep.spawn("news of providers", listen);
        upkeep.spawn("sweep of kept reports", provider_watch::sweep(self.callbacks.clone()));
        upkeep.spawn("journal posting", upkeep::post(PgStore::connect_background(url, 1)?));
        upkeep.spawn("maintenance", upkeep::maintain(PgStore::connect_maintenance(url, 1)?));
        upkeep.spawn("signs of life", upkeep::stay_alive(self.instance.clone()));
        let observe =
            upkeep::observe(Arc::clone(&self.monitor), Arc::clone(providers), Arc::clone(clock));
        upkeep.spawn("look at the database", observe);
        Ok(())
    }

    fn provider_health(&self) -> ProviderHealth {
        let registry = Arc::new(self.store.clone());
        ProviderHealth::new(registry, Arc::clone(&self.providers), Arc::clone(&self.clock))
    }

    fn api(&self, config: &Config, recorder: &PrometheusHandle) -> Api {
        let store: Arc<dyn Store> = Arc::new(self.store.clone());
        let (clock, random) = (Arc::clone(&self.clock), Arc::clone(&self.random));
        let is_public = config.security.environment == Environment::Development;
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
            background: BackgroundWork::new(Handle::current()),
            limits: self.limits.clone(),
            credentials: Credentials::default(),
            cors_origins: config.server.clients.cors_origins.clone().into(),
            metrics: is_public.then(|| metrics::text(recorder.clone())),
            clock,
        }
    }
}

/// The operations on users, for commands that serve nothing, and the tasks that they need.
pub fn auth(config: &Config, database_url: &str) -> Result<(Auth, Supervisor), StartError> {
    let core = Core::wire(config, database_url)?;
    Ok((core.auth, core.writers))
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

fn connection_limits(config: &Config, drain: Duration) -> ConnectionLimits {
    let clients = &config.server.clients;
    ConnectionLimits {
        connections: clients.connections,
        connections_per_address: clients.connections_per_address,
        client_timeout: clients.timeout,
        shutdown_timeout: drain,
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
