//! Builder, which wires the use cases and starts the workers.

use std::sync::Arc;

#[cfg(feature = "providers")]
use adapters_providers::Declaration;
use domain::providers::provider::Provider;
use ports::{
    providers::provider::MessagingProvider,
    shared::{clock::Clock, nobody::Nobody, random::Random, traces::Tracer},
};
use runtime::{
    background::{Runner, TaskStates},
    clock::SystemClock,
    delivery_pool::{DeliveryPool, Workers},
    random::SystemRandom,
    report_relay::ReportRelay,
    signals::OwnSignals,
    supervisor::Supervisor,
};
use usecases::{
    messaging::{
        callbacks::Callbacks,
        deliveries::{Deliveries, DeliveriesDeps, Recipients},
        messages::{Messages, MessagesDeps},
    },
    money::prices::Prices,
    providers::{
        provider_health::ProviderHealth,
        provider_registry::{ConfiguredProvider, Providers, SharedStates},
    },
    shared::limits::Limits,
};

#[cfg(feature = "providers")]
use crate::vendors::{Declarations, Surroundings};
use crate::{
    background,
    error::BuildError,
    opening,
    running::Atumpan,
    sandbox::Sandbox,
    store::{Accepting, OpenStore, Store, StorePorts},
};

/// Number of workers, unless set otherwise.
const WORKERS: usize = 32;

/// Builder of [`Atumpan`]. Without any setting it keeps everything in memory and has no provider.
#[must_use]
pub struct Builder {
    store: Store,
    providers: Vec<ConfiguredProvider>,
    #[cfg(feature = "providers")]
    declarations: Declarations,
    sandbox: Arc<dyn MessagingProvider>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    workers: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            store: Store::default(),
            providers: Vec::new(),
            #[cfg(feature = "providers")]
            declarations: Declarations::default(),
            sandbox: Arc::new(Sandbox),
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            workers: WORKERS,
        }
    }
}

impl Atumpan {
    /// Returns a builder.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl Builder {
    /// Sets the store.
    pub fn store(self, store: Store) -> Self {
        Self { store, ..self }
    }

    /// Adds a provider with its adapter.
    pub fn provider(
        mut self,
        provider: Provider,
        adapter: impl MessagingProvider + 'static,
    ) -> Self {
        self.providers.push(ConfiguredProvider { provider, adapter: Arc::new(adapter) });
        self
    }

    /// Adds providers with their adapters.
    pub fn providers(mut self, providers: impl IntoIterator<Item = ConfiguredProvider>) -> Self {
        self.providers.extend(providers);
        self
    }

    /// Adds a provider by the name of its vendor.
    #[cfg(feature = "providers")]
    pub fn declared(mut self, declaration: Declaration) -> Self {
        self.declarations.declared.push(declaration);
        self
    }

