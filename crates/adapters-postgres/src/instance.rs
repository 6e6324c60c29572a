//! This process among those that share the database: its leases, and what becomes of those of a
//! process that died.

use std::sync::Arc;

use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use domain::job::Lease;
use ports::{random::Random, store::StoreError};
use uuid::Uuid;

use crate::{error::store_error, session::PgStore, statement::Statement};

/// A process that leases jobs. All its leases begin with the same half, its name.
#[derive(Clone)]
pub struct PgInstance {
    store: PgStore,
    random: Arc<dyn Random>,
    name: u64,
}

impl PgInstance {
    /// A process with a name of its own.
    pub fn new(store: PgStore, random: Arc<dyn Random>) -> Self {
        let name = half(&*random);
        Self { store, random, name }
    }

    /// A lease that nobody else has.
    pub(crate) fn lease(&self) -> Lease {
        Lease(Uuid::from_u64_pair(self.name, half(&*self.random)))
    }

    /// Shows a sign of life. Others take the leases of a process over that shows none for fifteen
    /// seconds.
    pub async fn beat(&self) -> Result<(), StoreError> {
        let mut session = self.store.session().await?;
        Statement::<Beat>::new(&[BEAT])
            .bind::<SqlUuid, _>(Uuid::from_u64_pair(self.name, 0))
            .bind::<SqlUuid, _>(Uuid::from_u64_pair(self.name, u64::MAX))
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    /// Frees the jobs of processes that have shown no sign of life for fifteen seconds, and returns
    /// how many there were. Only a process that itself has beaten all that time may judge others:
    /// after an outage of the database nobody has.
    pub async fn bury_the_dead(&self) -> Result<usize, StoreError> {
        let mut session = self.store.session().await?;
        let bury = Statement::<Bury>::new(&[BURY]);
        bury.execute(session.conn()).await.map_err(store_error)
    }

    /// Frees the jobs of all processes before this one. For a database that no other can use.
    pub async fn bury_all(&self) -> Result<(), StoreError> {
        let mut session = self.store.session().await?;
        session.conn().batch_execute(BURY_ALL).await.map_err(store_error)
    }

    /// Says that this process holds no lease any more.
    pub async fn leave(&self) -> Result<(), StoreError> {
        let mut session = self.store.session().await?;
        Statement::<Leave>::new(&[LEAVE])
            .bind::<SqlUuid, _>(Uuid::from_u64_pair(self.name, 0))
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }
}

fn half(random: &dyn Random) -> u64 {
    let mut half = [0; 8];
    half.copy_from_slice(&random.secret()[..8]);
    u64::from_be_bytes(half)
}

struct Beat;
const BEAT: &str = "\
    INSERT INTO instances (first_lease, last_lease, seen_at) VALUES (?, ?, now()) \
    ON CONFLICT (first_lease) DO UPDATE SET seen_at = now()";

struct Bury;
const BURY: &str = "\
    WITH dead AS ( \
        DELETE FROM instances WHERE seen_at < now() - interval '15 seconds' RETURNING * \
    ) \
    UPDATE delivery_jobs job SET lease = NULL, due_at = now() FROM dead \
    WHERE job.lease BETWEEN dead.first_lease AND dead.last_lease";

const BURY_ALL: &str = "\
    DELETE FROM instances; \
    UPDATE delivery_jobs SET lease = NULL, due_at = now() WHERE lease IS NOT NULL";

struct Leave;
const LEAVE: &str = "DELETE FROM instances WHERE first_lease = ?";
