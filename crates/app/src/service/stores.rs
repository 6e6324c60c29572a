//! Connections of a service, in separate pools for each kind of work.

use std::sync::Arc;

use adapters_postgres::{ConfigError, PgInstance, PgMonitor, PgSegments, PgStore, PgTarget};
use ports::shared::random::Random;

/// Number of connections that serve requests, and of those that accept messages, and that write
/// steps and claim jobs. Few are faster than many: see `docs/performance.md`.
const REQUEST_CONNECTIONS: usize = 8;
const INTAKE_CONNECTIONS: usize = 4;
const DELIVERY_CONNECTIONS: usize = 4;
/// Number of connections that evaluate the rules of segments: as many organizations at once.
const EVALUATION_CONNECTIONS: usize = 3;

/// Stores of a service, with its instance and the monitor of the database.
pub(super) struct Stores {
    pub(super) requests: PgStore,
    pub(super) delivery: PgStore,
    pub(super) intake: PgStore,
    pub(super) segments: PgSegments,
    pub(super) instance: PgInstance,
    pub(super) monitor: Arc<PgMonitor>,
}

impl Stores {
    /// Creates the stores, which connect on first use. Heartbeats and looks at the database have
    /// one connection each that no other work can occupy.
    pub(super) fn connect(target: &PgTarget, random: Arc<dyn Random>) -> Result<Self, ConfigError> {
        let requests = PgStore::connect(target, REQUEST_CONNECTIONS)?;
        let delivery = PgStore::connect_writers(target, DELIVERY_CONNECTIONS)?;
        let intake = PgStore::connect_writers(target, INTAKE_CONNECTIONS)?;
        let instance = PgInstance::new(PgStore::connect(target, 1)?, random);
        let evaluation = PgStore::connect_evaluation(target, EVALUATION_CONNECTIONS)?;
        let segments = PgSegments::new(requests.clone(), evaluation.clone());
        let pools = vec![
            ("requests", requests.clone()),
            ("delivery", delivery.clone()),
            ("intake", intake.clone()),
            ("evaluation", evaluation),
        ];
        let monitor = PgMonitor::new(PgStore::connect_writers(target, 1)?, instance.clone(), pools);
        let monitor = Arc::new(monitor);
        Ok(Self { requests, delivery, intake, segments, instance, monitor })
    }
}