    /// Sets the public address of the program, without a trailing slash. Vendors are told to send reports to
    /// `/callbacks/providers/NAME` there, where the program passes them to [`Atumpan::callbacks`].
    #[cfg(feature = "providers")]
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.declarations.public_url = url.into();
        self
    }

    /// Sets the key from which the tokens in the addresses of callbacks are derived, as
    /// `Declaration::callback_address` is given it. Without it the store keeps one; a store in memory has a new
    /// one at each start.
    #[cfg(feature = "providers")]
    pub fn callback_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.declarations.callback_key = Some(key.into());
        self
    }

    /// Sets the provider of sandbox messages. Without it they are taken and go nowhere.
    pub fn sandbox(self, adapter: impl MessagingProvider + 'static) -> Self {
        Self { sandbox: Arc::new(adapter), ..self }
    }

    /// Sets the clock. Without it that of the system is used.
    pub fn clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Sets the source of randomness. Without it that of the system is used.
    pub fn random(self, random: impl Random + 'static) -> Self {
        Self { random: Arc::new(random), ..self }
    }

    /// Sets the number of workers: most messages that are handed over at the same time. Without it there are
    /// 32. With 0 the process accepts messages, and others that share the store deliver them.
    pub fn workers(self, workers: usize) -> Self {
        Self { workers, ..self }
    }

    /// Opens the store, and starts workers and background tasks on the current runtime, which is one of Tokio
    /// with time and I/O.
    pub async fn build(mut self) -> Result<Atumpan, BuildError> {
        let (clock, random) = (Arc::clone(&self.clock), Arc::clone(&self.random));
        let store = opening::open(std::mem::take(&mut self.store), &clock, &random).await?;
        let (relay, outlet) = ReportRelay::new();
        #[cfg(feature = "providers")]
        self.add_declared(&*store, &relay).await?;
        let workers = self.workers;
        let providers = self.assemble(&*store);
        let signals = Arc::new(OwnSignals::default());
        let pool = DeliveryPool::new(
            workers,
            Arc::clone(&providers),
            None,
            Arc::clone(&signals) as _,
            Arc::clone(&clock),
        );
        let Accepting { ports, mut writers } = store.accept(Arc::clone(&pool) as _);
        let core = Core { ports: &ports, providers: &providers, clock: &clock };
        let deliveries = core.deliveries(random);
        let callbacks = core.callbacks(&deliveries);
        let messages = core.messages(&deliveries);
        writers.spawn("report relay", outlet.run(deliveries.clone()));

        store.join().await?;
        let health =
            ProviderHealth::new(store.registry(), Arc::clone(&providers), Arc::clone(&clock));
        health.declare().await?;
        providers.states().refresh(clock.now()).await?;
        let mut tasks = Supervisor::default();
        let probe = Workers { pool: Arc::clone(&pool), deliveries: deliveries.clone() };
        let mut runner = Runner::new(TaskStates::new(Arc::clone(&clock)));
        runner.add_all(store.background(probe, Arc::clone(&signals), &mut tasks));
        runner.add_all(background::of_providers(&providers, &callbacks, &clock));
        if let Some(scheduled) = &ports.scheduled_messages {
            runner.add(background::of_schedules(Arc::clone(scheduled), &signals));
        }
        runner.start(&mut tasks);
        let pool = pool.start(&deliveries, Arc::clone(&ports.jobs));
        Ok(Atumpan {
            messages,
            deliveries,
            callbacks,
            ports,
            store,
            clock,
            relay,
            pool,
            tasks,
            writers,
        })
    }

    /// Builds the declared providers.
    #[cfg(feature = "providers")]
    async fn add_declared(
        &mut self,
        store: &dyn OpenStore,
        relay: &ReportRelay,
    ) -> Result<(), BuildError> {
        let declarations = std::mem::take(&mut self.declarations);
        let around = Surroundings {
            store,
            reports: Arc::new(relay.clone()),
            clock: &self.clock,
            random: &*self.random,
            workers: self.workers,
        };
        let declared = declarations.build(around).await?;
        self.providers.extend(declared);
        Ok(())
    }

    /// Returns the providers, whose states the store shares.
    fn assemble(self, store: &dyn OpenStore) -> Arc<Providers> {
        let sharing =
            SharedStates { registry: store.registry(), change_broadcaster: Arc::new(Nobody) };
        Arc::new(Providers::new(self.providers, self.sandbox, Some(sharing)))
    }
}

/// Parts on which the use cases are built.
struct Core<'c> {
    ports: &'c StorePorts,
    providers: &'c Arc<Providers>,
    clock: &'c Arc<dyn Clock>,
}

impl Core<'_> {
    fn deliveries(&self, random: Arc<dyn Random>) -> Deliveries {
        let recipients = Recipients {
            callbacks: Arc::clone(&self.ports.callbacks),
            devices: Arc::clone(&self.ports.devices),
        };
        Deliveries::new(DeliveriesDeps {
            jobs: Arc::clone(&self.ports.jobs),
            own_leases: Arc::clone(&self.ports.own_leases),
            providers: Arc::clone(self.providers),
            recipients: Some(recipients),
            policies: None,
            holding: None,
            publisher: None,
            clock: Arc::clone(self.clock),
            random,
            tracer: Tracer::default(),
        })
    }

    fn callbacks(&self, deliveries: &Deliveries) -> Callbacks {
        Callbacks::new(
            Arc::clone(self.providers),
            deliveries.clone(),
            Arc::clone(&self.ports.jobs),
            Arc::clone(&self.ports.callbacks),
            Arc::clone(self.clock),
        )
    }

    fn messages(&self, deliveries: &Deliveries) -> Messages {
        let pricing = Arc::clone(&self.ports.pricing);
        Messages::new(MessagesDeps {
            templates: Arc::clone(&self.ports.templates),
            delivery_logs: Arc::clone(&self.ports.delivery_logs),
            intake: Arc::clone(&self.ports.intake),
            prices: Prices::new(pricing, Arc::clone(self.clock), Arc::new(Nobody)),
            providers: Arc::clone(self.providers),
            deliveries: deliveries.clone(),
            limits: Limits::off(),
            fraud_guard: None,
            clock: Arc::clone(self.clock),
            tracer: Tracer::default(),
        })
    }
}
