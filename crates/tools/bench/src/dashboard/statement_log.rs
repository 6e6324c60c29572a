//! Log of PostgreSQL, which counts the statements of a page.

use std::{
    error::Error,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    time::Duration,
};

use crate::{harness::Database, usage};

/// Beginnings of lines about statements: with parameters, and without any.
const STATEMENTS: [&str; 2] = ["LOG:  execute ", "LOG:  statement: "];
/// Time until the server has read its settings again.
const RELOAD: Duration = Duration::from_secs(1);

/// Log to which the server writes each statement.
pub(super) struct StatementLog {
    file: File,
}

impl StatementLog {
    /// Lets the server log its statements.
    pub(super) async fn begin(database: &Database) -> Result<Self, Box<dyn Error>> {
        let server = usage::postmaster(database).await?;
        // Its standard error is its log.
        let file = File::open(format!("/proc/{server}/fd/2"))?;
        database.execute("ALTER SYSTEM SET log_statement = 'all'").await?;
        Self::reload(database).await?;
        Ok(Self { file })
    }

    /// Lets the server log no more statements.
    pub(super) async fn end(self, database: &Database) -> Result<(), Box<dyn Error>> {
        database.execute("ALTER SYSTEM RESET log_statement").await?;
        Self::reload(database).await
    }

    /// Passes over the statements so far.
    pub(super) fn skip(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::End(0)).map(drop)
    }

    /// Returns the number of statements since it was last read.
    pub(super) fn count(&mut self) -> io::Result<usize> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(STATEMENTS.iter().map(|beginning| text.matches(beginning).count()).sum())
    }

    async fn reload(database: &Database) -> Result<(), Box<dyn Error>> {
        database.execute("SELECT pg_reload_conf()").await?;
        tokio::time::sleep(RELOAD).await;
        Ok(())
    }
}
