//! Store on `PostgreSQL`.

use std::{sync::Arc, time::Duration};

use adapters_postgres::{
    IntakeDeps, PgCallbacks, PgInstance, PgIntake, PgJobs, PgJournalPoster, PgStore, PgTarget,
    Task as StoreTask, migrate,
};
use async_trait::async_trait;
use domain::identity::organization::Organization;
use ports::{
    identity::identity_store::IdentityStore,
    messaging::messages::LocalQueue,
    providers::provider::ProviderRegistry,
    shared::{clock::Clock, random::Random, store::StoreError, traces::Tracer},
};
use runtime::{
    background::{Task, again_if, then_idle},
    delivery_pool::Workers,
    signals::OwnSignals,
    supervisor::Supervisor,
};

use crate::{
    error::BuildError,
    store::{Accepting, OpenStore, StorePorts},
};

/// Number of connections that serve senders, that accept messages, and that write steps and claim jobs.
const REQUEST_CONNECTIONS: usize = 4;
const INTAKE_CONNECTIONS: usize = 4;
const DELIVERY_CONNECTIONS: usize = 4;

/// Interval between looks at the journal, for codes that have become too old, and between preparations of
/// partitions and removals of expired records.
const POSTING: Duration = Duration::from_secs(1);
const CODES: Duration = Duration::from_secs(20);
const MAINTENANCE: Duration = Duration::from_secs(3_600);
/// Interval between looks for changes of data that a migration left to be made, and pause between their turns.
const DATA_CHANGES: Duration = Duration::from_secs(60);
const DATA_CHANGE_STEP: Duration = Duration::from_millis(200);

/// Database that processes share.
pub(crate) struct Postgres {
    requests: Arc<PgStore>,
    intake: PgStore,
    delivery: PgStore,
    journal: PgStore,
    background: Arc<PgStore>,
    maintenance: PgStore,
    instance: PgInstance,
    clock: Arc<dyn Clock>,
    /// Shard of the providers' minutes that this process writes.
    shard: i16,
}

impl Postgres {
    /// Migrates the database, and creates stores that connect on first use.
    pub(crate) async fn open(
        url: &str,
        clock: &Arc<dyn Clock>,
        random: &Arc<dyn Random>,
    ) -> Result<Self, BuildError> {
        migrate(url).await?;
        let target = PgTarget::from(url);
        // Heartbeats have a connection that no other work can occupy.
        let heartbeats = PgStore::connect(&target, 1)?;
        Ok(Self {
            requests: Arc::new(PgStore::connect(&target, REQUEST_CONNECTIONS)?),
            intake: PgStore::connect_writers(&target, INTAKE_CONNECTIONS)?,
            delivery: PgStore::connect_writers(&target, DELIVERY_CONNECTIONS)?,
            journal: PgStore::connect_background(&target, 1)?,
            background: Arc::new(PgStore::connect_background(&target, 1)?),
            maintenance: PgStore::connect_maintenance(&target, 1)?,
            instance: PgInstance::new(heartbeats, Arc::clone(random)),
            clock: Arc::clone(clock),
            shard: shard(&**random),
        })
    }
}

#[async_trait]
impl OpenStore for Postgres {
    fn registry(&self) -> Arc<dyn ProviderRegistry> {
        Arc::clone(&self.requests) as _
    }

    fn accept(&self, queue: Arc<dyn LocalQueue>) -> Accepting {
        let (delivery, clock) = (self.delivery.clone(), || Arc::clone(&self.clock));
        let (jobs, job_tasks) =
            PgJobs::new(delivery, clock(), self.instance.clone(), self.shard, None);
        let scheduled = jobs.scheduled_messages((*self.background).clone());
        let jobs = Arc::new(jobs);
        let (intake, intake_tasks) = PgIntake::new(IntakeDeps {
            store: self.intake.clone(),
            jobs: Arc::clone(&jobs),
            handover: queue,
            clock: clock(),
            instance: self.instance.clone(),
            tracer: Tracer::default(),
        });
        let (callbacks, callback_tasks) = PgCallbacks::new((*self.requests).clone());
        let mut writers = Supervisor::default();
        for task in job_tasks.into_iter().chain(intake_tasks).chain(callback_tasks) {
            writers.spawn(task.name, task.run);
        }
        let ports = StorePorts {
            intake: Arc::new(intake),
            jobs,
            own_leases: Arc::new(self.instance.clone()),
            delivery_logs: Arc::clone(&self.requests) as _,
            scheduled_messages: Some(Arc::new(scheduled)),
            callbacks,
            devices: Arc::clone(&self.requests) as _,
            templates: Arc::clone(&self.requests) as _,
            organizations: Arc::clone(&self.requests) as _,
            wallets: Arc::clone(&self.requests) as _,
            pricing: Arc::clone(&self.requests) as _,
        };
        Accepting { ports, writers }
    }

    #[cfg(feature = "providers")]
    async fn callback_key(&self, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        self.requests.callback_key(proposed).await
    }

    async fn join(&self) -> Result<(), StoreError> {
        self.instance.heartbeat().await
    }

    fn background(
        &self,
        workers: Workers,
        signals: Arc<OwnSignals>,
        tasks: &mut Supervisor,
    ) -> Vec<Task> {
        let StoreTask { name, run } = self.instance.heartbeats(Arc::new(workers), signals);
        tasks.spawn(name, run);
        let poster = Arc::new(PgJournalPoster::new(self.journal.clone()));
        let background = || Arc::clone(&self.background);
        vec![
            Task::every("journal posting", POSTING, poster, |poster| async move {
                again_if(poster.post_some().await)
            }),
            Task::every("masking of codes", CODES, background(), |store| async move {
                again_if(store.mask_old_codes().await)
            }),
            Task::every("maintenance", MAINTENANCE, self.maintenance.clone(), |store| async move {
                then_idle(store.maintain().await)
            }),
            Task::every("changes of data", DATA_CHANGES, background(), |store| async move {
                again_if(store.advance_data_changes().await)
            })
            .again_after(DATA_CHANGE_STEP),
        ]
    }

    async fn insert_organization(&self, organization: &Organization) -> Result<(), StoreError> {
        let mut change = IdentityStore::begin(&*self.requests).await?;
        change.insert_organization(organization).await?;
        change.commit().await
    }

    async fn leave(&self) -> Result<(), StoreError> {
        self.instance.deregister().await
    }
}

/// Draws a shard. Two processes with the same one only wait for each other from time to time.
fn shard(random: &dyn Random) -> i16 {
    let [high, low, ..] = random.secret();
    i16::from_be_bytes([high & 0x7f, low])
}
