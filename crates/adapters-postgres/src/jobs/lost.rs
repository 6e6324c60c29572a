//! Leases of which this process does not know what they hold, because the answer to a claim was lost.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use diesel::sql_types::{Array, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::job::Lease;
use ports::store::StoreError;
use tokio::time::Instant;

use crate::{connection::Connection, error::store_error, statement::Statement};

/// For how long a claim may still be made after its connection broke.
const UNCERTAIN: Duration = Duration::from_secs(40);
/// How often its jobs are looked for meanwhile.
const PAUSE: Duration = Duration::from_secs(5);

/// The leases of claims whose answer was lost. Nobody works under them.
#[derive(Default)]
pub(super) struct LostLeases(Mutex<Vec<Lost>>);

#[derive(Clone, Copy)]
struct Lost {
    lease: Lease,
    since: Instant,
    look_at: Instant,
}

impl LostLeases {
    pub(super) fn note(&self, lease: Lease) {
        let now = Instant::now();
        self.all().push(Lost { lease, since: now, look_at: now });
    }

    /// Frees the jobs under lost leases.
    pub(super) async fn free(&self, conn: &mut Connection) -> Result<(), StoreError> {
        let now = Instant::now();
        let due: Vec<_> = {
            let mut all = self.all();
            all.retain(|lost| now < lost.since + UNCERTAIN);
            let due = all.iter_mut().filter(|lost| lost.look_at <= now);
            due.map(|lost| {
                lost.look_at = now + PAUSE;
                lost.lease.0
            })
            .collect()
        };
        if due.is_empty() {
            return Ok(());
        }
        let freed = Statement::<Free>::new(&[FREE])
            .bind::<Array<SqlUuid>, _>(due)
            .execute(conn)
            .await
            .map_err(store_error)?;
        if freed > 0 {
            tracing::warn!(jobs = freed, "freed the jobs of a claim whose answer was lost");
        }
        Ok(())
    }

    fn all(&self) -> MutexGuard<'_, Vec<Lost>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Free;
const FREE: &str = "UPDATE delivery_jobs SET lease = NULL, due_at = now() WHERE lease = ANY(?)";
