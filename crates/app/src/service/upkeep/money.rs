//! What is done about wallets and invoices.

use std::time::Duration;

use tokio::time::sleep;
use usecases::invoices::Statements;

/// How often it is looked whether a month is to be stated.
const STATEMENTS: Duration = Duration::from_secs(600);

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
