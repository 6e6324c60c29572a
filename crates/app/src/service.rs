//! Running service: everything wired together, from the store to the server.

mod background;
mod database;
mod declared_providers;
mod gateway;
mod kept_keys;
mod links;
mod metrics;
mod past;
mod providers;
mod reconciling;
mod reloading;
mod serving;
mod sessions;
mod shared;
mod sockets;
mod stores;
mod summary;
mod traces;
mod webhooks;
mod wiring;
mod writing;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use adapters_http::{
    BackgroundWork, ConnectionLimits,
    outbound::{password::Argon2Hasher, random::SystemRandom},
};
use adapters_postgres::{CountersChecked, DatabaseAddress, PgInstance, PgJobs, PgStore, PgTarget};
use domain::{identity::organization::Organization, money::ledger::Verification, shared::id::Id};
use futures_util::future;
use ports::{
    messaging::messages::Jobs, platform::organization_exports::ExportFiles, shared::clock::Clock,
};
use tokio::time::{Instant, sleep, timeout_at};
use usecases::{
    identity::admins::Admins,
    money::ledger,
    platform::{
        audit::Audit,
        health::Health,
        organization_exports::{self, ExportedCount},
    },
};

pub(crate) use self::{database::check_database_url, kept_keys::callback_key, past::PastService};
pub use self::{
    database::{Database, DatabaseError},
    metrics::{METRIC_GROUPS, Metric, MetricGroup},
    reconciling::reconcile,
    sockets::Sockets,
};
use self::{
    kept_keys::KeptKeys,
    metrics::ProcessFigures,
    reloading::Reloading,
    serving::Serving,
    stores::{BackgroundStores, Stores},
    traces::Traces,
    wiring::{Outside, Wiring},
};
use crate::{
    clock::SystemClock, config::Config, delivery_pool::RunningPool, supervisor::Supervisor,
    webhook_pool::Closing,
};

/// Error that prevents the start of the service.
pub type StartError = Box<dyn std::error::Error + Send + Sync>;

/// Time beyond the longest call to a provider in which a stopping service must finish.
const MARGIN: Duration = Duration::from_secs(5);

/// Running service.
pub struct Service {
    serving: Serving,
    health: Health,
    background: BackgroundWork,
    pool: RunningPool,
    instance: PgInstance,
    jobs: Arc<PgJobs>,
    webhooks: Arc<Closing>,
    traces: Traces,
    tasks: Supervisor,
    /// Tasks that write for requests and workers. They end last.
    writers: Supervisor,
    /// Time for which requests are still accepted before the stop begins, and time that work in
    /// flight then has.
    notice: Duration,
    drain: Duration,
    reloading: Reloading,
}

impl Service {
    /// Starts serving and delivering on a migrated database. `is_private` is true if no other
    /// process can use it.
    pub async fn start(
        config: &Config,
        database_url: &str,
        is_private: bool,
    ) -> Result<Self, StartError> {
        let sockets = Sockets::bind(&config.server)?;
        Box::pin(Self::start_on(sockets, config, database_url, is_private)).await
    }

    /// Like [`start`](Self::start), on addresses that were bound before.
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
        let KeptKeys { tokens, callback_key } = KeptKeys::read(config, database_url).await?;
        let gateway = gateway::gateway(config, target, config.server.listen).await?;
        let text = metrics::text(recorder.clone());
        let traces = Traces::new(config);
        let (clock, tracer) = (Arc::new(SystemClock), traces.tracer.clone());
        let outside = Outside { tokens, gateway, clock, tracer, callback_key };
        let wiring = Wiring::new(config, target, text, outside)?;
        let address = DatabaseAddress::of(database_url)?;
        summary::log(config, &address, &wiring.core.providers, &*wiring.core.probe).await;
        if let Some(admin) = &config.security.admin {
            let admins = admins_of(wiring.core.store.clone(), Arc::clone(&wiring.core.clock));
            let created = admins.create(&admin.email, &admin.password).await;
            created.map_err(|error| format!("ATUMPAN_ADMIN_EMAIL: {error}"))?;
        }
        refuse_unfinished_reconciliation(&wiring.core.store).await?;
        if is_private {
            wiring.core.instance.release_all_jobs().await?;
        }
        wiring.core.instance.heartbeat().await?;
        Box::pin(check_settings(database_url)).await?;
        // A queue that takes long to count is no reason not to start.
        if let Err(error) = wiring.core.monitor.look().await {
            tracing::warn!(%error, "failed to read the state of the database");
        }
        wiring.api.provider_health.declare().await?;
        wiring.core.providers.states().refresh(wiring.core.clock.now()).await?;
        // Before the first message is handed over.
        wiring.core.holding.refresh().await?;
        let drain = wiring.longest_call + MARGIN;
        let mut tasks = Supervisor::default();
        let limits = connection_limits(config, drain);
        let text = metrics::text(recorder.clone());
        let figures = ProcessFigures::begin(recorder, &wiring.core);
        let serving = Serving::start(sockets, &wiring.api, limits, text, &mut tasks)?;
        traces.spawn(&mut tasks);
        let stores = BackgroundStores::connect(target, &wiring.core.instance.lease_prefix())?;
        wiring.spawn_background(&stores, config.storage.retention, figures, &mut tasks);
        let webhooks = wiring.spawn_webhooks(&stores, &mut tasks);
        let jobs: Arc<dyn Jobs> = Arc::clone(&wiring.core.jobs) as _;
        Ok(Self {
            serving,
            health: wiring.api.health,
            background: wiring.api.background,
            pool: wiring.core.pool.start(&wiring.core.deliveries, jobs),
            instance: wiring.core.instance,
            jobs: wiring.core.jobs,
            webhooks,
            traces,
            tasks,
            writers: wiring.writers,
            notice: config.server.drain,
            drain,
            reloading: wiring.reloading,
        })
    }

    /// Adopts the secrets of sessions, the keys of the gateway and the language model, and the providers
    /// file as it is now, and returns the names of the providers that changed. On an error nothing changes.
    pub fn reload(&self, config: &Config) -> Result<Vec<String>, StartError> {
        self.reloading.adopt(config)
    }

    /// Returns the address of the API.
    pub fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// Returns the longest time that [`announce_stop`](Self::announce_stop) and
    /// [`stop`](Self::stop) take.
    pub fn longest_stop(&self) -> Duration {
        self.notice + self.drain
    }

    /// Tells load balancers to send requests elsewhere, and serves requests until they have
    /// noticed.
    pub async fn announce_stop(&self) {
        self.health.begin_draining();
        sleep(self.notice).await;
    }

    /// Waits for a part of the service to end by itself, which happens only if it cannot go on, and
    /// returns a description of it.
    pub async fn ended(&mut self) -> String {
        tokio::select! {
            ended = self.serving.ended() => ended,
            ended = self.pool.ended() => ended.to_string(),
            ended = self.tasks.ended() => ended.to_string(),
            ended = self.writers.ended() => ended.to_string(),
        }
    }

    /// Accepts no more requests, answers those in flight, finishes leased work or gives it back.
    pub async fn stop(mut self) {
        let end = Instant::now() + self.drain;
        let answering = async {
            self.serving.stop().await;
            timeout_at(end, self.background.finished()).await.is_ok()
        };
        // They run concurrently: together they take as long as the longest call.
        let delivering = self.pool.stop(self.drain);
        let (is_answered, have_ended, ()) =
            future::join3(answering, delivering, self.webhooks.close()).await;
        self.traces.close().await;
        self.tasks.stop().await;
        if !is_answered {
            tracing::warn!("work that requests began is still under way; its leases will end");
        }
        if !is_answered || !have_ended {
            // Other instances treat it as dead, and ask providers about the messages in flight.
            return;
        }
        self.jobs.put_off_kept().await;
        if let Err(error) = self.instance.deregister().await {
            tracing::warn!(%error, "failed to sign this instance off; others will take it for dead");
        }
        self.writers.stop().await;
    }
}

