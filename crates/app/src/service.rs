//! A running service: everything wired together, from the store to the server.

mod background;
mod background_tasks;
mod campaigns;
mod database;
mod gateway;
mod links;
mod metrics;
mod provider_watch;
mod providers;
mod serving;
mod shared;
mod sockets;
mod stores;
mod summary;
mod webhooks;
mod wiring;
mod writing;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use adapters_http::{BackgroundWork, ConnectionLimits, outbound::password::Argon2Hasher};
use adapters_postgres::{CountersChecked, DatabaseAddress, PgInstance, PgStore, PgTarget};
use domain::money::ledger::Verification;
use futures_util::future;
use ports::{messaging::messages::Jobs, shared::clock::Clock};
use tokio::time::{Instant, sleep, timeout_at};
use usecases::{
    identity::admins::Admins,
    money::ledger,
    platform::{audit::Audit, health::Health},
};

pub use self::{
    database::{Database, DatabaseError},
    sockets::Sockets,
};
use self::{
    serving::Serving,
    wiring::{Outside, Wiring},
};
use crate::{
    clock::SystemClock, config::Config, delivery_pool::RunningPool, supervisor::Supervisor,
    webhook_pool::Closing,
};

/// Anything that keeps the service from starting.
pub type StartError = Box<dyn std::error::Error + Send + Sync>;

/// How much longer than a call to a provider everything may take to finish when the service stops.
const MARGIN: Duration = Duration::from_secs(5);

/// A running service.
pub struct Service {
    serving: Serving,
    health: Health,
    background: BackgroundWork,
    pool: RunningPool,
    instance: PgInstance,
    webhooks: Arc<Closing>,
    tasks: Supervisor,
    /// What writes for requests and workers: it ends last.
    writers: Supervisor,
    /// The time for which requests are still taken before the stop begins, and the time that is left then
    /// for what is under way.
    notice: Duration,
    drain: Duration,
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
        let mut config = config.clone();
        config.server.listen = sockets.address()?;
        let config = &config;
        let recorder = metrics::recorder()?;
        let target = &PgTarget::from(database_url);
        let tokens = links::tokens(config, database_url).await?;
        let gateway = gateway::gateway(config, target, config.server.listen).await?;
        let text = metrics::text(recorder.clone());
        let wiring = Wiring::new(config, target, text, Outside { tokens, gateway })?;
        let address = DatabaseAddress::of(database_url)?;
        summary::log(config, &address, &wiring.providers, &*wiring.probe).await;
        if let Some(admin) = &config.security.admin {
            let admins = admins_of(wiring.store.clone(), Arc::clone(&wiring.clock));
            let created = admins.create(&admin.email, &admin.password).await;
            created.map_err(|error| format!("ATUMPAN_ADMIN_EMAIL: {error}"))?;
        }
        if is_private {
            wiring.instance.release_all_jobs().await?;
        }
        wiring.instance.heartbeat().await?;
        Box::pin(check_settings(database_url)).await?;
        // A queue that takes long to count is no reason not to start.
        if let Err(error) = wiring.monitor.look().await {
            tracing::warn!(%error, "failed to read the state of the database");
        }
        wiring.api.provider_health.declare().await?;
        wiring.providers.states().refresh(wiring.clock.now()).await?;
        // Before the first message is handed over.
        wiring.holding.refresh().await?;
        let drain = wiring.longest_call + MARGIN;
        let mut tasks = Supervisor::default();
        let limits = connection_limits(config, drain);
        let text = metrics::text(recorder.clone());
        let serving = Serving::start(sockets, &wiring.api, limits, text, &mut tasks)?;
        let gathered = metrics::Gathered {
            handle: recorder,
            providers: Arc::clone(&wiring.providers),
            store: Arc::clone(&wiring.monitor) as _,
        };
        tasks.spawn("metrics", gathered.keep_up());
        wiring.spawn_background(target, config.storage.retention, &mut tasks)?;
        let webhooks = wiring.spawn_webhooks(target, &mut tasks)?;
        // Once all pools are made.
        let compare = background::compare_connections(Arc::clone(&wiring.monitor));
        tasks.spawn("count of connections", compare);
        let jobs: Arc<dyn Jobs> = Arc::clone(&wiring.jobs) as _;
        Ok(Self {
            serving,
            health: wiring.api.health,
            background: wiring.api.background,
            pool: wiring.pool.start(&wiring.deliveries, jobs),
            instance: wiring.instance,
            webhooks,
            tasks,
            writers: wiring.writers,
            notice: config.server.drain,
            drain,
        })
    }

    /// Where requests are taken.
    pub fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// The longest time that [`announce_stop`](Self::announce_stop) and [`stop`](Self::stop) take.
    pub fn longest_stop(&self) -> Duration {
        self.notice + self.drain
    }

    /// Tells load balancers to send requests elsewhere, and serves those that come until they have heard.
    pub async fn announce_stop(&self) {
        self.health.begin_draining();
        sleep(self.notice).await;
    }

    /// Waits for a part of the service to end by itself, which none does as long as it can go on,
    /// and says which part did.
    pub async fn ended(&mut self) -> String {
        tokio::select! {
            ended = self.serving.ended() => ended,
            ended = self.pool.ended() => ended.to_string(),
            ended = self.tasks.ended() => ended.to_string(),
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
        // None waits for the others: together they take as long as the longest call.
        let delivering = self.pool.stop(self.drain);
        let (is_answered, have_ended, ()) =
            future::join3(answering, delivering, self.webhooks.close()).await;
        self.tasks.stop().await;
        if !is_answered {
            tracing::warn!("work that requests began is still under way; its leases will end");
        }
        if !is_answered || !have_ended {
            // Others take it for dead, and ask providers about what was under way.
            return;
        }
        if let Err(error) = self.instance.deregister().await {
            tracing::warn!(%error, "failed to sign this instance off; others will take it for dead");
        }
        self.writers.stop().await;
    }
}

/// The operations on platform administrators, for a command that serves nothing.
pub fn admins(database_url: &str) -> Result<Admins, StartError> {
    Ok(admins_of(PgStore::connect(database_url, 1)?, Arc::new(SystemClock)))
}

/// Counts everything of which counters are kept, and compares; for a command that serves nothing.
pub async fn check_counters(database_url: &str) -> Result<CountersChecked, StartError> {
    Ok(PgStore::connect_maintenance(database_url, 1)?.check_counters().await?)
}

/// The operations on the audit log, for a command that serves nothing.
pub fn audit(database_url: &str) -> Result<Audit, StartError> {
    let store = Arc::new(PgStore::connect(database_url, 1)?);
    Ok(Audit::new(Arc::clone(&store) as _, store))
}

/// Verifies the ledger, for a command that serves nothing.
pub async fn verify_ledger(database_url: &str) -> Result<Verification, StartError> {
    Ok(ledger::verify(&PgStore::connect_maintenance(database_url, 1)?).await?)
}

fn admins_of(store: PgStore, clock: Arc<dyn Clock>) -> Admins {
    Admins::new(Arc::new(store), Arc::new(Argon2Hasher::new()), clock)
}

/// Tells if connections do without their settings, which nobody would notice until a lock is met.
async fn check_settings(database_url: &str) -> Result<(), StartError> {
    if !PgStore::connect_writers(database_url, 1)?.has_settings_of_writers().await? {
        tracing::warn!(
            "connections lack the settings that they were opened with; if a pooler drops start \
             options, set them for the role: see docs/scaling.md"
        );
    }
    Ok(())
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
