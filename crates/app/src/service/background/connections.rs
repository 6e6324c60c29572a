//! Check of connections: reports a database that has too few for its instances before requests are
//! affected.

use std::{sync::Arc, time::Duration};

use adapters_postgres::{ConnectionBudget, PgMonitor};
use tokio::time::sleep;

/// Interval between comparisons of the needed connections with those that the server provides.
const COMPARISON: Duration = Duration::from_secs(60);

/// Compares the connections that the instances may hold with those that the server provides. Logs
/// both at the start, after each change, and each minute while there are too few.
pub(in crate::service) async fn compare_connections(monitor: Arc<PgMonitor>) {
    let mut known = None;
    loop {
        match monitor.connection_budget().await {
            Ok(budget) => {
                note(&budget);
                let numbers = (budget.needed(), budget.available());
                if known.replace(numbers) != Some(numbers) || budget.is_short() {
                    log(&budget);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "failed to compare the connections needed with those available");
            }
        }
        sleep(COMPARISON).await;
    }
}

fn note(budget: &ConnectionBudget) {
    let gauge = |number: u64| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    metrics::gauge!("atumpan_database_connections_needed").set(gauge(budget.needed()));
    metrics::gauge!("atumpan_database_connections_available").set(gauge(budget.available()));
}

fn log(connections: &ConnectionBudget) {
    if connections.is_short() {
        tracing::warn!(
            %connections,
            "the database has fewer connections than its instances may need: raise max_connections or \
             the limit that is named, or run fewer instances"
        );
    } else {
        tracing::info!(%connections, "the database has connections enough");
    }
}
