//! Background tasks for wallets and invoices.

use std::time::Duration;

use adapters_postgres::PgStore;
use tokio::time::sleep;
use usecases::{identity::spending::Spending, money::invoices::Statements};

/// Interval between looks for months to state.
const STATEMENTS: Duration = Duration::from_secs(600);
/// Interval between looks for organizations whose wallets lack their spending rules.
const RULES: Duration = Duration::from_secs(20);
/// Interval between looks for wallets that run low.
const LOW_BALANCES: Duration = Duration::from_secs(30);

/// Writes the statements of months that have ended.
pub(in crate::service) async fn write_statements(statements: Statements) {
    loop {
        match statements.write_due().await {
            Ok(0) => {}
            Ok(statements) => tracing::info!(statements, "wrote monthly statements"),
            Err(error) => tracing::warn!(%error, "failed to write monthly statements"),
        }
        sleep(STATEMENTS).await;
    }
}

/// Applies spending rules to wallets for which that was cut short.
pub(in crate::service) async fn apply_spending_rules(spending: Spending) {
    loop {
        match spending.apply_left().await {
            Ok(0) => {}
            Ok(organizations) => {
                tracing::info!(organizations, "applied spending rules that wallets lacked");
            }
            Err(error) => {
                tracing::warn!(%error, "failed to look for wallets without spending rules");
            }
        }
        sleep(RULES).await;
    }
}

/// Notes which wallets run low.
pub(in crate::service) async fn note_low_balances(store: PgStore) {
    loop {
        if let Err(error) = store.note_low_balances().await {
            tracing::warn!(%error, "failed to look for wallets that run low");
        }
        sleep(LOW_BALANCES).await;
    }
}
