//! World: processes that come and go over one store, vendors and clients.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use adapters_memory::MemoryStore;
use chrono::TimeDelta;
use domain::{
    messaging::{callback::Callback, message::Message},
    platform::heartbeat::TAKEN_OVER_AFTER,
    shared::id::Id,
};
use ports::shared::clock::Clock;
use tokio::{sync::Notify, time::sleep};

use crate::{
    chance::Chance,
    defects::Defect,
    instance::{Instance, InstanceDeps},
    options::RunOptions,
    orders::Orders,
    own_leases::SeenHeartbeats,
    scenario::Scenario,
    scheduler::{ProcessId, Scheduler},
    trace::Trace,
    vendor::Vendor,
    vendor_line::LineParts,
    virtual_clock::VirtualClock,
    weather::Weather,
    witness::{Holder, Loss, Witness},
};

/// Number of times that a vendor repeats a report that was not taken in.
const REPORT_TRIES: u32 = 6;

/// World of a run. Clones share its state.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) scheduler: Scheduler,
    pub(crate) clock: VirtualClock,
    pub(crate) trace: Trace,
    pub(crate) witness: Witness,
    pub(crate) weather: Weather,
    pub(crate) store: MemoryStore,
    pub(crate) vendors: Vec<Vendor>,
    pub(crate) orders: Orders,
    options: RunOptions,
    chance: Chance,
    instances: Arc<Mutex<Vec<Option<Arc<Instance>>>>>,
    signs: SeenHeartbeats,
    last_process: Arc<AtomicU64>,
    is_calm: Arc<AtomicBool>,
    /// Number of reports on their way.
    reports: Arc<AtomicU64>,
}

impl World {
    /// Creates a world in which nothing runs yet. Works only within a runtime whose time is paused.
    pub(crate) fn new(
        scenario: Scenario,
        options: RunOptions,
        chance: &Chance,
        trace: &Trace,
    ) -> Self {
        let clock = VirtualClock::start();
        let vendors = scenario
            .vendors
            .iter()
            .map(|(traits, manners)| Vendor::new(traits.clone(), *manners, chance.fork(), clock));
        Self {
            vendors: vendors.collect(),
            scheduler: Scheduler::new(chance.fork(), trace.clone()),
            clock,
            trace: trace.clone(),
            witness: Witness::new(trace.clone()),
            weather: Weather::new(chance.fork(), scenario.store),
            store: MemoryStore::new(Arc::new(clock)),
            orders: Orders::default(),
            options,
            chance: chance.fork(),
            instances: Arc::new(Mutex::new(vec![None; scenario.instances])),
            signs: SeenHeartbeats::default(),
            last_process: Arc::default(),
            is_calm: Arc::default(),
            reports: Arc::default(),
            scenario: Arc::new(scenario),
        }
    }

    /// Returns one of the running processes.
    pub(crate) fn any_instance(&self, chance: &Chance) -> Option<Arc<Instance>> {
        let running: Vec<_> = self.instances().iter().flatten().cloned().collect();
        chance.pick(&running).cloned()
    }

    /// Returns the running processes.
    pub(crate) fn processes(&self) -> Vec<ProcessId> {
        self.instances().iter().flatten().map(|instance| instance.process).collect()
    }