/// Returns the operations on platform administrators, for a command that serves nothing.
pub fn admins(database_url: &str) -> Result<Admins, StartError> {
    Ok(admins_of(PgStore::connect(database_url, 1)?, Arc::new(SystemClock)))
}

/// Removes the second factor of the user with that address, for a command that serves nothing. Returns
/// false if there was none.
pub async fn reset_second_factor(database_url: &str, email: &str) -> Result<bool, StartError> {
    let store = PgStore::connect(database_url, 1)?;
    let admins = admins_of(store.clone(), Arc::new(SystemClock));
    Ok(admins.reset_second_factor(email, &store).await?)
}

/// Compares all counters with a new count, for a command that serves nothing.
pub async fn check_counters(database_url: &str) -> Result<CountersChecked, StartError> {
    Ok(PgStore::connect_maintenance(database_url, 1)?.check_counters().await?)
}

/// Returns the names of the changes of data that the service has not finished, for a command that serves
/// nothing.
pub async fn unfinished_data_changes(database_url: &str) -> Result<Vec<String>, StartError> {
    Ok(PgStore::connect(database_url, 1)?.unfinished_data_changes().await?)
}

/// Writes everything that an organization has, for a command that serves nothing.
pub async fn export(
    database_url: &str,
    organization: Id<Organization>,
    files: &mut dyn ExportFiles,
) -> Result<Vec<ExportedCount>, StartError> {
    let store = PgStore::connect_maintenance(database_url, 1)?;
    Ok(organization_exports::export(&store, organization, files).await?)
}

/// Returns the operations on the audit log, for a command that serves nothing.
pub fn audit(database_url: &str) -> Result<Audit, StartError> {
    let store = Arc::new(PgStore::connect(database_url, 1)?);
    Ok(Audit::new(Arc::clone(&store) as _, store))
}

/// Verifies the ledger, for a command that serves nothing.
pub async fn verify_ledger(database_url: &str) -> Result<Verification, StartError> {
    Ok(ledger::verify(&PgStore::connect_maintenance(database_url, 1)?).await?)
}

/// Returns the number of connections to the database that an instance may hold. Opens none.
pub(crate) fn planned_connections(database_url: &str) -> Result<u64, StartError> {
    let target = PgTarget::from(database_url);
    Stores::connect(&target, Arc::new(SystemRandom))?;
    BackgroundStores::connect(&target, "")?;
    Ok(target.planned() as u64)
}

fn admins_of(store: PgStore, clock: Arc<dyn Clock>) -> Admins {
    Admins::new(Arc::new(store), Arc::new(Argon2Hasher::new()), clock)
}

/// Refuses to start on a database whose reconciliation was interrupted: messages that it did not reach
/// would be sent again.
async fn refuse_unfinished_reconciliation(store: &PgStore) -> Result<(), StartError> {
    if store.has_unfinished_reconciliation().await? {
        return Err("a reconciliation of the restored database has not ended: run \
                    `atumpan reconcile` again with the same --since"
            .into());
    }
    Ok(())
}

/// Warns if connections lack their settings, which would go unnoticed until a lock is contended.
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
        idle_timeout: clients.idle_timeout,
        shutdown_timeout: drain,
    }
}
