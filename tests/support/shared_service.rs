//! Services that the tests of a binary share.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, Weak},
    thread,
};

use tokio::{
    runtime::Runtime,
    sync::{Mutex as AsyncMutex, oneshot},
};

use crate::{cluster::fresh_database_url, own_service::OwnService};

/// Environment variables of a service that tests share.
pub type Settings = &'static [(&'static str, &'static str)];

/// Running instance that tests share. It stops when no test uses it any more: even without requests, an
/// unoptimized service and its database take four per cent of a processor.
pub(crate) struct SharedService {
    pub(crate) url: String,
    pub(crate) database: String,
    /// Instance that the tests of this one use as well.
    _first: Option<Arc<Self>>,
    /// The instance runs until this is dropped.
    _in_use: oneshot::Sender<()>,
}

/// Instances with the same settings that use the same database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Instance {
    First,
    Second,
}

/// Instance that is running or being started, if any.
type Slot = Arc<AsyncMutex<Weak<SharedService>>>;

static SLOTS: Mutex<BTreeMap<(Settings, Instance), Slot>> = Mutex::new(BTreeMap::new());

impl SharedService {
    /// Returns the service with these settings.
    pub(crate) async fn with(settings: Settings) -> Arc<Self> {
        let start = async || Self::start(fresh_database_url().await, settings, None).await;
        Self::running_or((settings, Instance::First), start).await
    }

    /// Returns another instance with the settings and the database of the first one.
    pub(crate) async fn beside(first: &Arc<Self>, settings: Settings) -> Arc<Self> {
        let start = async || {
            let database = first.database.clone();
            Self::start(database, settings, Some(Arc::clone(first))).await
        };
        Self::running_or((settings, Instance::Second), start).await
    }

    /// Returns the running instance, or the one that `start` starts, for which other tests wait.
    async fn running_or(
        key: (Settings, Instance),
        start: impl AsyncFnOnce() -> Arc<Self>,
    ) -> Arc<Self> {
        let slot = slot(key);
        let mut running = slot.lock().await;
        if let Some(service) = running.upgrade() {
            return service;
        }
        let started = start().await;
        *running = Arc::downgrade(&started);
        started
    }

    /// Starts an instance on its own thread, since the runtime of a test ends with the test.
    async fn start(database: String, settings: Settings, first: Option<Arc<Self>>) -> Arc<Self> {
        let (started, starting) = oneshot::channel();
        let (in_use, unused) = oneshot::channel();
        let own_database = database.clone();
        thread::spawn(move || {
            let runtime = Runtime::new().expect("a runtime can be made");
            runtime.block_on(async {
                let service = OwnService::start(&own_database, settings).await;
                let _ = started.send(service.url());
                let _ = unused.await;
                service.stop().await;
            });
        });
        let url = starting.await.expect("a shared instance starts");
        Arc::new(Self { url, database, _first: first, _in_use: in_use })
    }
}

fn slot(key: (Settings, Instance)) -> Slot {
    let mut slots = SLOTS.lock().expect("no test fails while it holds the lock");
    Arc::clone(slots.entry(key).or_default())
}
