//! Process of the service: its use cases, its workers and its background tasks.

use std::{sync::Arc, time::Duration};

use adapters_memory::MemoryStore;
use ports::{
    messaging::messages::{Intake, Jobs},
    shared::{clock::Clock, nobody::Nobody, random::Random, traces::Tracer},
};
use runtime::{delivery_pool::DeliveryPool, signals::OwnSignals};
use tokio::time::sleep;
use usecases::{
    messaging::{
        callbacks::Callbacks,
        deliveries::{Deliveries, DeliveriesDeps, Recipients},
        holding::Holding,
        messages::{Messages, MessagesDeps},
    },
    money::prices::Prices,
    providers::provider_registry::{ConfiguredProvider, Providers, SharedStates},
    shared::limits::Limits,
};

use crate::{
    absent::Absent,
    defects::{Defect, Defective},
    own_leases::{HeartbeatLeases, SeenHeartbeats},
    scheduler::ProcessId,
    unreliable::Unreliable,
    vendor::Vendor,
    vendor_line::{LineParts, VendorLine},
    virtual_clock::VirtualClock,
    weather::Weather,
};

/// Interval between sweeps of stored reports.
const SWEEP: Duration = Duration::from_secs(1);
/// Interval between reads and judgements of the states of providers.
const STATES: Duration = Duration::from_secs(2);
const FORGET: Duration = Duration::from_secs(60);

/// Dependencies of a process.
pub(crate) struct InstanceDeps {
    pub(crate) process: ProcessId,
    pub(crate) store: MemoryStore,
    pub(crate) weather: Weather,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) vendors: Vec<Vendor>,
    pub(crate) lines: LineParts,
    pub(crate) signs: SeenHeartbeats,
    pub(crate) workers: usize,
    pub(crate) defect: Option<Defect>,
}

/// Running process.
pub(crate) struct Instance {
    pub(crate) process: ProcessId,
    pub(crate) messages: Messages,
    pub(crate) callbacks: Callbacks,
}

impl Instance {
    /// Starts a process, which knows nothing but the store.
    pub(crate) fn start(deps: InstanceDeps) -> Self {
        let InstanceDeps { process, clock, .. } = &deps;
        let (process, clock) = (*process, Arc::clone(clock));
        let providers = deps.providers();
        let holding = deps.holding();
        let pool = DeliveryPool::new(
            deps.workers,
            Arc::clone(&providers),
            Some(holding.clone()),
            Arc::new(OwnSignals::default()),
            Arc::clone(&clock),
        );
        let prices =
            Prices::new(Arc::new(deps.store.clone()), Arc::clone(&clock), Arc::new(Nobody));
        let store = deps.store.instance(process.0).with_local_queue(Arc::clone(&pool) as _);
        let seen_by = (deps.lines.witness.clone(), deps.lines.trace.clone());
        let core = Defective { store: store.clone(), clock: deps.lines.clock, defect: deps.defect };
        let weather = deps.weather.clone();
        let store = Arc::new(Unreliable::new(store, Arc::new(core), process, weather, seen_by));
        let jobs = Arc::clone(&store) as Arc<dyn Jobs>;
        let own_leases = HeartbeatLeases::new(process, deps.lines.clock, deps.signs, deps.defect);
        let recipients =
            Recipients { callbacks: Arc::clone(&store) as _, devices: Arc::new(Absent) };
        let deliveries = Deliveries::new(DeliveriesDeps {
            jobs: Arc::clone(&jobs),
            own_leases: Arc::clone(&own_leases) as _,
            providers: Arc::clone(&providers),
            recipients: Some(recipients),
            policies: None,
            holding: Some(holding),
            publisher: None,
            clock: Arc::clone(&clock),
            random: deps.random,
            tracer: Tracer::default(),
        });
        let watched = Arc::clone(&providers);
        let callbacks = Callbacks::new(
            Arc::clone(&providers),
            deliveries.clone(),
            Arc::clone(&jobs),
            Arc::clone(&store) as _,
            Arc::clone(&clock),
        );
        let messages = Messages::new(MessagesDeps {
            templates: Arc::new(deps.store.clone()),
            delivery_logs: Arc::clone(&store) as _,
            intake: Arc::clone(&store) as Arc<dyn Intake>,
            prices,
            providers,
            deliveries: deliveries.clone(),
            clock,
            limits: Limits::off(),
            fraud_guard: None,
            tracer: Tracer::default(),
        });
        let scheduler = &deps.lines.scheduler;
        for (_, task) in pool.tasks(&deliveries, &jobs) {
            scheduler.spawn(process, task);
        }
        scheduler.spawn(process, follow_states(Arc::clone(&watched), deps.lines.clock));
        scheduler.spawn(process, own_leases.show_life(Arc::clone(&store)));
        scheduler.spawn(process, sweep(callbacks.clone()));
        scheduler.spawn(process, forget(callbacks.clone()));
        Self { process, messages, callbacks }
    }
}

impl InstanceDeps {
    fn holding(&self) -> Holding {
        let store = Arc::new(self.store.clone());
        Holding::new(Arc::new(Absent), Arc::clone(&store) as _, store, Arc::new(Nobody))
    }

    fn providers(&self) -> Arc<Providers> {
        let line = |vendor: &Vendor| {
            let line = VendorLine::new(vendor.clone(), self.process, self.lines.clone());
            ConfiguredProvider { provider: vendor.traits.provider.clone(), adapter: Arc::new(line) }
        };
        let configured = self.vendors.iter().map(line).collect::<Vec<_>>();
        // No message is sent in the sandbox here.
        let sandbox = line(&self.vendors[0]).adapter;
        let (registry, change_broadcaster) = (Arc::new(self.store.clone()), Arc::new(Nobody));
        let sharing = SharedStates { registry, change_broadcaster };
        Arc::new(Providers::new(configured, sandbox, Some(sharing)))
    }
}

async fn sweep(callbacks: Callbacks) {
    loop {
        // A failed sweep is repeated by the next one.
        let _ = callbacks.sweep().await;
        sleep(SWEEP).await;
    }
}

async fn follow_states(providers: Arc<Providers>, clock: VirtualClock) {
    loop {
        let _ = providers.states().refresh(clock.now()).await;
        let _ = providers.states().judge(clock.now()).await;
        sleep(STATES).await;
    }
}

async fn forget(callbacks: Callbacks) {
    loop {
        let _ = callbacks.forget_old().await;
        sleep(FORGET).await;
    }
}
