//! Connections of a service, in separate pools for each kind of work.

use std::sync::Arc;

use adapters_postgres::{
    ConfigError, PgInstance, PgMonitor, PgSegments, PgShare, PgStore, PgTarget,
};
use ports::shared::random::Random;

/// Number of connections that serve requests, and of those that accept messages, and that write
/// steps and claim jobs. Few are faster than many: see `docs/performance.md`.
const REQUEST_CONNECTIONS: usize = 6;
const INTAKE_CONNECTIONS: usize = 4;
const DELIVERY_CONNECTIONS: usize = 4;
/// Number of connections that evaluate the rules of segments: as many organizations at once.
const EVALUATION_CONNECTIONS: usize = 2;
/// Number of connections that all other background work shares, and of those that work of each kind
/// may have of them. No work holds two at once.
const SHARED_CONNECTIONS: usize = 4;
const SHARED_BY_WRITERS: usize = 2;
const SHARED_BY_QUEUES: usize = 2;
const SHARED_BY_BACKGROUND: usize = 2;
const SHARED_BY_MAINTENANCE: usize = 1;

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

/// Stores of background work. Its statements may take long, so that requests and messages have
/// connections of their own.
pub(super) struct BackgroundStores {
    /// Store for changes that other instances made. While it waits, no cached record is trusted.
    pub(super) changes: Arc<PgStore>,
    /// Store for the journal, which grows while it waits.
    pub(super) journal: PgStore,
    /// Store for what writers do, beside the messages that requests and workers write.
    pub(super) writers: Arc<PgStore>,
    /// Store for work that is taken from queues. Other instances free its leases if this one dies.
    pub(super) queues: Arc<PgStore>,
    /// Store for statements of up to half a minute.
    pub(super) background: Arc<PgStore>,
    /// Store for the hourly maintenance.
    pub(super) maintenance: PgStore,
}

impl BackgroundStores {
    /// Creates the stores, which connect on first use. `lease_prefix` is that of this instance.
    pub(super) fn connect(target: &PgTarget, lease_prefix: &str) -> Result<Self, ConfigError> {
        let share = PgShare::new(target, SHARED_CONNECTIONS);
        Ok(Self {
            changes: Arc::new(PgStore::connect(target, 1)?),
            journal: PgStore::connect_background(target, 1)?,
            writers: Arc::new(share.writers(SHARED_BY_WRITERS)?),
            queues: Arc::new(share.queues(SHARED_BY_QUEUES, lease_prefix)?),
            background: Arc::new(share.background(SHARED_BY_BACKGROUND)?),
            maintenance: share.maintenance(SHARED_BY_MAINTENANCE)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::service::planned_connections;

    #[tokio::test]
    async fn an_instance_holds_at_most_24_connections() {
        let planned = planned_connections("postgres://atumpan@127.0.0.1/atumpan");
        assert_eq!(planned.unwrap(), 24);
    }
}
