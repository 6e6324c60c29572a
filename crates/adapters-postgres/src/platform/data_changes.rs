//! Changes of many rows that migrations leave to the service.

use ports::shared::store::StoreError;

use crate::shared::{database::session::PgStore, query::sql::sql};

/// Number of rows that a turn changes: few enough not to keep others waiting.
const ROWS: i32 = 1_000;

impl PgStore {
    /// Takes a turn of the first change that is not finished. Returns false if there is none, or if another
    /// instance takes a turn.
    pub async fn advance_data_changes(&self) -> Result<bool, StoreError> {
        let advance = sql!("SELECT advance_data_changes({rows})", rows = ROWS);
        let name: Option<String> = advance.only(self.session().await?.conn()).await?;
        Ok(name.is_some())
    }

    /// Returns the names of the changes that are not finished, in their order.
    pub async fn unfinished_data_changes(&self) -> Result<Vec<String>, StoreError> {
        let find = sql!("SELECT name FROM data_changes WHERE finished_at IS NULL ORDER BY number");
        find.values(self.session().await?.conn()).await
    }
}