    /// Ends all faults.
    pub(crate) fn calm_down(&self) {
        self.trace.note(format_args!("the faults have ended"));
        self.is_calm.store(true, Ordering::Relaxed);
        self.weather.calm_down();
        for vendor in &self.vendors {
            vendor.behave(vendor.manners().once_calm());
        }
        for process in self.processes() {
            self.scheduler.spare(process);
            self.scheduler.freeze(process, false);
        }
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    /// True if processes are stopped, and nothing else is disturbed.
    pub(crate) fn is_stopped_only(&self) -> bool {
        self.options.defect == Some(Defect::LeasesTrusted)
    }

    /// Returns the number of reports on their way.
    pub(crate) fn reports_under_way(&self) -> u64 {
        self.reports.load(Ordering::Relaxed)
    }

    /// Drops the processes, which refer to the world.
    pub(crate) fn end(&self) {
        self.instances().clear();
    }

    /// Releases a process that has sent no heartbeat for long, so that others take over its
    /// messages.
    pub(crate) fn take_for_dead(&self, process: ProcessId) {
        if !self.signs.is_silent(process, self.clock.elapsed()) {
            return;
        }
        self.witness.lose(process, Loss::Stop);
        let jobs = self.store.release_instance(process.0);
        self.trace.note(format_args!("i{} is taken for dead: {jobs} jobs", process.0));
    }

    /// Keeps a process running in a place: another begins some time after one crashed.
    pub(crate) async fn keep_instance(self, place: usize) {
        loop {
            let ended = Arc::new(Notify::new());
            let process = self.begin(place, &ended);
            ended.notified().await;
            if self.chance.happens(700) {
                let world = self.clone();
                let pause = TAKEN_OVER_AFTER + self.chance.pause(0..=3_000);
                self.scheduler.spawn(ProcessId::WORLD, async move {
                    sleep(pause).await;
                    world.take_for_dead(process);
                });
            }
            sleep(self.chance.pause(500..=40_000)).await;
        }
    }

    fn begin(&self, place: usize, ended: &Arc<Notify>) -> ProcessId {
        let process = ProcessId(self.last_process.fetch_add(1, Ordering::Relaxed) + 1);
        let (instances, witness) = (Arc::clone(&self.instances), self.witness.clone());
        let ended = Arc::clone(ended);
        self.scheduler.begin_process(process, move || {
            witness.lose(process, Loss::Crash);
            let gone = lock(&instances).get_mut(place).and_then(Option::take);
            drop(gone);
            ended.notify_one();
        });
        self.trace.note(format_args!("i{} begins", process.0));
        let error = TimeDelta::milliseconds(self.chance.within(0..=2_000).cast_signed() - 1_000);
        let instance = Arc::new(Instance::start(InstanceDeps {
            process,
            store: self.store.clone(),
            weather: self.weather.clone(),
            clock: Arc::new(self.clock.wrong_by(error)),
            random: Arc::new(self.chance.fork()),
            vendors: self.vendors.clone(),
            lines: self.line_parts(),
            signs: self.signs.clone(),
            workers: self.scenario.workers,
            defect: self.options.defect,
        }));
        if let Some(free) = self.instances().get_mut(place) {
            *free = Some(instance);
        }
        if let (1, Some(polls)) = (process.0, self.options.crashes_after) {
            self.scheduler.crash_after(process, polls);
        }
        if !self.is_calm() && self.chance.happens(self.scenario.crashes) {
            // As often among the first polls as among many later ones.
            let magnitude = 1 << self.chance.within(3..=13);
            self.scheduler.crash_after(process, self.chance.within(1..=magnitude));
        }
        process
    }

    fn line_parts(&self) -> LineParts {
        let (store, clock) = (self.store.clone(), self.clock);
        let holder = move |process: ProcessId, message: Id<Message>| {
            let is_held = store.lease(message).is_some_and(|(lease, ends_at)| {
                lease.0.as_u64_pair().0 == process.0 && ends_at > clock.now()
            });
            if is_held { Holder::Caller } else { Holder::NotCaller }
        };
        let world = self.clone();
        let reporting = move |vendor: String, callback: Callback| {
            let world = world.clone();
            let scheduler = world.scheduler.clone();
            scheduler.spawn(ProcessId::WORLD, async move {
                world.deliver_report(&vendor, &callback).await;
                world.reports.fetch_sub(1, Ordering::Relaxed);
            });
        };
        LineParts {
            scheduler: self.scheduler.clone(),
            witness: self.witness.clone(),
            trace: self.trace.clone(),
            clock: self.clock,
            holder: Arc::new(holder),
            reporting: Arc::new(reporting),
            reports: Arc::clone(&self.reports),
        }
    }

    /// Lets a process take a report in. It is repeated if it is not answered, and lost in the end.
    async fn deliver_report(&self, vendor: &str, callback: &Callback) {
        for turn in 0..REPORT_TRIES {
            if let Some(instance) = self.any_instance(&self.chance) {
                let process = instance.process;
                let (callbacks, name, call) =
                    (instance.callbacks.clone(), vendor.to_owned(), callback.clone());
                drop(instance);
                let receiving = async move { callbacks.receive(&name, &call).await.is_ok() };
                let (_, answer) = self.scheduler.ask(process, receiving);
                if answer.await == Ok(true) {
                    return;
                }
            }
            sleep(self.chance.pause(100..=4_000 << turn)).await;
        }
        self.trace.note(format_args!("a report of {vendor} is lost"));
    }

    fn instances(&self) -> MutexGuard<'_, Vec<Option<Arc<Instance>>>> {
        lock(&self.instances)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
