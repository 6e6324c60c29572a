//! Reconciliation of a restored database, before a service uses it.

use std::sync::Arc;

use adapters_http::MetricsText;
use adapters_postgres::{PgStore, PgTarget};
use chrono::{DateTime, Utc};
use domain::platform::reconciliation::Reconciliation;
use ports::shared::traces::Tracer;
use usecases::platform::reconciling::{Reconciling, ReconcilingDeps};

use super::{
    StartError, gateway,
    kept_keys::KeptKeys,
    wiring::{Outside, Wiring},
};
use crate::{clock::SystemClock, config::Config};

/// Asks providers about the messages that were on their way when the database at `database_url` lost its
/// writes: those after `since`, of a service that ended at `until`, or by now.
pub async fn reconcile(
    config: &Config,
    database_url: &str,
    since: DateTime<Utc>,
    until: Option<DateTime<Utc>>,
) -> Result<Reconciliation, StartError> {
    let target = &PgTarget::from(database_url);
    let KeptKeys { tokens, callback_key } = KeptKeys::read(config, database_url).await?;
    let gateway = gateway::gateway(config, target, config.server.listen).await?;
    let metrics: MetricsText = Arc::new(String::new);
    let (clock, tracer) = (Arc::new(SystemClock), Tracer::default());
    let outside = Outside { tokens, gateway, clock, tracer, callback_key };
    let Wiring { core, mut writers, .. } = Wiring::new(config, target, metrics, outside)?;
    let store = || PgStore::connect_maintenance(target, 1);
    let reconciling = Reconciling::new(ReconcilingDeps {
        reconciliations: Arc::new(core.jobs.reconciliations(store()?)),
        scheduled: Arc::new(core.jobs.scheduled_messages(store()?)),
        deliveries: core.deliveries.clone(),
        clock: Arc::clone(&core.clock),
    });
    let reconciled = reconciling.reconcile(since, until).await;
    writers.stop().await;
    Ok(reconciled?)
}
