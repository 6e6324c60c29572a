//! Monthly statements of all organizations.

use std::sync::Arc;

use domain::money::invoice::due_months;
use ports::{
    money::invoices::{StatementProgress, StatementRepository},
    shared::{clock::Clock, store::StoreError},
};

/// Number of organizations per batch of statements.
const BATCH: usize = 100;

/// Writes monthly statements. Any number of instances may do so at once.
#[derive(Clone)]
pub struct Statements {
    repository: Arc<dyn StatementRepository>,
    clock: Arc<dyn Clock>,
}

impl Statements {
    /// Creates the operations over `repository`.
    pub fn new(repository: Arc<dyn StatementRepository>, clock: Arc<dyn Clock>) -> Self {
        Self { repository, clock }
    }

    /// Writes the statements of months that have ended, and returns their number. Statements missed in
    /// a crash are written by the next call.
    pub async fn write_due(&self) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let due = due_months(self.repository.last_month().await?, now);
        if !due.is_empty() {
            self.repository.plan(&due).await?;
        }
        let mut written = 0;
        while let Some(part) = self.repository.write_some(now, BATCH).await? {
            written += part.statements;
            match part.progress {
                StatementProgress::GoesOn => {}
                StatementProgress::Finished => {
                    tracing::info!(month = %part.month, "wrote the statements of a month");
                }
                StatementProgress::SomeLeft => {
                    tracing::info!(
                        month = %part.month,
                        "left out statements: something of the month is not posted yet"
                    );
                }
            }
        }
        Ok(written)
    }
}
