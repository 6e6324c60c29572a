//! Tasks that update figures of the metrics.

use std::{sync::Arc, time::Duration};

use adapters_postgres::PgStore;

use crate::{
    background::{Next, Task, Turn},
    service::{
        metrics::{ProcessFigures, figure},
        stores::BackgroundStores,
    },
};

/// Interval between updates of the figures of this process, of payments, and of the server.
const PROCESS: Duration = Duration::from_secs(5);
const PAYMENTS: Duration = Duration::from_secs(30);
const SERVER: Duration = Duration::from_secs(60);

pub(super) fn tasks(stores: &BackgroundStores, process: ProcessFigures) -> Vec<Task> {
    let store = || Arc::clone(&stores.background);
    vec![
        Task::every("figures of the process", PROCESS, Arc::new(process), note_process),
        Task::every("figures of payments", PAYMENTS, store(), note_payments),
        Task::every("figures of the server", SERVER, store(), note_server),
    ]
}

async fn note_process(figures: Arc<ProcessFigures>) -> Turn {
    figures.update().await;
    Ok(Next::Idle)
}

async fn note_payments(store: Arc<PgStore>) -> Turn {
    let figures = store.payment_figures().await?;
    let overdue = figures.top_ups_overdue.to_std().unwrap_or_default();
    metrics::gauge!("atumpan_payment_exceptions_open").set(figure(figures.open_exceptions));
    metrics::gauge!("atumpan_top_ups_overdue_seconds").set(overdue.as_secs_f64());
    Ok(Next::Idle)
}

async fn note_server(store: Arc<PgStore>) -> Turn {
    let figures = store.server_figures().await?;
    let is_failing = u8::from(figures.is_archiving_failing);
    metrics::gauge!("atumpan_database_size_bytes").set(figure(figures.database_bytes));
    metrics::gauge!("atumpan_database_wal_kept_bytes").set(figure(figures.wal_kept_bytes));
    metrics::gauge!("atumpan_database_archiving_failing").set(is_failing);
    Ok(Next::Idle)
}
