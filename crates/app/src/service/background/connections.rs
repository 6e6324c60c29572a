//! Check of connections: reports a database that has too few for its instances before requests are
//! affected.

use std::sync::{Arc, Mutex, PoisonError};

use adapters_postgres::{ConnectionBudget, PgMonitor};

use crate::background::{Next, Turn};

/// Comparison of the connections that the instances may hold with those that the server provides.
pub(super) struct Comparison {
    monitor: Arc<PgMonitor>,
    /// Both numbers at the last comparison.
    known: Mutex<Option<(u64, u64)>>,
}

impl Comparison {
    pub(super) fn new(monitor: Arc<PgMonitor>) -> Self {
        Self { monitor, known: Mutex::default() }
    }

    /// Keeps the numbers, and returns true if they differ from those of the last comparison.
    fn is_new(&self, budget: &ConnectionBudget) -> bool {
        let numbers = (budget.needed(), budget.available());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.replace(numbers) != Some(numbers)
    }
}

/// Compares the connections. Logs both numbers at the start, after each change, and each time while
/// there are too few.
pub(super) async fn compare(comparison: Arc<Comparison>) -> Turn {
    let budget = comparison.monitor.connection_budget().await?;
    note(&budget);
    if comparison.is_new(&budget) || budget.is_short() {
        log(&budget);
    }
    Ok(Next::Idle)
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
