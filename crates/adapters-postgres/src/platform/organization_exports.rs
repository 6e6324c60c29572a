//! Snapshots of organizations, read through a cursor: the server finds a portion of rows at a time.

mod lists;

use async_trait::async_trait;
use diesel_async::SimpleAsyncConnection;
use domain::{
    identity::organization::Organization,
    platform::organization_export::{ExportedList, ExportedRow},
    shared::id::Id,
};
use ports::{
    platform::organization_exports::{OrganizationSnapshot, OrganizationSnapshots},
    shared::store::StoreError,
};

use crate::shared::{
    database::session::{PgSession, PgStore},
    error::store_error,
    query::sql::sql,
};

/// Rows are read in the order of an index, so that the first portion needs no sorting of all rows.
/// The files may be on a slow disk, for which an open transaction waits.
const SETTINGS: &str = "\
    SET TRANSACTION READ ONLY; SET LOCAL TimeZone = 'UTC'; \
    SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; \
    SET LOCAL idle_in_transaction_session_timeout = '10min'";

struct PgSnapshot {
    session: PgSession,
    organization: Id<Organization>,
    /// List whose cursor is open.
    list: Option<ExportedList>,
}

#[async_trait]
impl OrganizationSnapshots for PgStore {
    async fn open(
        &self,
        organization: Id<Organization>,
    ) -> Result<Option<Box<dyn OrganizationSnapshot>>, StoreError> {
        let mut session = self.snapshot().await?;
        session.conn().batch_execute(SETTINGS).await.map_err(store_error)?;
        let find = sql!(
            "SELECT count(*) FROM organizations WHERE id = {organization} AND erased_at IS NULL",
            organization,
        );
        let found: i64 = find.only(session.conn()).await?;
        if found == 0 {
            return Ok(None);
        }
        Ok(Some(Box::new(PgSnapshot { session, organization, list: None })))
    }
}

#[async_trait]
impl OrganizationSnapshot for PgSnapshot {
    async fn begin(&mut self, list: ExportedList) -> Result<(), StoreError> {
        if self.list.is_some() {
            self.session.conn().batch_execute("CLOSE exported").await.map_err(store_error)?;
        }
        lists::open(list, self.organization, self.session.conn()).await?;
        self.list = Some(list);
        Ok(())
    }

    async fn next_rows(&mut self) -> Result<Vec<ExportedRow>, StoreError> {
        let Some(list) = self.list else { return Ok(Vec::new()) };
        let fetch = sql!("FETCH 200 FROM exported");
        let objects: Vec<String> = fetch.values(self.session.conn()).await?;
        let rows = objects.iter().map(|object| ExportedRow::parse(list, object));
        rows.collect::<Result<_, _>>().map_err(|error| StoreError::Internal(error.into()))
    }
}
