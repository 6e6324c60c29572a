//! Batched reads and writes for requests and workers.

use std::sync::Arc;

use adapters_postgres::{IntakeDeps, PgCallbacks, PgIntake, PgJobs, Task};
use ports::{
    messaging::messages::LocalQueue,
    shared::{clock::Clock, random::Random, traces::Tracer},
    webhooks::webhook_queue::FreshDeliveries,
};

use super::stores::Stores;
use crate::supervisor::Supervisor;

/// Intake, jobs and callbacks, with their background tasks.
pub(super) struct Writing {
    pub(super) intake: PgIntake,
    pub(super) jobs: Arc<PgJobs>,
    pub(super) callbacks: Arc<PgCallbacks>,
    pub(super) tasks: Supervisor,
}

impl Writing {
    /// Starts the tasks on the current runtime.
    pub(super) fn start(
        stores: &Stores,
        (handover, fresh): (Arc<dyn LocalQueue>, Arc<dyn FreshDeliveries>),
        (clock, tracer): (&Arc<dyn Clock>, &Tracer),
        random: &dyn Random,
    ) -> Self {
        let (delivery, instance) = (stores.delivery.clone(), &stores.instance);
        let (jobs, job_tasks) =
            PgJobs::new(delivery, Arc::clone(clock), instance.clone(), shard(random), Some(fresh));
        let jobs = Arc::new(jobs);
        let (intake, intake_tasks) = PgIntake::new(IntakeDeps {
            store: stores.intake.clone(),
            jobs: Arc::clone(&jobs),
            handover,
            clock: Arc::clone(clock),
            instance: instance.clone(),
            tracer: tracer.clone(),
        });
        let (callbacks, callback_tasks) = PgCallbacks::new(stores.requests.clone());
        let mut tasks = Supervisor::default();
        for Task { name, run } in job_tasks.into_iter().chain(intake_tasks).chain(callback_tasks) {
            tasks.spawn(name, run);
        }
        Self { intake, jobs, callbacks, tasks }
    }
}

/// Draws the shard of the providers' minutes that this instance writes. Two instances with the same
/// shard only wait for each other from time to time.
fn shard(random: &dyn Random) -> i16 {
    let [high, low, ..] = random.secret();
    i16::from_be_bytes([high & 0x7f, low])
}
